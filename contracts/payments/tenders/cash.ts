import { z } from 'zod'
import { Cents } from '../../core/money.ts'
import { Confirmed, SaleVersion } from './version.ts'

/** A hundred thousand dollars: what is more was mistyped. */
const MOST_CASH_CENTS = 10_000_000

export const TakeCash = z.strictObject({
  kind: z.literal('cash'),
  version: SaleVersion,
  tenderedCents: Cents.refine((amount) => amount <= MOST_CASH_CENTS, 'more cash than any hand holds'),
  confirmed: Confirmed,
})
