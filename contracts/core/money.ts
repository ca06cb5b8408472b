import { z } from 'zod'

/** An amount of money in integer Canadian cents. Never a float, never dollars. */
export const Cents = z.int().brand<'Cents'>()
export type Cents = z.infer<typeof Cents>

/** Brand a whole number of cents. Throws a RangeError for anything that is not a safe integer. */
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
 * Round an amount to the nearest five cents, halves away from zero.
 * Canada withdrew its one-cent coin in 2013: only the cash total rounds, and only once.
 */
export function roundToNickel(amount: Cents): Cents {
  const sign = amount < 0 ? -1 : 1
  // `|| 0`: one and two cents round to nothing, never to negative zero.
  return cents(sign * Math.floor((Math.abs(amount) + 2) / 5) * 5 || 0)
}

/** Cents to a decimal string in dollars, e.g. 4335 → "43.35" (wire of the cash service, specification 3 §2.4). */
export function dollarsString(amount: Cents): string {
  const sign = amount < 0 ? '-' : ''
  const whole = Math.abs(amount)
  return `${sign}${Math.floor(whole / 100)}.${String(whole % 100).padStart(2, '0')}`
}

/** Cents to a JSON number in dollars (wire of the issuance service, specification 3 §2.1). */
export const dollarsNumber = (amount: Cents): number => Number(dollarsString(amount))

/** A dollar amount on the wire ("40.00", "40", 40.5) to cents; undefined when it is not an amount in whole cents. */
export function parseDollars(value: string | number): Cents | undefined {
  const match = /^(-?)(\d{1,9})(?:\.(\d{1,2}))?$/.exec(String(value).trim())
  if (!match) return undefined
  const magnitude = Number(match[2]) * 100 + Number((match[3] ?? '').padEnd(2, '0'))
  return cents(match[1] ? -magnitude : magnitude)
}

/** A decimal string in dollars with exactly or at most two decimals, as the cash service writes amounts. */
export const DollarsString = z.string().regex(/^\d{1,9}(\.\d{1,2})?$/, 'a dollar amount such as "43.35"')

/** A whole number of miles. */
export const Miles = z.int().brand<'Miles'>()
export type Miles = z.infer<typeof Miles>

export function miles(value: number): Miles {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number of miles: ${value}`)
  return value as Miles
}

/** What one redemption unit costs and gives unless INQUIRE says otherwise (specification 3 §8). */
export const REGULAR_UNIT = { unitMiles: 95, unitCents: 1000 } as const

/** Most that one collector may redeem per day over all sponsors, in cents (specification 3 §8). */
export const DAILY_REDEMPTION_LIMIT_CENTS = 75_000
