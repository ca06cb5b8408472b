/** Canadian coins and notes, in cents, the largest first; the one-cent coin was withdrawn in 2013. */
export const DENOMINATIONS = [10_000, 5_000, 2_000, 1_000, 500, 200, 100, 25, 10, 5] as const

export type Denomination = (typeof DENOMINATIONS)[number]

/** Change of a note of $100 or more is a slip of the finger, and is asked about once. No zod: the window loads it. */
export const MOST_LIKELY_CHANGE_CENTS = 10_000
