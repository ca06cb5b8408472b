import type {
  Closing,
  ClosingList,
  ClosingPaper,
  ClosingSpan,
  DayTotals,
  TenderTotals,
  ZReport,
} from '../../../contracts/day/day-end.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { cents, miles } from '../../../contracts/core/money.ts'
import type { PrintState } from '../../../contracts/core/receipt.ts'
import { closingOf, closingPaper } from '../../core/paper/layout.ts'
import { ProblemError } from '../../core/problem.ts'
import { type ReportFile, fileNamesOf, dayEndDocumentsOf } from './documents.ts'
import { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { localDayAt } from '../../core/zone.ts'
import { dayEndRowsOf } from './day-end.sql.ts'
import { shiftRowsOf } from '../../sales/drawer.sql.ts'
import { receiptsOf } from '../../payments/receipts/receipts.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

export type Closings = ReturnType<typeof closingsOf>

const LENGTH: Readonly<Record<ClosingSpan, number>> = { day: '2026-11-24'.length, month: '2026-11'.length }

const closingsStateOf = perLane((ctx: Ctx) => {
  const fileNameOf = fileNamesOf(ctx.profile.store, ctx.lane)
  return {
    fileNameOf,
  }
})

const dayOf = (ctx: Ctx, openedAt: number): string => dayOfZ(openedAt, ctx.profile.timeZone)

function periods(ctx: Ctx, span: ClosingSpan): Map<string, number[]> {
  const found = Map.groupBy(dayEndRowsOf(ctx).openings(), ({ openedAt }) => dayOf(ctx, openedAt).slice(0, LENGTH[span]))
  return new Map([...found].map(([period, zs]) => [period, zs.map(({ number }) => number)]))
}

/** The first day that may still get a Z: today, or the day of the oldest drawer that no Z contains yet. */
function firstUnfinishedDay(ctx: Ctx): string {
  const days = [
    ctx.clock.now(),
    ...shiftRowsOf(ctx)
      .withoutZ()
      .map(({ openedAt }) => openedAt),
  ].map((openedAt) => dayOf(ctx, openedAt))
  return days.reduce((first, day) => (day < first ? day : first))
}

const endsBefore = (period: string, day: string): boolean => period < day.slice(0, period.length)

/**
 * Returns the closing of a period from its Zs up to `lastZ`. Throws ProblemError `not-found` for a period without a Z.
 */
function get(ctx: Ctx, period: string, lastZ = Number.MAX_SAFE_INTEGER): Closing {
  const all = periods(ctx, period.length === LENGTH.day ? 'day' : 'month').get(period) ?? []
  const numbers = all.filter((number) => number <= lastZ)
  const reports = dayEndRowsOf(ctx)
    .byNumbers(numbers)
    .map(({ report }) => report)
  const last = reports.at(-1)
  if (!last) throw new ProblemError('not-found')
  const drawers = reports.flatMap((report) => report.shifts)
  return {
    period,
    isOver: endsBefore(period, firstUnfinishedDay(ctx)),
    from: drawers.reduce((earliest, { openedAt }) => (openedAt < earliest ? openedAt : earliest), last.at),
    at: last.at,
    closedBy: last.closedBy.name,
    zs: rangesOf(numbers),
    shifts: drawers.length,
    countedCents: sum(drawers.map(({ countedCents }) => countedCents)),
    differenceCents: sum(drawers.map(({ differenceCents }) => differenceCents)),
    totals: totalsOfZs(reports),
    grandTotals: last.grandTotals,
  }
}

function printedClosing(ctx: Ctx, period: string, lastZ: number): Closing | null {
  const closing = { ...get(ctx, period, lastZ), isOver: false }
  return receiptsOf(ctx).printState(paperIdOf(closing)) === null ? null : closing
}

/**
 * Language of the closing's first printed paper; if none was printed, the language in which it would be printed now.
 */
const localeOf = (ctx: Ctx, id: string): Locale =>
  receiptsOf(ctx).printState(id) === null ? receiptLocaleOf(ctx)() : receiptsOf(ctx).localeOf(id)

function list(ctx: Ctx, span: ClosingSpan, before: string | null, limit: number): ClosingList {
  const found = [...periods(ctx, span)]
    .filter(([period]) => before === null || period < before)
    .toSorted(([one], [other]) => (one < other ? 1 : -1))
  const page = found.slice(0, limit)
  const figures = new Map(
    dayEndRowsOf(ctx)
      .figures(page.flatMap(([, zs]) => zs))
      .map((one) => [one.number, one]),
  )
  const unfinished = firstUnfinishedDay(ctx)
  return {
    closings: page.map(([period, numbers]) => {
      const zs = numbers.flatMap((number) => figures.get(number) ?? [])
      return {
        period,
        isOver: endsBefore(period, unfinished),
        zs: rangesOf(numbers),
        sales: zs.reduce((total, { sales }) => total + sales, 0),
        totalCents: sum(zs.map(({ totalCents }) => totalCents)),
        returnedCents: sum(zs.map(({ returnedCents }) => returnedCents)),
        differenceCents: sum(zs.map(({ differenceCents }) => differenceCents)),
      }
    }),
    more: found.length > limit,
  }
}

function paper(ctx: Ctx, period: string): ClosingPaper {
  const closing = get(ctx, period)
  const id = paperIdOf(closing)
  return {
    id,
    print: receiptsOf(ctx).printState(id),
    document: dayEndDocumentsOf(ctx).ofClosing(closing, 0, localeOf(ctx, id)),
  }
}

/**
 * Returns a closing as a file, in the language of its paper. After its period is over, the file is marked as a copy, as
 * a Z's file is.
 */
async function file(ctx: Ctx, period: string): Promise<ReportFile> {
  const closing = get(ctx, period)
  const document = dayEndDocumentsOf(ctx).ofClosing(
    closing,
    closing.isOver ? 'file' : 0,
    localeOf(ctx, paperIdOf(closing)),
  )
  return {
    fileName: closingsStateOf(ctx).fileNameOf('closing', closing.isOver ? period : `${period}-Z${lastOf(closing)}`),
    bytes: await receiptsOf(ctx).reportPdf(document, { madeAt: Date.parse(closing.at), copy: closing.isOver }),
  }
}

/**
 * Prints the closing of a period, or prints a closing again as it was printed earlier in the period. The first print of
 * each is the original; later prints are marked as copies.
 */
function print(ctx: Ctx, asked: string, staffId: string): { print: PrintState } {
  const receipts = receiptsOf(ctx)
  const documents = dayEndDocumentsOf(ctx)
  const { period, soFar } = closingOf(asked)
  const closing = (soFar === null ? null : printedClosing(ctx, period, soFar)) ?? get(ctx, period)
  const paper = { kind: 'closing', id: paperIdOf(closing) } as const
  if (receipts.printState(paper.id) !== null)
    return receipts.reprint(paper, {
      actorId: staffId,
      composed: (copy, locale) => documents.ofClosing(closing, copy, locale),
    })
  ctx.transact((tx) => {
    receipts.enqueueDocument(tx, paper, documents.ofClosing(closing, 0, receiptLocaleOf(ctx)()), false)
    ctx.audit.record(tx, { kind: 'closing-printed', actorId: staffId, subject: paper.id })
  })
  return { print: 'queued' }
}

/** Daily and monthly closings of the lane. They are calculated from the Zs, which never change, each time. */
export const closingsOf = perLane((ctx: Ctx) => {
  closingsStateOf(ctx)
  return {
    ...bound(ctx, {
      list,
      paper,
      file,
      print,
    }),

    get: (period: string): Closing => get(ctx, period),
  }
})

const lastOf = ({ zs }: Closing): number => zs.at(-1)?.last ?? 0

const paperIdOf = (closing: Closing): string => closingPaper(closing.period, lastOf(closing), closing.isOver)

const sum = (amounts: readonly number[]) => cents(amounts.reduce((total, amount) => total + amount, 0))

type Totals = Pick<ZReport, 'number' | 'totals'>
const sumOf = (amounts: readonly number[]) => cents(amounts.reduce((sum, amount) => sum + amount, 0))
const countOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

/**
 * Returns the day (`2026-11-24`) to which a Z belongs: when its first drawer was opened, in store time. A Z at half
 * past midnight therefore belongs to the day before.
 */
export const dayOfZ = (openedAt: number, timeZone: string): string => localDayAt(openedAt, timeZone)

/**
 * Joins ascending Z numbers to ranges of consecutive numbers. If two drawers alternate, a Z of another day may be
 * numbered between two Zs of a day.
 */
export function rangesOf(numbers: readonly number[]): { first: number; last: number }[] {
  const runs: { first: number; last: number }[] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run?.last === number - 1) run.last = number
    else runs.push({ first: number, last: number })
  }
  return runs
}

