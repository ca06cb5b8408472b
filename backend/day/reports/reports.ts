import type {
  ReportExport,
  ReportExportRequest,
  ReportRange,
  ReportRun,
  Breakdown,
  Report,
} from '../../../contracts/day/reports.ts'
import { BREAKDOWNS, type BreakdownKind, breakdownRows } from '../../../contracts/day/report-kinds.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { isoOf } from '../../core/clock.ts'
import { type DatedPostings, accountingPieces, breakdownCsv, postingsOf, reportJson } from './accounting.ts'
import { dayOfZ } from '../day-end/closings.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import { departmentNames } from '../../catalog/gift-card.ts'
import { ProblemError } from '../../core/problem.ts'
import { type ReadingUnderWay, readReportInWorker } from './read-in-worker.ts'
import { daysOf } from './read-report.ts'
import { Readable } from 'node:stream'
import type { App } from '../../core/http/app.ts'
import { reportsContract } from '../../../contracts/day/day.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { accountingRowsOf } from './reports.sql.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { onStop } from '../../core/lifecycle.ts'

interface RequestedExport {
  readonly request: ReportExportRequest
  readonly staffId: string
  readonly at: number
  readonly locale: Locale
}
export interface ReportFile {
  readonly format: 'csv' | 'json'
  readonly fileName: string
  readonly pieces: AsyncIterable<string> | Iterable<string>
}

/** Maximum number of reports in memory. A page that asks for an older one starts the report again. */
const MAX_RUNS = 2
const MAX_PENDING_EXPORTS = 20
const PATH_CHARACTERS = /[^A-Za-z0-9-]/g

export type Reports = ReturnType<typeof reportsOf>

const reportsStateOf = perLane(() => {
  const runs = new Map<number, ReportRun>()
  const pendingExports = new Map<number, RequestedExport>()
  return {
    runs,
    pendingExports,
    underWay: null as { readonly id: number; readonly reading: ReadingUnderWay } | null,
    newest: 0,
  }
})

function runOf(ctx: Ctx, id: number): ReportRun {
  const run = reportsStateOf(ctx).runs.get(id)
  if (!run) throw new ProblemError('not-found')
  return run
}

function change(ctx: Ctx, id: number, changed: Partial<ReportRun>): void {
  const state = reportsStateOf(ctx)
  const run = state.runs.get(id)
  if (run?.state === 'running') state.runs.set(id, { ...run, ...changed })
}

function ended(ctx: Ctx, id: number, changed: Partial<ReportRun>): void {
  const state = reportsStateOf(ctx)
  if (state.underWay?.id === id) state.underWay = null
  change(ctx, id, changed)
}

function stop(ctx: Ctx): void {
  const state = reportsStateOf(ctx)
  if (!state.underWay) return
  const { id, reading } = state.underWay
  ended(ctx, id, { state: 'cancelled' })
  reading.stop()
}

function named(ctx: Ctx, report: Report): Report {
  const departments = departmentNames(ctx.profile.catalog)
  const nameOf = (kind: BreakdownKind, id: string): Breakdown['rows'][number]['name'] => {
    const rows = breakdownRows(kind)
    return rows === 'department' ? (departments.get(id) ?? id) : rows === 'person' ? ctx.staffName(id) : null
  }
  const breakdowns = { ...report.breakdowns }
  for (const kind of BREAKDOWNS) {
    const { rows, ...rest } = breakdowns[kind]
    breakdowns[kind] = { ...rest, rows: rows.map((row) => ({ ...row, name: row.name ?? nameOf(kind, row.id) })) }
  }
  return { ...report, breakdowns }
}

function* postings(ctx: Ctx, range: ReportRange): Generator<DatedPostings> {
  // Selects Zs by the day of their first drawer, as the closings do: the accounting export of a month then has the Zs
  // of the month's closing.
  const isOfRange = (openedAt: number): boolean => {
    const day = dayOfZ(openedAt, ctx.profile.timeZone)
    return day >= range.from && day <= range.to
  }
  for (const { report, openedAt, lateCreditCents } of accountingRowsOf(ctx).zReports(isOfRange))
    yield {
      ...postingsOf(report, ctx.profile.accounting, lateCreditCents),
      businessDay: dayOfZ(openedAt, ctx.profile.timeZone),
      localTime: localDateTimeAt(Date.parse(report.at), ctx.profile.timeZone).toString({ smallestUnit: 'second' }),
    }
}

function fileNameOf(ctx: Ctx, { request }: Pick<RequestedExport, 'request'>): string {
  const { range } = request.of === 'report' ? runOf(ctx, request.run) : request
  const what = request.of === 'accounting' ? 'accounting' : request.format === 'csv' ? request.by : 'report'
  const store = ctx.profile.store.id.replaceAll(PATH_CHARACTERS, '-')
  return `${what}_${store}_lane-${ctx.lane.id}_${range.from}_${range.to}.${request.format}`
}

