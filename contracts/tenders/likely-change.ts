/** Change of a note of $100 or more is a slip of the finger, and is asked about once. No zod: the window loads it. */
export const MOST_LIKELY_CHANGE_CENTS = 10_000
