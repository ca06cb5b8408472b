import type { CashCount, CountedThing, CountResult, DrawerCount } from '../../contracts/api/shifts.ts'
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
  return {
    cash,
    cardSlips,
    cheques,
    number,
    needsReason: offBy({ cash, cardSlips, cheques }, toleratedCents).length > 0,
  }
}

/** What a recount is left of: a first count that needs a reason. Every other count is final. */
export const recountOf = (result: CountResult, toleratedCents: number): CountedThing[] =>
  result.number === 1 ? offBy(result, toleratedCents) : []

function offBy(
  { cash, cardSlips, cheques }: Pick<CountResult, 'cash' | 'cardSlips' | 'cheques'>,
  toleratedCents: number,
): CountedThing[] {
  const off = ({ differenceCents }: CountResult['cash']): boolean => Math.abs(differenceCents) > toleratedCents
  return [
    ...(off(cash) ? (['cash'] as const) : []),
    ...(off(cardSlips) ? (['card-slips'] as const) : []),
    ...(off(cheques) ? (['cheques'] as const) : []),
  ]
}
