import { createHash } from 'node:crypto'
import {
  BusinessDay,
  type MarkSent,
  type ReconciliationDay,
  type ReconciliationDays,
  type ReconciliationExport,
  ReconciliationReport,
  type ReconciliationRow,
} from '../../../contracts/loyalty/reconciliation.ts'
import { cents, miles } from '../../../contracts/core/money.ts'
import { isoOf } from '../../core/clock.ts'
import type { Tx } from '../../core/db/transact.ts'
import {
  Approval,
  approvalRow,
  businessDayOf,
  dayAt,
  reportCsv,
  reportFileName,
  totalsOf,
} from './approvals-on-retry.ts'
import { ProblemError } from '../../core/problem.ts'
import { refuseNumbers } from '../queue/queue-actions.ts'
import type { ApprovalOf } from '../../store/read-fact.ts'
import { type ApprovalRow, type LedgerSum, reconciliationRowsOf } from './reconciliation.sql.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { onStart, runLater } from '../../core/lifecycle.ts'
import type { App } from '../../core/http/app.ts'
import { reconciliationContract } from '../../../contracts/loyalty/queue.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'

/** Number of days that the page shows: half a year, because the operator has closed older days by then. */
const DAYS_SHOWN = 183
const MAX_CLOSINGS = 40

export type Reconciliation = ReturnType<typeof reconciliationOf>

const rowOf = (ctx: Ctx, row: ApprovalRow): ReconciliationRow => approvalRow(row, ctx.outbox.journal)

function waiting(ctx: Ctx): Map<BusinessDay, ApprovalRow[]> {
  const repository = reconciliationRowsOf(ctx)
  const reported = repository.reportedDays()
  const days = new Map<BusinessDay, ApprovalRow[]>()
  for (const row of repository.unreported()) {
    const day = businessDayOf(row.approvedAt, ctx.profile.timeZone, reported)
    days.set(day, [...(days.get(day) ?? []), row])
  }
  return days
}

const today = (ctx: Ctx): BusinessDay => dayAt(ctx.clock.now(), ctx.profile.timeZone)

const sealOf = (rows: readonly ReconciliationRow[]): Buffer =>
  createHash('sha256').update(JSON.stringify(rows)).digest()

function reportOf(ctx: Ctx, businessDay: BusinessDay, rows: readonly ReconciliationRow[]): ReconciliationReport {
  return {
    businessDay,
    status: 'preview',
    copy: 0,
    exportedAt: null,
    exportedBy: null,
    sameAsOriginal: null,
    store: { id: ctx.profile.store.id, name: ctx.profile.store.name },
    lane: ctx.lane.id,
    rows: [...rows],
    totals: totalsOf(rows),
  }
}

function rowsOf(ctx: Ctx, day: BusinessDay): ReconciliationRow[] {
  const repository = reconciliationRowsOf(ctx)
  const original = repository.originalOf(day)
  const rows = original ? repository.reportedIn(original.id) : (waiting(ctx).get(day) ?? [])
  return rows.map((row) => rowOf(ctx, row))
}

function totalsWaiting(rows: readonly ApprovalRow[]): LedgerSum {
  const { units: _units, ...totals } = totalsOf(rows.map(({ detail }) => Approval.parse(JSON.parse(detail))))
  return totals
}

function days(ctx: Ctx): ReconciliationDay[] {
  const originals = reconciliationRowsOf(ctx).originals(DAYS_SHOWN)
  const exported = originals.map((original): ReconciliationDay => ({
    businessDay: BusinessDay.parse(original.businessDay),
    state: original.sentAt === null ? 'exported' : 'sent',
    totals: { rows: original.rows, amountCents: cents(original.amountCents), miles: miles(original.miles) },
    exportedAt: isoOf(original.at),
    exportedBy: original.staffId === null ? null : ctx.staffName(original.staffId),
    copies: original.copies,
    sentAt: original.sentAt === null ? null : isoOf(original.sentAt),
    sentBy: original.sentBy === null ? null : ctx.staffName(original.sentBy),
  }))
  const now = today(ctx)
  const others = [...waiting(ctx)].map(([businessDay, rows]): ReconciliationDay => {
    const { rows: count, amountCents, miles: sum } = totalsWaiting(rows)
    return {
      businessDay,
      state: businessDay < now ? 'due' : 'open',
      totals: { rows: count, amountCents: cents(amountCents), miles: miles(sum) },
      exportedAt: null,
      exportedBy: null,
      copies: 0,
      sentAt: null,
      sentBy: null,
    }
  })
  return [...others, ...exported]
    .toSorted((one, other) => other.businessDay.localeCompare(one.businessDay))
    .slice(0, DAYS_SHOWN)
}

