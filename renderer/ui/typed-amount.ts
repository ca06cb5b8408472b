/** Nothing at a lane is worth more than this, in cents; a longer number is a slip of the finger. */
export const MOST_TYPED = 9_999_999

/**
 * Digits typed from the right, as on a cash register: "2", "20", "2000" → 20.00. `amount` in the smallest unit: cents,
 * or whole
 * percent.
 */
export const typeDigits = (amount: number, digits: string): number => {
  const next = Number(`${amount}${digits}`)
  return next > MOST_TYPED ? amount : next
}

export const eraseDigit = (amount: number): number => Math.floor(amount / 10)
