import type { DayTotals, TenderTotals, ZReport } from '../../contracts/api/day-end.ts'
import { miles } from '../../contracts/miles.ts'
import { cents } from '../../contracts/money.ts'
import { TenderKind } from '../../contracts/tenders/registry.ts'
import { localDayAt } from './zone.ts'

type Totals = Pick<ZReport, 'number' | 'totals'>
const sumOf = (amounts: readonly number[]) => cents(amounts.reduce((sum, amount) => sum + amount, 0))
const countOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

/**
 * The day (`2026-11-24`) of a Z, in store time: of when its first drawer was opened, so that a Z at half past midnight
 * is of the evening that it closes.
 */
export const dayOfZ = (openedAt: number, timeZone: string): string => localDayAt(openedAt, timeZone)

/** Ascending numbers as runs without a gap: two drawers may take turns, and a Z of another day stand between. */
export function runsOf(numbers: readonly number[]): { first: number; last: number }[] {
  const runs: { first: number; last: number }[] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run?.last === number - 1) run.last = number
    else runs.push({ first: number, last: number })
  }
  return runs
}

/** What the Zs of a day or a month come to together, oldest first. Throws RangeError where there is none. */
export function totalsOfZs(reports: readonly Totals[]): DayTotals {
  const all = reports.map(({ totals }) => totals)
  const last = all.at(-1)
  if (!last) throw new RangeError('a closing has a Z')
  const count = (of: (totals: DayTotals) => number): number => countOf(all.map(of))
  const amount = (of: (totals: DayTotals) => number) => sumOf(all.map(of))
  return {
    sales: {
      count: count(({ sales }) => sales.count),
      grossCents: amount(({ sales }) => sales.grossCents),
      discountCents: amount(({ sales }) => sales.discountCents),
      netCents: amount(({ sales }) => sales.netCents),
      taxes: taxesOf(all.flatMap(({ sales }) => sales.taxes)),
      totalCents: amount(({ sales }) => sales.totalCents),
      firstId: all.find(({ sales }) => sales.firstId !== null)?.sales.firstId ?? null,
      lastId: all.findLast(({ sales }) => sales.lastId !== null)?.sales.lastId ?? null,
    },
    giftCards: {
      count: count(({ giftCards }) => giftCards.count),
      amountCents: amount(({ giftCards }) => giftCards.amountCents),
    },
    returns: {
      count: count(({ returns }) => returns.count),
      netCents: amount(({ returns }) => returns.netCents),
      taxes: taxesOf(all.flatMap(({ returns }) => returns.taxes)),
      totalCents: amount(({ returns }) => returns.totalCents),
    },
    cancelled: count(({ cancelled }) => cancelled),
    departments: by(
      all.flatMap(({ departments }) => departments),
      ({ id }) => id,
    )
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([id, rows]) => ({
        id,
        soldCents: sumOf(rows.map(({ soldCents }) => soldCents)),
        returnedCents: sumOf(rows.map(({ returnedCents }) => returnedCents)),
        netCents: sumOf(rows.map(({ netCents }) => netCents)),
      })),
    tenders: tendersOf(all.flatMap(({ tenders }) => tenders)),
    openSales: openSalesOf(reports),
    movements: by(
      all.flatMap(({ movements }) => movements),
      ({ kind }) => kind,
    )
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([kind, rows]) => ({
        kind,
        count: countOf(rows.map((row) => row.count)),
        amountCents: sumOf(rows.map(({ amountCents }) => amountCents)),
      })),
    voidedLines: count(({ voidedLines }) => voidedLines),
    priceChanges: count(({ priceChanges }) => priceChanges),
    discounts: count(({ discounts }) => discounts),
    copies: count(({ copies }) => copies),
    miles: {
      redeemed: miles(count((totals) => totals.miles.redeemed)),
      redeemedCents: amount((totals) => totals.miles.redeemedCents),
      issued: miles(count((totals) => totals.miles.issued)),
      // Of the whole lane, whenever their sale was: the last Z has them all.
      unsent: last.miles.unsent,
      undecided: last.miles.undecided,
    },
  }
}

/** At the beginning and at the end of each run: what one Z of it leaves open, the next one finds. */
function openSalesOf(reports: readonly Totals[]): DayTotals['openSales'] {
  const runs = runsOf(reports.map(({ number }) => number))
  const at = (numbers: readonly number[]) =>
    reports.flatMap(({ number, totals }) => (numbers.includes(number) ? [totals.openSales] : []))
  return {
    beforeCents: sumOf(at(runs.map(({ first }) => first)).map(({ beforeCents }) => beforeCents)),
    afterCents: sumOf(at(runs.map(({ last }) => last)).map(({ afterCents }) => afterCents)),
  }
}

/** What belongs together, each under its key, in the order of the first of each. */
const by = <Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): (readonly [Key, readonly Row[]])[] => [
  ...Map.groupBy(rows, keyOf),
]

const taxesOf = (taxes: DayTotals['sales']['taxes']): DayTotals['sales']['taxes'] =>
  by(taxes, ({ code }) => code)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([code, rows]) => ({ code, amountCents: sumOf(rows.map(({ amountCents }) => amountCents)) }))

function tendersOf(tenders: readonly TenderTotals[]): TenderTotals[] {
  return TenderKind.options.flatMap((kind) => {
    const rows = tenders.filter((row) => row.kind === kind)
    if (rows.length === 0) return []
    const counted = (of: (row: TenderTotals) => TenderTotals['taken']) => ({
      count: countOf(rows.map((row) => of(row).count)),
      amountCents: sumOf(rows.map((row) => of(row).amountCents)),
    })
    return [
      {
        kind,
        taken: counted(({ taken }) => taken),
        givenBack: counted(({ givenBack }) => givenBack),
        refunded: counted(({ refunded }) => refunded),
        netCents: sumOf(rows.map(({ netCents }) => netCents)),
        roundingCents: sumOf(rows.map(({ roundingCents }) => roundingCents)),
      },
    ]
  })
}
