import { cents } from '../../contracts/money.ts'
import type { VouchersOfStore } from '../../contracts/store/overview.ts'
import type { Postgres } from '../db/postgres.ts'
import { createOpenDraws } from '../vouchers/open-draws.ts'

/** What of the gift cards and store credit of a store a manager has to look at. */
export async function vouchersOf(postgres: Postgres, store: string): Promise<VouchersOfStore> {
  const { awaited, open, soldTwice } = createOpenDraws(postgres, store)
  const isoOf = (at: Date): string => at.toISOString()
  return {
    awaited: (await awaited()).map(({ lane, since, saidBy }) => ({ lane, since: isoOf(since), saidBy: [...saidBy] })),
    open: (await open()).map(({ last4, lane, amountCents, since }) => ({
      last4,
      lane,
      amountCents: cents(amountCents),
      since: isoOf(since),
    })),
    soldTwice: (await soldTwice()).map(({ last4, sold }) => ({
      last4,
      sold: sold.map(({ lane, amountCents }) => ({ lane, amountCents: cents(amountCents) })),
    })),
  }
}