/** Sums the Zs of a day or a month, oldest first. Throws RangeError without a Z. */
export function totalsOfZs(reports: readonly Totals[]): DayTotals {
  const all = reports.map(({ totals }) => totals)
  const last = all.at(-1)
  if (!last) throw new RangeError('a closing needs at least one Z')
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
    deposits: {
      count: count(({ deposits }) => deposits.count),
      amountCents: amount(({ deposits }) => deposits.amountCents),
      returnedCents: amount(({ deposits }) => deposits.returnedCents),
    },
    empties: {
      count: count(({ empties }) => empties.count),
      amountCents: amount(({ empties }) => empties.amountCents),
    },
    cashOuts: {
      count: count(({ cashOuts }) => cashOuts.count),
      amountCents: amount(({ cashOuts }) => cashOuts.amountCents),
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
    manufacturerCoupons: {
      taken: {
        count: count(({ manufacturerCoupons }) => manufacturerCoupons.taken.count),
        amountCents: amount(({ manufacturerCoupons }) => manufacturerCoupons.taken.amountCents),
      },
      givenBack: {
        count: count(({ manufacturerCoupons }) => manufacturerCoupons.givenBack.count),
        amountCents: amount(({ manufacturerCoupons }) => manufacturerCoupons.givenBack.amountCents),
      },
    },
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
      // Numbers of unsent and undecided calls are those of the lane at the last Z, so they are not summed.
      unsent: last.miles.unsent,
      undecided: last.miles.undecided,
    },
  }
}

/**
 * Sums the payments on open sales at the start and at the end of each range of consecutive Z numbers. Inside a range,
 * the amount at the end of one Z is that at the start of the next.
 */
function openSalesOf(reports: readonly Totals[]): DayTotals['openSales'] {
  const runs = rangesOf(reports.map(({ number }) => number))
  const at = (numbers: readonly number[]) =>
    reports.flatMap(({ number, totals }) => (numbers.includes(number) ? [totals.openSales] : []))
  return {
    beforeCents: sumOf(at(runs.map(({ first }) => first)).map(({ beforeCents }) => beforeCents)),
    afterCents: sumOf(at(runs.map(({ last }) => last)).map(({ afterCents }) => afterCents)),
  }
}

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