function ledger(ctx: Ctx): ReconciliationDays['ledger'] {
  const repository = reconciliationRowsOf(ctx)
  const [approved, reported] = [repository.ledger(), repository.reportedSum()]
  const open = totalsWaiting(repository.unreported())
  const ties = (['rows', 'amountCents', 'miles'] as const).every((of) => approved[of] === reported[of] + open[of])
  return { approved: branded(approved), reported: branded(reported), waiting: branded(open), ties }
}

function make(ctx: Ctx, tx: Tx, day: BusinessDay, staffId: string | null): ReconciliationReport {
  const repository = reconciliationRowsOf(ctx)
  const original = repository.originalOf(day)
  const rows = rowsOf(ctx, day)
  const copy = original ? original.copies + 1 : 0
  const at = ctx.clock.now()
  const sha256 = sealOf(rows)
  const report: ReconciliationReport = {
    ...reportOf(ctx, day, rows),
    status: original ? 'copy' : 'original',
    copy,
    exportedAt: isoOf(at),
    exportedBy: staffId === null ? null : ctx.staffName(staffId),
    sameAsOriginal: original ? original.sha256.equals(sha256) : null,
  }
  const { totals } = report
  const id = repository.insert(tx, {
    businessDay: day,
    at,
    staffId,
    copy,
    rows: totals.rows,
    amountCents: totals.amountCents,
    miles: totals.miles,
    sha256,
    report: original ? null : JSON.stringify(report),
  })
  if (!original) for (const { operationId } of rows) repository.mark(tx, operationId, id)
  ctx.audit.record(tx, {
    kind: staffId === null ? 'reconciliation-made' : 'reconciliation-export',
    actorId: staffId,
    subject: day,
    detail: { copy, rows: totals.rows, amountCents: totals.amountCents, miles: totals.miles },
  })
  return report
}

const asFile = (report: ReconciliationReport): ReconciliationExport => ({
  report,
  csv: reportCsv(report),
  fileName: reportFileName(report),
})

function original(ctx: Ctx, day: BusinessDay): ReconciliationExport {
  const stored = reconciliationRowsOf(ctx).storedReport(day)
  if (stored === undefined) throw new ProblemError('not-found')
  return asFile(ReconciliationReport.parse(JSON.parse(stored)))
}

/**
 * Makes the originals of finished days that have approvals on a retry or were closed by a Z (these may be empty).
 * Returns the number of originals. Tries all days, and then throws the first failure.
 */
