import type {
  DayTotals,
  GrandTotals,
  TenderTotals,
  XReport,
  ZReport,
  ZReportList,
} from '../../../contracts/day/day-end.ts'
import type { ReceiptView } from '../../../contracts/sales/sales.ts'
import { StaffId } from '../../../contracts/core/ids.ts'
import { cents, miles } from '../../../contracts/core/money.ts'
import type { PrintState } from '../../../contracts/core/receipt.ts'
import { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { isoOf } from '../../core/clock.ts'
import { zPaper } from '../../core/paper/layout.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import { ProblemError } from '../../core/problem.ts'
import { toSafeOf, type ShiftRow, type ShiftsRepository, shiftRowsOf } from '../../sales/drawer.sql.ts'
import { type ReportFile, fileNamesOf, dayEndDocumentsOf } from './documents.ts'
import { type DayEndRepository, dayEndRowsOf } from './day-end.sql.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { receiptsOf } from '../../payments/receipts/receipts.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

const dayEndStateOf = perLane((ctx: Ctx) => {
  const fileNameOf = fileNamesOf(ctx.profile.store, ctx.lane)
  return {
    fileNameOf,
  }
})

const lastZ = (ctx: Ctx) => dayEndRowsOf(ctx).newest(Number.MAX_SAFE_INTEGER, 1)[0]

function totalsOf(ctx: Ctx, rows: readonly ShiftRow[], before: ReturnType<typeof lastZ>, lastAudit: number): DayTotals {
  const repository = dayEndRowsOf(ctx)
  const sums = repository.sums(rows.map(({ id }) => id))
  const { voidedLines, priceChanges, copies } = repository.audited(before?.lastAudit ?? 0, lastAudit)
  const { unsent, undecided } = openOperations(ctx)
  return {
    sales: {
      count: sums.sales.count,
      grossCents: cents(sums.sales.grossCents),
      discountCents: cents(sums.sales.discountCents),
      netCents: cents(sums.sales.netCents),
      taxes: taxesOf(sums.sales.taxes),
      totalCents: cents(sums.sales.totalCents),
      firstId: sums.sales.firstId,
      lastId: sums.sales.lastId,
    },
    giftCards: { count: sums.giftCards.count, amountCents: cents(sums.giftCards.cents) },
    deposits: {
      count: sums.deposits.count,
      amountCents: cents(sums.deposits.cents),
      returnedCents: cents(sums.deposits.returnedCents),
    },
    empties: { count: sums.empties.count, amountCents: cents(0 - sums.empties.cents) },
    cashOuts: { count: sums.cashOuts.count, amountCents: cents(sums.cashOuts.cents) },
    returns: {
      count: sums.returns.count,
      netCents: cents(sums.returns.netCents),
      taxes: taxesOf(sums.returns.taxes),
      totalCents: cents(sums.returns.totalCents),
    },
    cancelled: sums.cancelled,
    departments: departmentsOf(sums.departments, sums.returned),
    tenders: tendersOf(sums),
    manufacturerCoupons: {
      taken: { count: sums.coupons?.taken ?? 0, amountCents: cents(sums.coupons?.takenCents ?? 0) },
      givenBack: { count: sums.coupons?.back ?? 0, amountCents: cents(0 - (sums.coupons?.backCents ?? 0)) },
    },
    openSales: {
      beforeCents: before?.report.totals.openSales.afterCents ?? cents(0),
      afterCents: cents(sums.paidOnOpenCents),
    },
    movements: sums.movements.map(({ kind, count, cents: amount }) => ({ kind, count, amountCents: cents(amount) })),
    voidedLines,
    priceChanges,
    discounts: sums.discounts,
    copies,
    miles: {
      redeemed: miles(sums.redeemed.miles),
      redeemedCents: cents(sums.redeemed.cents),
      issued: miles(sums.issuedMiles),
      unsent,
      undecided,
    },
  }
}

function openOperations(ctx: Ctx): { unsent: number; undecided: number } {
  const { waiting, sending, attention } = ctx.outbox.journal.counts()
  return { unsent: waiting + sending, undecided: attention }
}

function x(ctx: Ctx): XReport {
  const before = lastZ(ctx)
  const rows = shiftRowsOf(ctx).withoutZ()
  const open = rows.filter(({ countedAt }) => countedAt === null)
  const totals = totalsOf(ctx, rows, before, dayEndRowsOf(ctx).lastAudit())
  // A drawer that may be counted again must not reveal its cash, just as one that was not counted yet.
  const cashHidden = rows.some(({ closedAt }) => closedAt === null)
  return {
    at: isoOf(ctx.clock.now()),
    from: before ? isoOf(before.at) : null,
    openShifts: open.map(({ id, drawerOf, openedAt }) => ({
      id,
      drawerOf: drawerOf === null ? null : StaffId.parse(drawerOf),
      openedAt: isoOf(openedAt),
    })),
    totals: {
      ...totals,
      openSales: cashHidden ? null : totals.openSales,
      tenders: cashHidden ? totals.tenders.filter(({ kind }) => kind !== 'cash') : totals.tenders,
      cashHidden,
    },
  }
}

async function xFile(ctx: Ctx, staffId: string): Promise<ReportFile> {
  const report = x(ctx)
  const madeAt = Date.parse(report.at)
  const moment = localDateTimeAt(madeAt, ctx.profile.timeZone).toString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)
  const document = dayEndDocumentsOf(ctx).ofX(report, staffId, receiptLocaleOf(ctx)())
  return {
    fileName: dayEndStateOf(ctx).fileNameOf('x-report', moment),
    bytes: await receiptsOf(ctx).reportPdf(document, { madeAt, copy: false }),
  }
}

