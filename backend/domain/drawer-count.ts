import type { CashCount, CountResult, DrawerCount } from '../../contracts/api/shifts.ts'
import { cents, type Cents } from '../../contracts/money.ts'

/** What a drawer should hold, in cents, worked out of what is written. */
export interface ExpectedDrawer {
  readonly cashCents: number
  /** Net of the card slips that were typed: payments less refunds. */
  readonly cardSlipsCents: number
  readonly chequesCents: number
}

/** The sum of a count, in cents. */
export function sumOfCount(count: CashCount): Cents {
  if (count.by === 'sum') return count.cents
  return cents(Object.entries(count.pieces).reduce((sum, [worth, pieces]) => sum + Number(worth) * (pieces ?? 0), 0))
}

/** A count beside what was expected. What was not counted has no difference. */
export function compareCount(
  expected: ExpectedDrawer,
  count: DrawerCount,
  { number, toleratedCents }: { readonly number: number; readonly toleratedCents: number },
): CountResult {
  const compared = (expectedCents: number, countedCents: Cents | null) => ({
    expectedCents: cents(expectedCents),
    countedCents,
    differenceCents: cents(countedCents === null ? 0 : countedCents - expectedCents),
  })
  const cash = compared(expected.cashCents, sumOfCount(count.cash))
  const cardSlips = compared(expected.cardSlipsCents, count.cardSlipsCents)
  const cheques = compared(expected.chequesCents, count.chequesCents)
  const differs = [cash, cardSlips, cheques].some(({ differenceCents }) => differenceCents !== 0)
  return {
    cash,
    cardSlips,
    cheques,
    number,
    mayRecount: number === 1 && differs,
    needsReason: [cash, cardSlips, cheques].some(({ differenceCents }) => Math.abs(differenceCents) > toleratedCents),
  }
}
