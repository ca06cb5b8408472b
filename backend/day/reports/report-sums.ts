import type {
  Breakdown,
  BreakdownRow,
  ReportFigure,
  ReportMiles,
  ReportSummary,
} from '../../../contracts/day/reports.ts'
import { BREAKDOWNS, type BreakdownKind, breakdownRows, hasMoney } from '../../../contracts/day/report-kinds.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import { cents, miles } from '../../../contracts/core/money.ts'

/**
 * Columns to which a figure is added. Both, if its day is in the range and also a week before another day of the range.
 */
export interface Columns {
  readonly now: boolean
  readonly compared: boolean
}

/**
 * Maximum number of rows in a list. All further rows are summed in one, because a large store sells thousands of items
 * a year.
 */
const MAX_ROWS = 500

type Tally = { count: number; cents: number }
interface Row {
  readonly now: Tally
  readonly before: Tally
  name: string | Names | null
  /** Sum of the measured quantities in thousandths, by the symbol of their unit. */
  readonly measured: Map<string, { now: number; before: number }>
}
type Totals = { -readonly [Name in keyof ReportSummary]: number }
type Moved = { -readonly [Name in keyof ReportMiles]: number }

const nothing = (): Totals => ({
  sales: 0,
  grossCents: 0,
  discountCents: 0,
  netCents: 0,
  taxCents: 0,
  totalCents: 0,
  giftCardCents: 0,
  depositCents: 0,
  emptiesCents: 0,
  returns: 0,
  returnCents: 0,
})
const noMovements = (): Moved => ({
  issued: 0,
  redeemed: 0,
  redeemedCents: 0,
  redeemedSales: 0,
  unsent: 0,
  undecided: 0,
})

export type ReportSums = ReturnType<typeof createReportSums>

/**
 * Sums a report in whole cents and counts, in two columns: `now`, the requested days, and `before`, the week before.
 */
export function createReportSums() {
  const rows = new Map<BreakdownKind, Map<string, Row>>(BREAKDOWNS.map((kind) => [kind, new Map<string, Row>()]))
  const summary = { now: nothing(), before: nothing() }
  const moved = { now: noMovements(), before: noMovements() }

  function rowOf(kind: BreakdownKind, id: string): Row {
    const ofKind = rows.get(kind)
    if (!ofKind) throw new Error(`no breakdown by ${kind}`)
    const known = ofKind.get(id)
    if (known) return known
    const row: Row = { now: { count: 0, cents: 0 }, before: { count: 0, cents: 0 }, name: null, measured: new Map() }
    ofKind.set(id, row)
    return row
  }
  const columns = ({ now, compared }: Columns): readonly ('now' | 'before')[] =>
    now ? (compared ? ['now', 'before'] : ['now']) : compared ? ['before'] : []

  function addTo<Key extends string>(sums: Record<Key, number>, more: Partial<Record<Key, number>>): void {
    for (const key of Object.keys(more) as Key[]) sums[key] += more[key] ?? 0
  }

  return {
    add(kind: BreakdownKind, id: string, to: Columns, count: number, amount: number): Row {
      const row = rowOf(kind, id)
      for (const column of columns(to)) {
        row[column].count += count
        row[column].cents += amount
      }
      return row
    },
    /** Adds a quantity of an item sold by measure. */
    addMeasured(sku: string, to: Columns, symbol: string, thousandths: number): void {
      const { measured } = rowOf('items', sku)
      const sum = measured.get(symbol) ?? { now: 0, before: 0 }
      for (const column of columns(to)) sum[column] += thousandths
      measured.set(symbol, sum)
    },
    /** A day and the same weekday a week earlier share a row, under the id of the later day. */
    addOfDay(id: string, column: 'now' | 'before', count: number, amount: number): void {
      const tally = rowOf('days', id)[column]
      tally.count += count
      tally.cents += amount
    },
    addTotals(to: Columns, more: Partial<Totals>): void {
      for (const column of columns(to)) addTo(summary[column], more)
    },
    addMiles(to: Columns, more: Partial<Moved>): void {
      for (const column of columns(to)) addTo(moved[column], more)
    },
    summary: (): { now: ReportSummary; before: ReportSummary } => ({
      now: branded(summary.now),
      before: branded(summary.before),
    }),
    miles: (): { now: ReportMiles; before: ReportMiles } => ({
      now: brandedMiles(moved.now),
      before: brandedMiles(moved.before),
    }),
    breakdowns: (): Record<BreakdownKind, Breakdown> =>
      Object.fromEntries(
        BREAKDOWNS.map((kind) => [kind, breakdownOf(kind, rows.get(kind) ?? new Map<string, Row>())]),
      ) as Record<BreakdownKind, Breakdown>,
  }
}

function breakdownOf(kind: BreakdownKind, all: ReadonlyMap<string, Row>): Breakdown {
  const money = hasMoney(kind)
  const weight = ({ now, before }: Row): number => {
    const [most, other] = money ? [now.cents, before.cents] : [now.count, before.count]
    return Math.abs(most) || Math.abs(other) / 1e6
  }
  const entries = [...all].filter(
    ([, { now, before }]) => now.count !== 0 || before.count !== 0 || now.cents !== 0 || before.cents !== 0,
  )
  // Hours and days are in order of time, other rows by amount or count.
  const isInOrder = breakdownRows(kind) === 'hour' || breakdownRows(kind) === 'day'
  const ordered = isInOrder
    ? entries.toSorted(([one], [other]) => (one < other ? -1 : 1))
    : entries.toSorted(([one, a], [other, b]) => weight(b) - weight(a) || (one < other ? -1 : 1))
  const rest = ordered.slice(MAX_ROWS).map(([, row]) => row)
  return {
    money,
    rows: ordered.slice(0, MAX_ROWS).map(([id, { name, now, before, measured }]): BreakdownRow => ({
      id,
      name,
      now: figure(now),
      before: figure(before),
      ...(measured.size === 0 ? {} : { measured: [...measured].map(([symbol, sums]) => ({ symbol, ...sums })) }),
    })),
    others:
      rest.length === 0
        ? null
        : {
            rows: rest.length,
            now: figure(together(rest.map(({ now }) => now))),
            before: figure(together(rest.map(({ before }) => before))),
          },
  }
}

const figure = ({ count, cents: amount }: Tally): ReportFigure => ({ count, cents: cents(amount) })
const together = (tallies: readonly Tally[]): Tally =>
  tallies.reduce((sum, { count, cents: amount }) => ({ count: sum.count + count, cents: sum.cents + amount }), {
    count: 0,
    cents: 0,
  })

const branded = ({ sales, returns, ...amounts }: Totals): ReportSummary => ({
  sales,
  returns,
  grossCents: cents(amounts.grossCents),
  discountCents: cents(amounts.discountCents),
  netCents: cents(amounts.netCents),
  taxCents: cents(amounts.taxCents),
  totalCents: cents(amounts.totalCents),
  giftCardCents: cents(amounts.giftCardCents),
  depositCents: cents(amounts.depositCents),
  emptiesCents: cents(amounts.emptiesCents),
  returnCents: cents(amounts.returnCents),
})

const brandedMiles = ({ issued, redeemed, redeemedCents, ...counts }: Moved): ReportMiles => ({
  ...counts,
  issued: miles(issued),
  redeemed: miles(redeemed),
  redeemedCents: cents(redeemedCents),
})