/**
 * Returns a Z as a file, in the language of its paper. The file is marked as a copy, and has the same bytes each time.
 */
async function zFile(ctx: Ctx, number: number): Promise<ReportFile> {
  const receipts = receiptsOf(ctx)
  const row = dayEndRowsOf(ctx).byNumber(number)
  if (!row) throw new ProblemError('not-found')
  const document = dayEndDocumentsOf(ctx).ofZ(row.report, 'file', receipts.localeOf(zPaper(number)))
  return {
    fileName: dayEndStateOf(ctx).fileNameOf('z-report', String(number)),
    bytes: await receipts.reportPdf(document, { madeAt: Date.parse(row.report.at), copy: true }),
  }
}

/**
 * Closes the day: one commit stores the report with its number and marks its shifts. It does not wait for calls that
 * are still to be sent, which the report counts. Throws ProblemError `nothing-to-close`, and `shift-not-closed` for a
 * drawer that was counted and not closed.
 */
function close(ctx: Ctx, staffId: string): ZReport {
  const shifts = shiftRowsOf(ctx)
  const repository = dayEndRowsOf(ctx)
  return ctx.transact((tx) => {
    const all = shifts.withoutZ()
    const rows = all.filter(({ closedAt }) => closedAt !== null)
    if (all.some(({ countedAt, closedAt }) => countedAt !== null && closedAt === null))
      throw new ProblemError('shift-not-closed')
    if (rows.length === 0) throw new ProblemError('nothing-to-close')
    const before = lastZ(ctx)
    const number = repository.next()
    const at = ctx.clock.now()
    ctx.audit.record(tx, { kind: 'day-closed', actorId: staffId, subject: `z-${number}` })
    const lastAudit = repository.lastAudit()
    const totals = totalsOf(ctx, rows, before, lastAudit)
    const { seq, hash, audit: trail } = ctx.outbox.chain.end()
    const report: ZReport = {
      number,
      lane: ctx.lane.id,
      storeName: ctx.profile.store.name,
      at: isoOf(at),
      from: before ? isoOf(before.at) : null,
      closedBy: { id: StaffId.parse(staffId), name: ctx.staffName(staffId) },
      shifts: rows.map((row) => zShiftOf(row, shifts)),
      totals,
      grandTotals: grown(before?.report.grandTotals, totals),
      journal: { seq, hash },
      audit: trail,
    }
    repository.insert(tx, { number, at, staffId, lastAudit, lastEntry: seq, report })
    for (const { id } of rows) shifts.setZ(tx, id, number)
    receiptsOf(ctx).enqueueDocument(
      tx,
      { kind: 'z-report', id: zPaper(number) },
      dayEndDocumentsOf(ctx).ofZ(report, 0, receiptLocaleOf(ctx)()),
      false,
    )
    ctx.transact.afterCommit(() => {
      ctx.publish({ type: 'shifts-changed' })
    })
    return report
  })
}

function list(ctx: Ctx, before: number, limit: number): ZReportList {
  const repository = dayEndRowsOf(ctx)
  const rows = repository.newest(before, limit + 1)
  const waiting = shiftRowsOf(ctx).withoutZ()
  return {
    reports: rows.slice(0, limit).map(({ report }) => ({
      number: report.number,
      at: report.at,
      closedBy: report.closedBy.name,
      sales: report.totals.sales.count,
      totalCents: report.totals.sales.totalCents,
      differenceCents: cents(report.shifts.reduce((sum, { differenceCents }) => sum + differenceCents, 0)),
    })),
    more: rows.length > limit,
    next: repository.next(),
    waiting: {
      closed: waiting.filter(({ closedAt }) => closedAt !== null).length,
      counted: waiting.filter(({ countedAt, closedAt }) => countedAt !== null && closedAt === null).length,
      open: waiting.filter(({ countedAt }) => countedAt === null).length,
    },
  }
}

