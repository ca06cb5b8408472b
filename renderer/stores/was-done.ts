import type { Sale } from '../../contracts/api/sales.ts'
import { GIFT_CARD_SKU } from '../../contracts/gift-card.ts'

/** Whether a command whose answer was lost was done, by the open sale as it now is; null when there is none. */
export type Done = (now: Sale | null) => boolean
/** The same for a command on the sale `before`. */
export type DoneSince = (before: Sale, now: Sale | null) => boolean

/** This lane has left the sale: it was closed, or put on hold. */
export const left: DoneSince = (before, now) => now?.id !== before.id

export const paidMore: DoneSince = (before, now) =>
  left(before, now) || (now?.tenders.length ?? 0) > before.tenders.length

/** The payment of this number was given back. */
export const gaveBack =
  (number: number): DoneSince =>
  (before, now) =>
    left(before, now) || !now?.tenders.some((tender) => tender.number === number)

/** What became of the redemption is the panel's to show. */
export const redeemedAnew: DoneSince = (before, now) =>
  left(before, now) || now?.redemption?.id !== before.redemption?.id

const giftCardsIn = (sale: Sale | null): number =>
  sale?.lines.filter(({ sku, voided }) => sku === GIFT_CARD_SKU && !voided).length ?? 0

/** A gift card is a line of its own, and may be the first of a sale. */
export const moreGiftCards = (before: Sale | null, now: Sale | null): boolean => giftCardsIn(now) > giftCardsIn(before)
