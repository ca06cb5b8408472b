/**
 * The item number of a gift card as a line of a sale. No catalog has it: a colon stands in no item number of a store.
 */
export const GIFT_CARD_SKU = 'milepost:gift-card'