function makeDue(ctx: Ctx): number {
  const repository = reconciliationRowsOf(ctx)
  const now = today(ctx)
  const reported = repository.reportedDays()
  const closed = repository.closedAt(MAX_CLOSINGS).map((at) => dayAt(at, ctx.profile.timeZone))
  const due = [...new Set([...closed, ...waiting(ctx).keys()])]
    .filter((day) => day < now && !reported.has(day))
    .toSorted((one, other) => one.localeCompare(other))
  const failures: unknown[] = []
  for (const day of due) {
    try {
      ctx.transact((tx) => {
        make(ctx, tx, day, null)
      })
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return due.length
}

/** Marks the original of a day as sent. Throws ProblemError `note-holds-number`, `not-found`, `report-sent-already`. */
function markSent(ctx: Ctx, day: BusinessDay, staffId: string, { note }: MarkSent): void {
  const repository = reconciliationRowsOf(ctx)
  refuseNumbers(note)
  ctx.transact((tx) => {
    const original = repository.originalOf(day)
    if (!original) throw new ProblemError('not-found')
    if (original.sentAt !== null) throw new ProblemError('report-sent-already')
    repository.insertSent(tx, { id: original.id, at: ctx.clock.now(), staffId, note })
    ctx.audit.record(tx, { kind: 'reconciliation-sent', actorId: staffId, subject: day, detail: { note } })
  })
}

/**
 * Reconciliation reports for the service operator (specification 3 §4.5 rule 6). They contain exactly the approvals on
 * the one retry, including approvals that were reversed later. Only a finished day has an original, so that a sent
 * report never misses an approval.
 */
export const reconciliationOf = perLane((ctx: Ctx) => ({
  ...bound(ctx, {
    days,
    ledger,
    original,
    makeDue,
    markSent,
  }),

  preview: (day: BusinessDay): ReconciliationReport => reportOf(ctx, day, rowsOf(ctx, day)),

  /**
   * Makes the original on the first call for a day and marks its approvals as reported; later calls make copies. Throws
   * `day-not-over`, `not-found`.
   */
  export: (day: BusinessDay, staffId: string): ReconciliationExport =>
    ctx.transact((tx) => {
      const original = reconciliationRowsOf(ctx).originalOf(day)
      // A day with an original was over when it was made, so a copy is allowed even if the clock was set back since.
      if (!original && day >= today(ctx)) throw new ProblemError('day-not-over')
      if (!original && rowsOf(ctx, day).length === 0) throw new ProblemError('not-found')
      return asFile(make(ctx, tx, day, staffId))
    }),
}))

const branded = ({ rows, amountCents, miles: count }: LedgerSum) => ({
  rows,
  amountCents: cents(amountCents),
  miles: miles(count),
})

export function approvalRowsOf(ctx: Ctx): ApprovalOf {
  const { approvalOf } = reconciliationRowsOf(ctx)
  return (operationId) => {
    const approval = approvalOf(operationId)
    if (!approval) return null
    return {
      businessDay: dayAt(approval.approvedAt, ctx.profile.timeZone),
      row: approvalRow(approval, ctx.outbox.journal),
    }
  }
}

const CHECK_MS = 60_000

/** Makes the reconciliation report of each finished day automatically, within a minute or at the next start. */
export const dailyReportsOf = perLane((ctx: Ctx) => {
  const { log } = ctx
  const reconciliation = reconciliationOf(ctx)
  const isStopped = () => ctx.outbox.failStop.reason !== null

  function exportClosedDays(): void {
    try {
      if (!isStopped() && reconciliation.makeDue() > 0) log.info('made reconciliation reports of finished days')
    } catch (error) {
      log.error({ err: error }, 'could not make the reconciliation report of a day: trying again in a minute')
    }
    runLater(ctx, CHECK_MS, exportClosedDays)
  }

  onStart(ctx, exportClosedDays)
})

export function reconciliationRoutes(ctx: Ctx, app: App): void {
  const reconciliation = reconciliationOf(ctx)
  serve(app, reconciliationContract['GET /reconciliation/days'], () => ({
    days: reconciliation.days(),
    ledger: reconciliation.ledger(),
  }))

  serve(app, reconciliationContract['GET /reconciliation/days/:day'], (request) =>
    reconciliation.preview(request.params.day),
  )

  serve(app, reconciliationContract['GET /reconciliation/days/:day/original'], (request) =>
    reconciliation.original(request.params.day),
  )

  serve(app, reconciliationContract['POST /reconciliation/days/:day/sent'], (request) => {
    reconciliation.markSent(request.params.day, signedIn(request).id, request.body)
    return { days: reconciliation.days(), ledger: reconciliation.ledger() }
  })

  serve(app, reconciliationContract['POST /reconciliation/days/:day/exports'], (request) =>
    reconciliation.export(request.params.day, signedIn(request).id),
  )
}
