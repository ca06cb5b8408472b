import type { ChangeOfferStates, OfferStatesChanged } from '../../../contracts/loyalty/basket-offers.ts'
import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import type { WantedOffer } from '../services/offer-state.ts'
import { ProblemError } from '../../core/problem.ts'
import { isOpen } from '../../core/outbox/states.ts'
import type { StateOf } from '../member/member-offers.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { basketOffersOf } from './basket-offers.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { memberOffersOf } from '../member/member-offers.ts'
import { offerStatesOf } from '../member/offer-states.ts'
import { memberServicesOf } from '../services/member-services.ts'
import type { App } from '../../core/http/app.ts'
import { memberContract } from '../../../contracts/loyalty/loyalty.routes.ts'
import { serve } from '../../core/http/serve.ts'

const NOTHING: StateOf = { optedIn: false, saved: false }

const isSo = ({ optedIn, saved }: StateOf, { change }: WantedOffer): boolean =>
  change === 'opt-in' ? optedIn : saved === (change === 'save')
const made = (state: StateOf, { change }: WantedOffer): StateOf =>
  change === 'opt-in' ? { ...state, optedIn: true } : { ...state, saved: change === 'save' }

/** The last word on each offer: of two that contradict each other, the order would be lost where several go at once. */
const lastOf = (changes: readonly WantedOffer[]): WantedOffer[] => [
  ...new Map(
    changes.map((wish) => [`${wish.offerId} ${wish.change === 'opt-in' ? 'opt-in' : 'save'}`, wish] as const),
  ).values(),
]

/** What the member who is signed in wants of offers. */
export const offerWishesOf = perLane((ctx: Ctx) => {
  const { transact } = ctx
  const saleOf = saleRowsOf(ctx).byId
  if (memberServicesOf(ctx) === null) return null
  const member = memberOffersOf(ctx)
  const offers = basketOffersOf(ctx)
  const states = offerStatesOf(ctx)
  const changingOf = (saleId: string): number => states.of(saleId).filter(({ state }) => isOpen(state)).length

  function check(saleId: string, wanted: readonly WantedOffer[]) {
    const sale = saleOf(saleId)
    if (!sale) throw new ProblemError('not-found')
    if (sale.state !== 'open') throw new ProblemError('sale-not-open')
    const mine = member.of(saleId)
    if (!mine || !sale.memberHash) throw new ProblemError('member-sign-in-needed')
    const known = new Set(LOCALES.flatMap((locale) => offers.offersOf(saleId, locale).map(({ card }) => card.id)))
    if (wanted.some(({ offerId }) => !known.has(offerId))) throw new ProblemError('offer-gone')
    return { states: mine.states, collectorHash: sale.memberHash }
  }

  return {
    /**
     * Records the changes, which are sent after the commit; what is so already, or is on its way, is passed over.
     * Throws ProblemError `not-found`, `sale-not-open`, `member-sign-in-needed`, or `offer-gone` for an offer that is
     * in no list of this sale.
     */
    change(saleId: SaleId, { changes }: ChangeOfferStates): OfferStatesChanged {
      const { states: known, collectorHash } = check(saleId, changes)
      const now = new Map(known)
      const hold = (wish: WantedOffer): void => {
        now.set(wish.offerId, made(now.get(wish.offerId) ?? NOTHING, wish))
      }
      for (const wish of states.of(saleId)) if (isOpen(wish.state)) hold(wish)
      const wanted = lastOf(changes).filter((wish) => {
        const isNew = !isSo(now.get(wish.offerId) ?? NOTHING, wish)
        hold(wish)
        return isNew
      })
      if (wanted.length > 0)
        transact((tx) => {
          states.order(tx, { saleId, collectorHash, wanted })
        })
      return { changing: changingOf(saleId) }
    },
  }
})

export function memberOffersRoutes(ctx: Ctx, app: App): void {
  const wishes = offerWishesOf(ctx)
  if (wishes === null) return
  serve(app, memberContract['POST /sales/:id/offer-states'], (request) =>
    wishes.change(request.params.id, request.body),
  )
}
