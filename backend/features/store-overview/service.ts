import type { z } from 'zod'
import type { BusinessDay, ReconciliationReport } from '../../../contracts/api/reconciliation.ts'
import type {
  StoreDayFile,
  StoreDayReport,
  StoreLanes,
  StoreReconciliationFile,
  StoreZPaper,
} from '../../../contracts/api/store-overview.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import {
  LanesOfStore,
  OVERVIEW_PATHS,
  StoreDay,
  StoreQueue,
  StoreReconciliation,
  StoreReconciliationDays,
  StoreZ,
} from '../../../contracts/store/overview.ts'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import type { Clock } from '../../clock.ts'
import { dayAt, reportCsv, reportFileName } from '../../domain/reconciliation.ts'
import { startOf } from '../../domain/report-days.ts'
import { ProblemError } from '../../http/problem.ts'
import type { StoreLink } from '../../store/store-link.ts'
import { createDayEndDocuments } from '../day-end/documents.ts'
import { fileNamesOf, type ReportFile } from '../day-end/report-file.ts'
import type { Receipts } from '../receipts/service.ts'
import type { AuditEntry } from '../staff/audit.ts'
import { storeDayCsv } from './day-csv.ts'
import { totalOf } from './totals.ts'

export interface StoreOverviewOptions {
  readonly store: Pick<StoreLink, 'tell' | 'state'>
  readonly receipts: Pick<Receipts, 'reportPdf'>
  /** Writes into the audit trail of this lane. */
  readonly record: (entry: AuditEntry) => void
  readonly clock: Clock
  readonly profile: Profile
  readonly lane: Lane
}

/** So long a page of the manager waits for the store, in milliseconds: nobody stands at the counter for it. */
const PAGE_MS = 3_000

export type StoreOverview = ReturnType<typeof createStoreOverview>

/** What the store's server knows of all lanes, for a manager at this one. */
export function createStoreOverview(options: StoreOverviewOptions) {
  const { store, clock, profile, lane } = options

  /** Throws ProblemError `store-none`, `store-pages-away` and `not-found`. */
  async function ask<T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> {
    const { kind } = store.state()
    if (kind === 'none') throw new ProblemError('store-none')
    if (kind !== 'connected') throw new ProblemError('store-pages-away')
    // A report that takes long says nothing of how promptly the checkout is answered.
    const heard = await store.tell(path, { protocol: STORE_PROTOCOL, ...body }, schema, PAGE_MS)
    if (heard.kind === 'answer') return heard.body
    throw new ProblemError(heard.kind === 'refused' && heard.why === 'not-found' ? 'not-found' : 'store-pages-away')
  }

  const spanOf = (day: string): { from: number; before: number } => ({
    from: startOf(day, profile.timeZone),
    before: startOf(day, profile.timeZone, 1),
  })
  const today = (): BusinessDay => dayAt(clock.now(), profile.timeZone)

  /** The papers of the lane that made the report: it stands on each of them. */
  const documentsOf = (laneId: string) =>
    createDayEndDocuments({ profile, lane: { ...lane, id: laneId }, staffName: (id) => id })

  async function askDay(day: string): Promise<StoreDayReport> {
    const told = await ask(OVERVIEW_PATHS.day, spanOf(day), StoreDay)
    return { ...told, day, together: totalOf(told.lanes) }
  }
  const askZ = async (stream: string, number: number) =>
    (await ask(OVERVIEW_PATHS.z, { stream, number }, StoreZ)).report

  function fileOf(report: StoreReconciliation): StoreReconciliationFile {
    const { id, name } = profile.store
    const whole: ReconciliationReport = { ...report, store: { id, name }, lane: 'all' }
    return { report, csv: reportCsv(whole), fileName: reportFileName(whole) }
  }

  return {
    lanes: async (): Promise<StoreLanes> => ({
      ...(await ask(OVERVIEW_PATHS.lanes, {}, LanesOfStore)),
      thisLane: lane.id,
    }),

    day: askDay,

    /** The totals of a day as a file. Stands in the audit trail of this lane. */
    async exportDay(day: string, staff: { readonly id: string }): Promise<StoreDayFile> {
      const csv = storeDayCsv(await askDay(day))
      const detail = { report: 'store-day', format: 'csv', from: day, to: day }
      options.record({ kind: 'report-export', actorId: staff.id, detail })
      return { csv, fileName: `store-day_${profile.store.id.replaceAll(/[^A-Za-z0-9-]/g, '-')}_${day}.csv` }
    },

    /** The day of the store's calendar that it is now. */
    today,

    async z(stream: string, number: number, locale: Locale): Promise<StoreZPaper> {
      const report = await askZ(stream, number)
      return { lane: report.lane, number, document: documentsOf(report.lane).ofZ(report, 0, locale) }
    },

    /** The same as a file, which says that it is a copy. */
    async zFile(stream: string, number: number, locale: Locale): Promise<ReportFile> {
      const report = await askZ(stream, number)
      const document = documentsOf(report.lane).ofZ(report, 'file', locale)
      return {
        fileName: fileNamesOf(profile.store, { id: report.lane })('z-report', String(number)),
        bytes: await options.receipts.reportPdf(document, { madeAt: Date.parse(report.at), copy: true }),
      }
    },

    queue: (): Promise<StoreQueue> => ask(OVERVIEW_PATHS.queue, {}, StoreQueue),

    reconciliationDays: (): Promise<StoreReconciliationDays> =>
      ask(OVERVIEW_PATHS.reconciliation, { today: today() }, StoreReconciliationDays),

    reconciliation: (day: BusinessDay): Promise<StoreReconciliation> =>
      ask(OVERVIEW_PATHS.reconciliationDay, { ...spanOf(day), day }, StoreReconciliation),

    /** The original of a day as it was made. Throws ProblemError `not-found` beside those of the store. */
    original: async (day: BusinessDay): Promise<StoreReconciliationFile> =>
      fileOf(await ask(OVERVIEW_PATHS.reconciliationOriginal, { ...spanOf(day), day }, StoreReconciliation)),

    /**
     * The original the first time, whichever lane asks, then copies. Stands in the audit trail of this lane. Throws
     * ProblemError `day-not-over`, `not-found` beside those of the store.
     */
    async export(day: BusinessDay, staff: { readonly id: string; readonly name: string }) {
      if (day >= today()) throw new ProblemError('day-not-over')
      const order = { ...spanOf(day), day, by: staff.name }
      const report = await ask(OVERVIEW_PATHS.reconciliationExport, order, StoreReconciliation)
      const { rows, amountCents, miles } = report.totals
      options.record({
        kind: 'store-reconciliation-export',
        actorId: staff.id,
        subject: day,
        detail: { copy: report.copy, rows, amountCents, miles },
      })
      return fileOf(report)
    },
  }
}
