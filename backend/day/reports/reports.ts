import {
  type Breakdown,
  type Report,
  ReportExport,
  ReportExportRequest,
  ReportRange,
  ReportRun,
} from '../../../contracts/day/reports.ts'
import { BREAKDOWNS, type BreakdownKind, OF_PEOPLE } from '../../../contracts/day/report-kinds.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { isoOf } from '../../core/clock.ts'
import { type DatedPostings, accountingPieces, breakdownCsv, postingsOf, reportJson } from './accounting.ts'
import { dayOfZ } from '../day-end/closings.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import { departmentNames } from '../../catalog/gift-card.ts'
import { ProblemError } from '../../core/problem.ts'
import { type ReadingUnderWay, readReportBeside } from './read-beside.ts'
import { daysOf } from './read-report.ts'
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { accountingRowsOf } from './reports.sql.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { type Ctx, perLane } from '../../core/context.ts'

interface Ordered {
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

/** So many reports are held; a page that asks for an older one runs it again. */
const MOST_RUNS = 2
const MOST_ORDERED = 20
const PATH_CHARACTERS = /[^A-Za-z0-9-]/g

export type Reports = ReturnType<typeof reportsOf>

/** What the lane sold and did, for its manager; one report is read at a time, the newest that was asked for. */
export const reportsOf = perLane((ctx: Ctx) => {
  const { transact, audit, clock, profile, lane, staffName, log } = ctx
  const accounting = accountingRowsOf(ctx)
  const database = programOf(ctx).folder.database
  const runs = new Map<number, ReportRun>()
  const ordered = new Map<number, Ordered>()
  let underWay: { readonly id: number; readonly reading: ReadingUnderWay } | null = null
  let newest = 0

  function runOf(id: number): ReportRun {
    const run = runs.get(id)
    if (!run) throw new ProblemError('not-found')
    return run
  }
  function change(id: number, changed: Partial<ReportRun>): void {
    const run = runs.get(id)
    if (run?.state === 'running') runs.set(id, { ...run, ...changed })
  }
  function ended(id: number, changed: Partial<ReportRun>): void {
    if (underWay?.id === id) underWay = null
    change(id, changed)
  }
  function stop(): void {
    if (!underWay) return
    const { id, reading } = underWay
    ended(id, { state: 'cancelled' })
    reading.stop()
  }

  function named(report: Report): Report {
    const departments = departmentNames(profile.catalog)
    const nameOf = (kind: BreakdownKind, id: string): Breakdown['rows'][number]['name'] =>
      kind === 'departments' ? (departments.get(id) ?? id) : OF_PEOPLE.has(kind) ? staffName(id) : null
    const breakdowns = { ...report.breakdowns }
    for (const kind of BREAKDOWNS) {
      const { rows, ...rest } = breakdowns[kind]
      breakdowns[kind] = { ...rest, rows: rows.map((row) => ({ ...row, name: row.name ?? nameOf(kind, row.id) })) }
    }
    return { ...report, breakdowns }
  }

  function* postings(range: ReportRange): Generator<DatedPostings> {
    // As in the closings of the lane: a month's books are those of its closing.
    const isOfRange = (openedAt: number): boolean => {
      const day = dayOfZ(openedAt, profile.timeZone)
      return day >= range.from && day <= range.to
    }
    for (const { report, openedAt, lateCreditCents } of accounting.zReports(isOfRange))
      yield {
        ...postingsOf(report, profile.accounting, lateCreditCents),
        businessDay: dayOfZ(openedAt, profile.timeZone),
        localTime: localDateTimeAt(Date.parse(report.at), profile.timeZone).toString({ smallestUnit: 'second' }),
      }
  }

  function fileNameOf({ request }: Pick<Ordered, 'request'>): string {
    const { range } = request.of === 'report' ? runOf(request.run) : request
    const what = request.of === 'accounting' ? 'accounting' : request.format === 'csv' ? request.by : 'report'
    const store = profile.store.id.replaceAll(PATH_CHARACTERS, '-')
    return `${what}_${store}_lane-${lane.id}_${range.from}_${range.to}.${request.format}`
  }

  function piecesOf({ request, at, locale }: Ordered): ReportFile['pieces'] {
    const facts = { store: profile.store.id, lane: lane.id, exportedAt: isoOf(at) }
    if (request.of === 'accounting') return accountingPieces(request.format, facts, postings(request.range))
    const { report } = runOf(request.run)
    if (!report) throw new ProblemError('not-found')
    return [request.format === 'csv' ? breakdownCsv(report, request.by, locale) : reportJson(report, facts)]
  }

  return {
    /** Begins to read; what was being read before is given up. */
    start(range: ReportRange): ReportRun {
      stop()
      const id = (newest += 1)
      const until = clock.now()
      const days = daysOf({ range, until, timeZone: profile.timeZone })
      const run: ReportRun = { id, range, state: 'running', read: 0, days, report: null }
      runs.set(id, run)
      for (const old of [...runs.keys()].slice(0, -MOST_RUNS)) runs.delete(old)
      const question = { database: database, lane: lane.id, range, timeZone: profile.timeZone, until }
      const reading = readReportBeside(question, (read) => {
        change(id, { read })
      })
      underWay = { id, reading }
      reading.report.then(
        (report) => {
          ended(id, { state: 'done', read: days, report: named(report) })
        },
        (error: unknown) => {
          if (underWay?.id === id) log.error({ err: error }, 'a report could not be read')
          ended(id, { state: 'failed' })
        },
      )
      return run
    },
    run: runOf,
    cancel(id: number): ReportRun {
      if (underWay?.id === id) stop()
      return runOf(id)
    },
    stop,

    /** Writes down that this is taken away; `fetch` then gives it, once. */
    order(request: ReportExportRequest, staff: { readonly id: string; readonly locale: Locale }): ReportExport {
      return transact((tx) => {
        if (request.of === 'report' && runOf(request.run).report === null) throw new ProblemError('not-found')
        const { range } = request.of === 'report' ? runOf(request.run) : request
        const number = audit.record(tx, {
          kind: 'report-export',
          actorId: staff.id,
          detail: {
            report: request.of === 'accounting' ? request.of : request.by,
            format: request.format,
            from: range.from,
            to: range.to,
          },
        })
        const order: Ordered = { request, staffId: staff.id, at: clock.now(), locale: staff.locale }
        transact.afterCommit(() => {
          ordered.set(number, order)
          for (const old of [...ordered.keys()].slice(0, -MOST_ORDERED)) ordered.delete(old)
        })
        return { number, fileName: fileNameOf(order) }
      })
    },

    /** The file that this person ordered. Throws ProblemError `not-found`. */
    fetch(number: number, staffId: string): ReportFile {
      const order = ordered.get(number)
      if (order?.staffId !== staffId) throw new ProblemError('not-found')
      ordered.delete(number)
      return { format: order.request.format, fileName: fileNameOf(order), pieces: piecesOf(order) }
    },
  }
})

const config = { access: 'manager' } as const
const tags = ['reports']
const byId = z.object({ id: z.coerce.number().pipe(z.int().min(1)) })
const TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const

/** What the lane sold and did, over days, for its manager. */
export const reportsRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const reports = reportsOf(ctx)
    app.post(
      '/api/reports/runs',
      {
        schema: { tags, summary: 'Begin to read a report', body: ReportRange, response: { 200: ReportRun } },
        // What it does is in no table.
        config: { ...config, command: 'awaited' },
      },
      async (request) => reports.start(request.body),
    )
    app.get(
      '/api/reports/runs/:id',
      {
        schema: { tags, summary: 'How far it is, and the report', params: byId, response: { 200: ReportRun } },
        config: { ...config, byItself: true },
      },
      (request) => reports.run(request.params.id),
    )
    app.post(
      '/api/reports/runs/:id/cancel',
      {
        schema: { tags, summary: 'Give a report up', params: byId, response: { 200: ReportRun } },
        config: { ...config, command: 'awaited' },
      },
      async (request) => reports.cancel(request.params.id),
    )
    app.post(
      '/api/reports/exports',
      {
        schema: {
          tags,
          summary: 'Order a file; stands in the audit trail',
          body: ReportExportRequest,
          response: { 200: ReportExport },
        },
        config,
      },
      (request) => reports.order(request.body, signedIn(request)),
    )
    app.get(
      '/api/reports/exports/:id',
      {
        schema: {
          tags,
          summary: 'The ordered file, once, for whoever ordered it',
          params: byId,
          produces: Object.values(TYPES),
        },
        config,
      },
      (request, reply) => {
        const { format, fileName, pieces } = reports.fetch(request.params.id, signedIn(request).id)
        return reply
          .type(TYPES[format])
          .header('content-disposition', `attachment; filename="${fileName}"`)
          .send(Readable.from(pieces))
      },
    )
  }
