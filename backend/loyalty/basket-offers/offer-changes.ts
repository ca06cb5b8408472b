import type { ChangeOfferStates, OfferStatesChanged } from '../../../contracts/loyalty/basket-offers.ts'
import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import type { RequestedOffer } from '../services/offer-state.ts'
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

const isInEffect = ({ optedIn, saved }: StateOf, { change }: RequestedOffer): boolean =>
  change === 'opt-in' ? optedIn : saved === (change === 'save')
const withChange = (state: StateOf, { change }: RequestedOffer): StateOf =>
  change === 'opt-in' ? { ...state, optedIn: true } : { ...state, saved: change === 'save' }

/** Selects one opt-in and the last save or unsave of each offer: changes that are sent together have no order. */
const lastOf = (changes: readonly RequestedOffer[]): RequestedOffer[] => [
  ...new Map(
    changes.map((change) => [`${change.offerId} ${change.change === 'opt-in' ? 'opt-in' : 'save'}`, change] as const),
  ).values(),
]

export const offerChangesOf = perLane((ctx: Ctx) => {
  const { transact } = ctx
  const saleOf = saleRowsOf(ctx).byId
  if (memberServicesOf(ctx) === null) return null
  const member = memberOffersOf(ctx)
  const offers = basketOffersOf(ctx)
  const states = offerStatesOf(ctx)
  const changingOf = (saleId: string): number => states.of(saleId).filter(({ state }) => isOpen(state)).length

  function check(saleId: string, requested: readonly RequestedOffer[]) {
    const sale = saleOf(saleId)
    if (!sale) throw new ProblemError('not-found')
    if (sale.state !== 'open') throw new ProblemError('sale-not-open')
    const signedIn = member.of(saleId)
    if (!signedIn || !sale.memberHash) throw new ProblemError('member-sign-in-needed')
    const known = new Set(LOCALES.flatMap((locale) => offers.offersOf(saleId, locale).map(({ card }) => card.id)))
    if (requested.some(({ offerId }) => !known.has(offerId))) throw new ProblemError('offer-gone')
    return { states: signedIn.states, collectorHash: sale.memberHash }
  }

  return {
    /**
     * Records the requested changes and sends them after the commit. Skips changes that are already in effect or in
     * progress. Throws ProblemError `not-found`, `sale-not-open`, `member-sign-in-needed`, or `offer-gone` for an offer
     * that is in no list of this sale.
     */
    change(saleId: SaleId, { changes }: ChangeOfferStates): OfferStatesChanged {
      const { states: known, collectorHash } = check(saleId, changes)
      const now = new Map(known)
      const simulate = (change: RequestedOffer): void => {
        now.set(change.offerId, withChange(now.get(change.offerId) ?? NOTHING, change))
      }
      for (const change of states.of(saleId)) if (isOpen(change.state)) simulate(change)
      const requested = lastOf(changes).filter((change) => {
        const isNew = !isInEffect(now.get(change.offerId) ?? NOTHING, change)
        simulate(change)
        return isNew
      })
      if (requested.length > 0)
        transact((tx) => {
          states.request(tx, { saleId, collectorHash, requested })
        })
      return { changing: changingOf(saleId) }
    },
  }
})

export function memberOffersRoutes(ctx: Ctx, app: App): void {
  const offerChanges = offerChangesOf(ctx)
  if (offerChanges === null) return
  serve(app, memberContract['POST /sales/:id/offer-states'], (request) =>
    offerChanges.change(request.params.id, request.body),
  )
}
