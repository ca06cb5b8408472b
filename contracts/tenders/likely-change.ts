/** More change than one note of $100 is a slip of the finger, and is asked about once. Without zod: the window loads it. */
export const MOST_LIKELY_CHANGE_CENTS = 10_000
