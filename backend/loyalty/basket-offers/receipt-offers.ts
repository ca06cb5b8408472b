import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import { isStorageFailure, type Tx } from '../../core/db/transact.ts'
import type { OfferAtBasket } from './offer-rules.ts'
import { type CompletedSale, domainEventsOf } from '../../sales/sale/domain-events.ts'
import type { StoredOffer } from '../offers/offers.sql.ts'
import { type ReceiptOfferRow, receiptOfferRowsOf } from './receipt-offers.sql.ts'
import { basketOffersOf } from './basket-offers.ts'
import type { Ctx } from '../../core/context.ts'

const MAX_EARNED = 5
const MAX_MISSED = 3

/**
 * Stores the offers of a collector's receipt in the commit of the sale, so that a copy of the receipt repeats them.
 * Must be registered before the receipts, which read these rows on the same event. If this fails for another reason
 * than storage, the receipt lists no offers, and the sale still ends.
 */
export function storeReceiptOffers(ctx: Ctx): void {
  const { profile, log } = ctx
  const events = domainEventsOf(ctx)
  const offers = basketOffersOf(ctx)
  const repository = receiptOfferRowsOf(ctx)
  events.on('sale.completed', (tx, sale) => {
    try {
      storeOffers(tx, sale)
    } catch (error) {
      if (isStorageFailure(error)) throw error
      log.error({ err: error }, 'could not store the offers of the receipt: printing it without them')
    }
  })

  function storeOffers(tx: Tx, sale: CompletedSale): void {
    const { receipt } = profile.offers
    if (receipt === 'none' || !earns(sale)) return
    const at = offers.asShown(sale.parts)
    const earned = at.filter(({ status }) => status === 'earned').slice(0, MAX_EARNED)
    const missed = receipt === 'earned' ? [] : at.filter(isMissed).slice(0, MAX_MISSED)
    if (earned.length + missed.length === 0) return
    const { id } = sale.parts.sale
    const inEach = LOCALES.map((each) => [each, offers.offersOf(id, each)] as const)
    const entry = (outcome: ReceiptOfferRow['said'], one: OfferAtBasket<StoredOffer>): ReceiptOfferRow[] => {
      const rung = outcome === 'earned' ? one.reached : one.next
      const tier = rung && one.ladder[rung.tier]
      if (!tier) return []
      // The texts of a tier are in a separate list for each language. Find the same tier there by its threshold and
      // miles.
      const copy = (pick: (tier: StoredOffer['terms']['tiers'][number]) => string): Names =>
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
          said: outcome,
          award: copy(({ award }) => award),
          qualifier: copy(({ qualifier }) => qualifier),
          missing: outcome === 'missed' ? (one.next?.missing ?? null) : null,
        },
      ]
    }
    repository.insert(tx, id, [
      ...earned.flatMap((one) => entry('earned', one)),
      ...missed.flatMap((one) => entry('missed', one)),
    ])
  }
}

const earns = ({ view }: CompletedSale): boolean => view.member !== null && view.member.noEarning === null

/**
 * Whether a little more spending would have reached another tier. An offer that also lacks a code or an opt-in is not
 * reported as missed.
 */
const isMissed = ({ status, next }: OfferAtBasket<StoredOffer>): boolean =>
  next?.near === true && (status === 'nearly' || status === 'earned')
