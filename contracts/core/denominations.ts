/** Canadian coins and notes, in cents, the largest first; the one-cent coin was withdrawn in 2013. */
export const DENOMINATIONS = [10_000, 5_000, 2_000, 1_000, 500, 200, 100, 25, 10, 5] as const

export type Denomination = (typeof DENOMINATIONS)[number]

/**
 * Change of $100 or more is probably a typing error: the cashier must confirm it once. This module does not import zod,
 * because the window loads it.
 */
export const MOST_LIKELY_CHANGE_CENTS = 10_000
