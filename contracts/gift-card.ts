/**
 * The item number of a gift card as a line of a sale. No catalog may have it.
 */
export const GIFT_CARD_SKU = 'milepost:gift-card'
/** No department of a store: what is sold in it is owed, not earned. */
export const GIFT_CARD_DEPARTMENT = 'gift-cards'
/** The most that one gift card is sold for. */
export const MOST_GIFT_CARD_CENTS = 100_000
