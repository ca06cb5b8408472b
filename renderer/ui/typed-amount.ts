/** Nothing at a lane is worth more than this, in cents; a longer number is a slip of the finger. */
export const MOST_TYPED = 9_999_999

/** The decimal marks of both languages, whichever one the screen shows. */
export const DECIMAL_MARKS: readonly string[] = ['.', ',']

const HUNDREDTHS = 100

/** How digits count before a decimal mark: from the right as on a cash register, or as a whole number. */
export type AmountEntry = 'register' | 'whole'

/** An amount that is being typed, in hundredths: cents, or hundredths of a percent. */
export interface TypedAmount {
  readonly amount: number
  /** How many digits follow the decimal mark; null before the mark is typed. */
  readonly decimals: number | null
}

/** Returns the amount with these digits, which may hold a decimal mark. An amount that is too large stays as it was. */
export const typeDigits = (typed: TypedAmount, digits: string, entry: AmountEntry = 'register'): TypedAmount =>
  [...digits].reduce((known, digit) => {
    const next = DECIMAL_MARKS.includes(digit) ? withMark(known, entry) : withDigit(known, Number(digit), entry)
    return next.amount > MOST_TYPED ? known : next
  }, typed)

/** The digits typed before the mark are the whole number. */
function withMark({ amount, decimals }: TypedAmount, entry: AmountEntry): TypedAmount {
  return { amount: decimals === null && entry === 'register' ? amount * HUNDREDTHS : amount, decimals: decimals ?? 0 }
}

function withDigit({ amount, decimals }: TypedAmount, digit: number, entry: AmountEntry): TypedAmount {
  if (decimals === null) return { amount: amount * 10 + digit * (entry === 'whole' ? HUNDREDTHS : 1), decimals }
  return decimals < 2
    ? { amount: amount + digit * (decimals === 0 ? 10 : 1), decimals: decimals + 1 }
    : { amount, decimals }
}

/** Removes what was typed last: a digit, or the decimal mark. */
export function eraseDigit({ amount, decimals }: TypedAmount, entry: AmountEntry = 'register'): TypedAmount {
  if (decimals === 0) return { amount: entry === 'register' ? Math.floor(amount / HUNDREDTHS) : amount, decimals: null }
  const place = decimals === null ? (entry === 'whole' ? HUNDREDTHS : 1) : 10 ** (2 - decimals)
  return decimals === null
    ? { amount: Math.floor(amount / (10 * place)) * place, decimals }
    : { amount: amount - (amount % (10 * place)), decimals: decimals - 1 }
}
