import { z } from 'zod'

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