function get(ctx: Ctx, number: number): ZReport {
  const row = dayEndRowsOf(ctx).byNumber(number)
  if (!row) throw new ProblemError('not-found')
  return row.report
}

/** Prints a Z again; marked as a copy if its original may have been printed. */
function reprint(ctx: Ctx, number: number, actorId: string): { print: PrintState | null } {
  const row = dayEndRowsOf(ctx).byNumber(number)
  if (!row) throw new ProblemError('not-found')
  return receiptsOf(ctx).reprint(
    { kind: 'z-report', id: zPaper(number) },
    { actorId, composed: (copy, locale) => dayEndDocumentsOf(ctx).ofZ(row.report, copy, locale) },
  )
}

/**
 * X and Z reports of the lane. The X has the totals so far. A Z contains every shift that was closed since the previous
 * Z, and Zs are numbered without a gap except after a restore.
 */
export const dayEndOf = perLane((ctx: Ctx) => {
  dayEndStateOf(ctx)
  return {
    ...bound(ctx, {
      /** Totals of all shifts since the last Z. They contain no cash until every drawer is closed. */
      x,
      xFile,
      zFile,
      close,
      list,
      get,
      reprint,
    }),

    /** Returns the document of a Z as it was printed, in its own language. Throws ProblemError `receipt-missing`. */
    receipt: (number: number): ReceiptView => receiptsOf(ctx).view(zPaper(number)),
  }
})

const taxesOf = (taxes: ReturnType<DayEndRepository['sums']>['sales']['taxes']) =>
  taxes.map(({ code, cents: amount }) => ({ code, amountCents: cents(amount) }))

function zShiftOf(row: ShiftRow, shifts: Pick<ShiftsRepository, 'previousOf' | 'deposits'>): ZReport['shifts'][number] {
  const { closing, closedAt, closedBy } = row
  if (!closing || closedAt === null || closedBy === null) throw new Error('a Z contains only closed shifts')
  const { cash } = closing.result
  const { takenCents } = closing
  const countedCents = cash.countedCents ?? cents(0)
  // Cash that earlier shifts left in the drawer is part of the float; only the rest came from the safe.
  const foundCents = row.floatCents + shifts.deposits(row, row.id, row.id) - takenCents
  return {
    id: row.id,
    drawerOf: row.drawerOf === null ? null : StaffId.parse(row.drawerOf),
    openedAt: isoOf(row.openedAt),
    closedAt: isoOf(closedAt),
    closedBy: StaffId.parse(closedBy),
    floatCents: cents(row.floatCents),
    expectedCents: cash.expectedCents,
    countedCents,
    differenceCents: cash.differenceCents,
    broughtCents: cents(foundCents - (shifts.previousOf(row)?.closing?.leftCents ?? 0)),
    toSafeCents: toSafeOf(closing),
    reason: closing.reason,
  }
}

type Sums = ReturnType<DayEndRepository['sums']>

function departmentsOf(sold: Sums['departments'], returned: Sums['returned']): DayTotals['departments'] {
  const ids = [...new Set([...sold, ...returned].map(({ id }) => id))].toSorted()
  const of = (rows: Sums['departments'], id: string): number => rows.find((row) => row.id === id)?.cents ?? 0
  return ids.map((id) => {
    const [soldCents, returnedCents] = [of(sold, id), of(returned, id)]
    return {
      id,
      soldCents: cents(soldCents),
      returnedCents: cents(returnedCents),
      netCents: cents(soldCents - returnedCents),
    }
  })
}

function tendersOf({ tenders, refunds }: Pick<Sums, 'tenders' | 'refunds'>): TenderTotals[] {
  return TenderKind.options.flatMap((kind) => {
    const paid = tenders.find((row) => row.kind === kind)
    const back = refunds.find((row) => row.kind === kind)
    if (!paid && !back) return []
    const refundedCents = back?.cents ?? 0
    return [
      {
        kind,
        taken: { count: paid?.taken ?? 0, amountCents: cents(paid?.takenCents ?? 0) },
        givenBack: { count: paid?.back ?? 0, amountCents: cents(0 - (paid?.backCents ?? 0)) },
        refunded: { count: back?.count ?? 0, amountCents: cents(refundedCents) },
        netCents: cents((paid?.takenCents ?? 0) + (paid?.backCents ?? 0) - refundedCents),
        roundingCents: cents((paid?.roundingCents ?? 0) - (back?.roundingCents ?? 0)),
      },
    ]
  })
}

const grown = (before: GrandTotals | undefined, { sales, returns }: DayTotals): GrandTotals => ({
  sales: (before?.sales ?? 0) + sales.count,
  salesCents: cents((before?.salesCents ?? 0) + sales.totalCents),
  returns: (before?.returns ?? 0) + returns.count,
  returnsCents: cents((before?.returnsCents ?? 0) + returns.totalCents),
})
