import { z } from 'zod'

/** An amount of money as a whole number of Canadian cents, never as a fraction or as dollars. */
export const Cents = z.int().brand<'Cents'>()
export type Cents = z.infer<typeof Cents>

/** Brands a whole number of cents. Throws a RangeError unless the value is a safe integer. */
export function cents(value: number): Cents {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number of cents: ${value}`)
  return value as Cents
}

export const sumCents = (amounts: Iterable<Cents>): Cents => {
  let total = 0
  for (const amount of amounts) total += amount
  return cents(total)
}

/**
 * Rounds an amount to the nearest five cents. Canada withdrew its one-cent coin in 2013: only the cash total is
 * rounded, and only once.
 */
export function roundToNickel(amount: Cents): Cents {
  const sign = amount < 0 ? -1 : 1
  // `|| 0` avoids negative zero, which rounding minus one or two cents would give.
  return cents(sign * Math.floor((Math.abs(amount) + 2) / 5) * 5 || 0)
}

/** Formats cents as dollars, e.g. 4335 → "43.35" (wire of the cash service, specification 3 §2.4). */
export function dollarsString(amount: Cents): string {
  const sign = amount < 0 ? '-' : ''
  const whole = Math.abs(amount)
  return `${sign}${Math.floor(whole / 100)}.${String(whole % 100).padStart(2, '0')}`
}

/** Converts cents to a JSON number in dollars (wire of the issuance service, specification 3 §2.1). */
export const dollarsNumber = (amount: Cents): number => Number(dollarsString(amount))

/** Highest price of an item in cents, for imports, edits and changes of a sale. A higher number is a typing error. */
export const MAX_PRICE_CENTS = 99_999_999

/**
 * Parses a dollar amount from the wire ("40.00", "40", 40.5) to cents; undefined unless it is a whole number of cents.
 */
export function parseDollars(value: string | number): Cents | undefined {
  const match = /^(-?)(\d{1,9})(?:\.(\d{1,2}))?$/.exec(String(value).trim())
  if (!match) return undefined
  const magnitude = Number(match[2]) * 100 + Number((match[3] ?? '').padEnd(2, '0'))
  return cents(match[1] ? -magnitude : magnitude)
}

/** Matches a dollar amount with at most two decimals, as the cash service writes it. */
export const DollarsString = z.string().regex(/^\d{1,9}(\.\d{1,2})?$/, 'a dollar amount such as "43.35"')

export const Miles = z.int().brand<'Miles'>()
export type Miles = z.infer<typeof Miles>

export function miles(value: number): Miles {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number of miles: ${value}`)
  return value as Miles
}

/** Miles and value of one redemption unit when INQUIRE returns no others (specification 3 §8). */
export const REGULAR_UNIT = { unitMiles: 95, unitCents: 1000 } as const

/** Maximum amount in cents that one collector may redeem per day over all sponsors (specification 3 §8). */
export const DAILY_REDEMPTION_LIMIT_CENTS = 75_000
