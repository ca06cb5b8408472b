/** Maximum amount in hundredths; a larger number is a typing error. */
export const MAX_TYPED = 9_999_999

/** The decimal marks of both languages, accepted in each. */
export const DECIMAL_MARKS: readonly string[] = ['.', ',']

const HUNDREDTHS = 100

/** How digits before a decimal mark are read: from the right as on a cash register, or as a whole number. */
export type AmountEntry = 'register' | 'whole'

/** State of an amount while it is typed, in hundredths: cents, or hundredths of a percent. */
export interface TypedAmount {
  readonly amount: number
  /** Number of digits after the decimal mark; null before the mark is typed. */
  readonly decimals: number | null
  readonly mark?: string
  /** The separator of thousands that was typed, as in 1,234.56. */
  readonly thousands?: string
  /** Keys that were refused; more keys are refused until these are erased. */
  readonly refused?: string
}

/**
 * Adds typed keys, digits or a decimal mark. Refuses a key that makes the amount too large, a second mark after a
 * decimal, a third decimal, and all keys after a refused one; the amount is then unchanged. Exception: the other mark
 * after a third decimal makes the first mark a thousands separator (1,234.56).
 */
export const typeDigits = (typed: TypedAmount, digits: string, entry: AmountEntry = 'register'): TypedAmount =>
  [...digits].reduce((known, key) => {
    const next = isMark(key) ? withMark(known, key, entry) : withDigit(known, Number(key), entry)
    return next === null || next.amount > MAX_TYPED ? { ...known, refused: (known.refused ?? '') + key } : next
  }, typed)

export const isRefused = ({ refused = '' }: TypedAmount): boolean => refused !== ''
const isMark = (key: string): boolean => DECIMAL_MARKS.includes(key)

/** Adds a decimal mark: the digits before it become the whole number. Null where the amount cannot have the mark. */
function withMark(typed: TypedAmount, mark: string, entry: AmountEntry): TypedAmount | null {
  const { amount, decimals, refused = '' } = typed
  // After three decimals another mark shows that the first mark was a thousands separator.
  if (decimals === 2 && /^\d$/.test(refused) && typed.mark !== mark && typed.thousands === undefined)
    return { amount: (amount * 10 + Number(refused)) * HUNDREDTHS, decimals: 0, mark, thousands: typed.mark }
  if (isRefused(typed)) return null
  if (decimals === null)
    return { ...typed, amount: entry === 'register' ? amount * HUNDREDTHS : amount, decimals: 0, mark }
  return decimals === 0 ? typed : null
}

function withDigit(typed: TypedAmount, digit: number, entry: AmountEntry): TypedAmount | null {
  const { amount, decimals } = typed
  if (isRefused(typed) || decimals === 2) return null
  if (decimals === null) return { ...typed, amount: amount * 10 + digit * (entry === 'whole' ? HUNDREDTHS : 1) }
  return { ...typed, amount: amount + digit * (decimals === 0 ? 10 : 1), decimals: decimals + 1 }
}

export function eraseDigit(typed: TypedAmount, entry: AmountEntry = 'register'): TypedAmount {
  const { amount, decimals, thousands, refused = '' } = typed
  if (refused !== '') return { ...typed, refused: refused.slice(0, -1) }
  if (decimals === 0 && thousands !== undefined) {
    const whole = amount / HUNDREDTHS
    return { amount: Math.floor(whole / 10), decimals: 2, mark: thousands, refused: String(whole % 10) }
  }
  if (decimals === 0) return { amount: entry === 'register' ? Math.floor(amount / HUNDREDTHS) : amount, decimals: null }
  const place = decimals === null ? (entry === 'whole' ? HUNDREDTHS : 1) : 10 ** (2 - decimals)
  return decimals === null
    ? { amount: Math.floor(amount / (10 * place)) * place, decimals }
    : { ...typed, amount: amount - (amount % (10 * place)), decimals: decimals - 1 }
}

const LONGEST = 4

/** Parses the typed number of coins or notes; null unless it is empty or a whole number of at most four digits. */
export function piecesTyped(text: string): string | null {
  const digits = text.trim()
  return /^\d*$/.test(digits) && digits.length <= LONGEST ? digits : null
}
