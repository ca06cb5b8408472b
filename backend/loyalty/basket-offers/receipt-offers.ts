import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import { isStorageFailure, type Tx } from '../../core/db/transact.ts'
import type { OfferAtBasket } from './offer-rules.ts'
import { type CompletedSale, domainEventsOf } from '../../sales/sale/domain-events.ts'
import type { KeptOffer } from '../offers/offers.sql.ts'
import { type SaidOffer, saidOffersOf } from './said-offers.sql.ts'
import { basketOffersOf } from './basket-offers.ts'
import type { Ctx } from '../../core/context.ts'

/** A receipt is no leaflet. */
const MOST_EARNED = 5
const MOST_MISSED = 3

/**
 * What the receipt of a collector says of offers is kept with the sale, in its commit, so that a copy says the same.
 * Must be made before the receipts, which read it in the same event. An offer that cannot be reckoned or kept leaves
 * the receipt without offers: nothing that the offer service has written can hold up the end of a sale.
 */
export function keepOffersOfReceipts(ctx: Ctx): void {
  const { profile, log } = ctx
  const events = domainEventsOf(ctx)
  const offers = basketOffersOf(ctx)
  const said = saidOffersOf(ctx)
  events.on('sale.completed', (tx, sale) => {
    try {
      keep(tx, sale)
    } catch (error) {
      if (isStorageFailure(error)) throw error
      log.error({ err: error }, 'the receipt says nothing of offers')
    }
  })

  function keep(tx: Tx, sale: CompletedSale): void {
    const { receipt } = profile.offers
    if (receipt === 'none' || !earns(sale)) return
    const at = offers.asShown(sale.parts)
    const earned = at.filter(({ standing }) => standing === 'earned').slice(0, MOST_EARNED)
    const missed = receipt === 'earned' ? [] : at.filter(isMissed).slice(0, MOST_MISSED)
    if (earned.length + missed.length === 0) return
    const { id } = sale.parts.sale
    const inEach = LOCALES.map((each) => [each, offers.offersOf(id, each)] as const)
    const entry = (word: SaidOffer['said'], one: OfferAtBasket<KeptOffer>): SaidOffer[] => {
      const rung = word === 'earned' ? one.reached : one.next
      const tier = rung && one.ladder[rung.tier]
      if (!tier) return []
      // The same tier in each language: by what it asks and gives, since the copy differs.
      const copy = (pick: (tier: KeptOffer['terms']['tiers'][number]) => string): Names =>
        Object.fromEntries(
          inEach.flatMap(([each, all]) => {
            const same = all
              .find(({ card }) => card.id === one.offer.card.id)
              ?.terms.tiers.find(({ asks, miles }) => asks === tier.asks && miles === tier.miles)
            return same ? [[each, pick(same)]] : []
          }),
        )
      return [
        {
          offerId: one.offer.card.id,
          said: word,
          award: copy(({ award }) => award),
          qualifier: copy(({ qualifier }) => qualifier),
          missing: word === 'missed' ? (one.next?.missing ?? null) : null,
        },
      ]
    }
    said.keep(tx, id, [
      ...earned.flatMap((one) => entry('earned', one)),
      ...missed.flatMap((one) => entry('missed', one)),
    ])
  }
}

/** Without a card, and where the program has said that the account earns nothing, no offer is earned either. */
const earns = ({ view }: CompletedSale): boolean => view.member !== null && view.member.noEarning === null

/** A tier that a little more would have reached; what needs a code or an opt-in is not missed for want of goods. */
const isMissed = ({ standing, next }: OfferAtBasket<KeptOffer>): boolean =>
  next?.near === true && (standing === 'nearly' || standing === 'earned')