function piecesOf(ctx: Ctx, { request, at, locale }: RequestedExport): ReportFile['pieces'] {
  const facts = { store: ctx.profile.store.id, lane: ctx.lane.id, exportedAt: isoOf(at) }
  if (request.of === 'accounting') return accountingPieces(request.format, facts, postings(ctx, request.range))
  const { report } = runOf(ctx, request.run)
  if (!report) throw new ProblemError('not-found')
  return [request.format === 'csv' ? breakdownCsv(report, request.by, locale) : reportJson(report, facts)]
}

function start(ctx: Ctx, range: ReportRange): ReportRun {
  const state = reportsStateOf(ctx)
  stop(ctx)
  const id = (state.newest += 1)
  const until = ctx.clock.now()
  const days = daysOf({ range, until, timeZone: ctx.profile.timeZone })
  const run: ReportRun = { id, range, state: 'running', read: 0, days, report: null }
  state.runs.set(id, run)
  for (const old of [...state.runs.keys()].slice(0, -MAX_RUNS)) state.runs.delete(old)
  const question = {
    database: programOf(ctx).folder.database,
    lane: ctx.lane.id,
    range,
    timeZone: ctx.profile.timeZone,
    until,
  }
  const reading = readReportInWorker(question, (read) => {
    change(ctx, id, { read })
  })
  state.underWay = { id, reading }
  reading.report.then(
    (report) => {
      ended(ctx, id, { state: 'done', read: days, report: named(ctx, report) })
    },
    (error: unknown) => {
      if (state.underWay?.id === id) ctx.log.error({ err: error }, 'a report could not be read')
      ended(ctx, id, { state: 'failed' })
    },
  )
  return run
}

function cancel(ctx: Ctx, id: number): ReportRun {
  const state = reportsStateOf(ctx)
  if (state.underWay?.id === id) stop(ctx)
  return runOf(ctx, id)
}

/** Prepares an export and records it in the audit trail. After that, this person can fetch the file once. */
function requestExport(
  ctx: Ctx,
  request: ReportExportRequest,
  staff: { readonly id: string; readonly locale: Locale },
): ReportExport {
  const state = reportsStateOf(ctx)
  return ctx.transact((tx) => {
    if (request.of === 'report' && runOf(ctx, request.run).report === null) throw new ProblemError('not-found')
    const { range } = request.of === 'report' ? runOf(ctx, request.run) : request
    const number = ctx.audit.record(tx, {
      kind: 'report-export',
      actorId: staff.id,
      detail: {
        report: request.of === 'accounting' ? request.of : request.by,
        format: request.format,
        from: range.from,
        to: range.to,
      },
    })
    const pending: RequestedExport = { request, staffId: staff.id, at: ctx.clock.now(), locale: staff.locale }
    ctx.transact.afterCommit(() => {
      state.pendingExports.set(number, pending)
      for (const old of [...state.pendingExports.keys()].slice(0, -MAX_PENDING_EXPORTS))
        state.pendingExports.delete(old)
    })
    return { number, fileName: fileNameOf(ctx, pending) }
  })
}

/** Returns the export file to the person who requested it. Throws ProblemError `not-found`. */
function fetch(ctx: Ctx, number: number, staffId: string): ReportFile {
  const state = reportsStateOf(ctx)
  const pending = state.pendingExports.get(number)
  if (pending?.staffId !== staffId) throw new ProblemError('not-found')
  state.pendingExports.delete(number)
  return { format: pending.request.format, fileName: fileNameOf(ctx, pending), pieces: piecesOf(ctx, pending) }
}

/** Reports of the lane for its manager. One report is read at a time, the last one requested. */
export const reportsOf = perLane((ctx: Ctx) => {
  onStop(ctx, () => stop(ctx))
  return bound(ctx, {
    start,
    run: runOf,
    cancel,
    requestExport,
    fetch,
  })
})
const TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const

export function reportsRoutes(ctx: Ctx, app: App): void {
  const reports = reportsOf(ctx)
  serve(app, reportsContract['POST /reports/runs'], async (request) => reports.start(request.body))
  serve(app, reportsContract['GET /reports/runs/:id'], (request) => reports.run(request.params.id))
  serve(app, reportsContract['POST /reports/runs/:id/cancel'], async (request) => reports.cancel(request.params.id))
  serve(app, reportsContract['POST /reports/exports'], (request) =>
    reports.requestExport(request.body, signedIn(request)),
  )
  serve(app, reportsContract['GET /reports/exports/:id'], (request, reply) => {
    const { format, fileName, pieces } = reports.fetch(request.params.id, signedIn(request).id)
    return reply
      .type(TYPES[format])
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(Readable.from(pieces))
  })
}
