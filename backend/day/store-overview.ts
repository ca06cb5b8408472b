import type { z } from 'zod'
import type { BusinessDay, ReconciliationReport } from '../../contracts/loyalty/reconciliation.ts'
import type {
  StoreDayFile,
  StoreDayReport,
  StoreLanes,
  StoreReconciliationFile,
  StoreZPaper,
} from '../../contracts/day/store-overview.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import {
  LanesOfStore,
  OVERVIEW_PATHS,
  StoreDay,
  StoreQueue,
  StoreReconciliation,
  StoreReconciliationDays,
  type StoreTotals,
  StoreZ,
} from '../../contracts/store/overview.ts'
import { STORE_PROTOCOL } from '../../contracts/store/protocol.ts'
import { dayAt, reportCsv, reportFileName } from '../loyalty/reconciliation/approvals-on-retry.ts'
import { ProblemError } from '../core/problem.ts'
import { type ReportFile, createDayEndDocuments, fileNamesOf, sendFile } from './day-end/documents.ts'
import { cents, dollarsString, miles } from '../../contracts/core/money.ts'
import { csvFile } from '../../contracts/core/csv.ts'
import { startOf } from '../core/zone.ts'
import { storeOf } from '../store/store-link.ts'
import { recordOf } from '../core/record.ts'
import { receiptsOf } from '../payments/receipts/receipts.ts'
import { type Ctx, perLane, bound } from '../core/context.ts'
import type { App } from '../core/http/app.ts'
import { storeContract } from '../../contracts/store/store.routes.ts'
import { serve } from '../core/http/serve.ts'
import { signedIn } from '../core/http/guards.ts'

export type StoreOverview = ReturnType<typeof storeOverviewOf>

/**
 * Sends a request to the store server. Throws ProblemError `store-none`, `store-pages-away`, `store-pages-refused` and
 * `not-found`.
 */
async function ask<T>(ctx: Ctx, path: string, body: object, schema: z.ZodType<T>): Promise<T> {
  const store = storeOf(ctx)
  if (store.state().kind === 'none') throw new ProblemError('store-none')
  const response = await store.page(path, { protocol: STORE_PROTOCOL, ...body }, schema)
  if (response.kind === 'answer') return response.body
  if (response.kind === 'no-answer') throw new ProblemError('store-pages-away')
  throw new ProblemError(response.why === 'not-found' ? 'not-found' : 'store-pages-refused')
}

const spanOf = (ctx: Ctx, day: string): { from: number; before: number } => ({
  from: startOf(day, ctx.profile.timeZone),
  before: startOf(day, ctx.profile.timeZone, 1),
})

const today = (ctx: Ctx): BusinessDay => dayAt(ctx.clock.now(), ctx.profile.timeZone)

const documentsOf = (ctx: Ctx, laneId: string) =>
  createDayEndDocuments({ profile: ctx.profile, lane: { ...ctx.lane, id: laneId }, staffName: (id) => id })

async function requestDay(ctx: Ctx, day: string): Promise<StoreDayReport> {
  const dayReport = await ask(ctx, OVERVIEW_PATHS.day, spanOf(ctx, day), StoreDay)
  return { ...dayReport, day, together: totalOf(dayReport.lanes) }
}

const requestZ = async (ctx: Ctx, stream: string, number: number) =>
  (await ask(ctx, OVERVIEW_PATHS.z, { stream, number }, StoreZ)).report

function fileOf(ctx: Ctx, report: StoreReconciliation): StoreReconciliationFile {
  const { id, name } = ctx.profile.store
  const whole: ReconciliationReport = { ...report, store: { id, name }, lane: 'all' }
  return { report, csv: reportCsv(whole), fileName: reportFileName(whole) }
}

const lanes = async (ctx: Ctx): Promise<StoreLanes> => ({
  ...(await ask(ctx, OVERVIEW_PATHS.lanes, {}, LanesOfStore)),
  thisLane: ctx.lane.id,
})

async function exportDay(ctx: Ctx, day: string, staff: { readonly id: string }): Promise<StoreDayFile> {
  const csv = storeDayCsv(await requestDay(ctx, day))
  const detail = { report: 'store-day', format: 'csv', from: day, to: day }
  recordOf(ctx)({ kind: 'report-export', actorId: staff.id, detail })
  return { csv, fileName: `store-day_${ctx.profile.store.id.replaceAll(/[^A-Za-z0-9-]/g, '-')}_${day}.csv` }
}

async function zFile(ctx: Ctx, stream: string, number: number, locale: Locale): Promise<ReportFile> {
  const report = await requestZ(ctx, stream, number)
  const document = documentsOf(ctx, report.lane).ofZ(report, 'file', locale)
  return {
    fileName: fileNamesOf(ctx.profile.store, { id: report.lane })('z-report', String(number)),
    bytes: await receiptsOf(ctx).reportPdf(document, { madeAt: Date.parse(report.at), copy: true }),
  }
}

const reconciliationDays = (ctx: Ctx): Promise<StoreReconciliationDays> =>
  ask(ctx, OVERVIEW_PATHS.reconciliation, { today: today(ctx) }, StoreReconciliationDays)

const reconciliation = (ctx: Ctx, day: BusinessDay): Promise<StoreReconciliation> =>
  ask(ctx, OVERVIEW_PATHS.reconciliationDay, { ...spanOf(ctx, day), day }, StoreReconciliation)

/**
 * Returns the original reconciliation file of a day as it was made. Throws ProblemError `not-found`, and the errors of
 * a request to the store server.
 */
const original = async (ctx: Ctx, day: BusinessDay): Promise<StoreReconciliationFile> =>
  fileOf(ctx, await ask(ctx, OVERVIEW_PATHS.reconciliationOriginal, { ...spanOf(ctx, day), day }, StoreReconciliation))

export const storeOverviewOf = perLane((ctx: Ctx) => ({
  ...bound(ctx, {
    lanes,

    day: requestDay,
    exportDay,

    today,
    zFile,
    reconciliationDays,
    reconciliation,
    original,
  }),

  async z(stream: string, number: number, locale: Locale): Promise<StoreZPaper> {
    const report = await requestZ(ctx, stream, number)
    return { lane: report.lane, number, document: documentsOf(ctx, report.lane).ofZ(report, 0, locale) }
  },

  queue: (): Promise<StoreQueue> => ask(ctx, OVERVIEW_PATHS.queue, {}, StoreQueue),

  /**
   * Exports the reconciliation of a day: the first export at any lane is the original, later ones are copies. The audit
   * trail of this lane records it. Throws ProblemError `day-not-over`, `not-found`, and the errors of a request to the
   * store server.
   */
  async export(day: BusinessDay, staff: { readonly id: string; readonly name: string }) {
    if (day >= today(ctx)) throw new ProblemError('day-not-over')
    const asked = { ...spanOf(ctx, day), day, by: staff.name }
    const report = await ask(ctx, OVERVIEW_PATHS.reconciliationExport, asked, StoreReconciliation)
    const { rows, amountCents, miles } = report.totals
    recordOf(ctx)({
      kind: 'store-reconciliation-export',
      actorId: staff.id,
      subject: day,
      detail: { copy: report.copy, rows, amountCents, miles },
    })
    return fileOf(ctx, report)
  },
}))

type Figures = StoreTotals['tenders']

export function totalOf(lanes: readonly StoreTotals[]): StoreTotals {
  const summed = (of: (lane: StoreTotals) => number): number => lanes.reduce((sum, lane) => sum + of(lane), 0)
  const money = (of: (lane: StoreTotals) => number) => cents(summed(of))
  return {
    summary: {
      sales: summed(({ summary }) => summary.sales),
      grossCents: money(({ summary }) => summary.grossCents),
      discountCents: money(({ summary }) => summary.discountCents),
      netCents: money(({ summary }) => summary.netCents),
      taxCents: money(({ summary }) => summary.taxCents),
      totalCents: money(({ summary }) => summary.totalCents),
      giftCardCents: money(({ summary }) => summary.giftCardCents),
      depositCents: money(({ summary }) => summary.depositCents),
      emptiesCents: money(({ summary }) => summary.emptiesCents),
      returns: summed(({ summary }) => summary.returns),
      returnCents: money(({ summary }) => summary.returnCents),
    },
    tenders: figuresOf(lanes.flatMap(({ tenders }) => tenders)),
    taxes: figuresOf(lanes.flatMap(({ taxes }) => taxes)),
    miles: {
      issued: miles(summed(({ miles: { issued } }) => issued)),
      redeemed: miles(summed(({ miles: { redeemed } }) => redeemed)),
      redeemedCents: money(({ miles: { redeemedCents } }) => redeemedCents),
      redeemedSales: summed(({ miles: { redeemedSales } }) => redeemedSales),
    },
  }
}

function figuresOf(all: Figures): Figures {
  const sums = new Map<string, Figures[number]>()
  for (const { id, count, cents: amount } of all) {
    const before = sums.get(id)
    sums.set(id, { id, count: (before?.count ?? 0) + count, cents: cents((before?.cents ?? 0) + amount) })
  }
  return [...sums.values()].toSorted((one, other) => one.id.localeCompare(other.id))
}

const HEAD = [
  'day',
  'lane',
  'sales',
  'gross',
  'discounts',
  'net',
  'tax',
  'total',
  'returns',
  'returned',
  'gift_cards',
  'deposits',
  'empties',
] as const
const MILES = ['miles_issued', 'miles_redeemed', 'miles_redeemed_dollars'] as const

/** Formats the totals of a day as CSV: one row per lane, and one for all lanes. Programs read the column names. */
export function storeDayCsv({ day, lanes, together }: StoreDayReport): string {
  const amount = (value: number): string => dollarsString(cents(value))
  const of = (figures: StoreTotals['tenders'], id: string): string =>
    amount(figures.find((figure) => figure.id === id)?.cents ?? 0)
  const tenders = together.tenders.map(({ id }) => id)
  const taxes = together.taxes.map(({ id }) => id)
  const line = (lane: string, { summary, miles, ...figures }: StoreTotals): (string | number)[] => [
    day,
    lane,
    summary.sales,
    amount(summary.grossCents),
    amount(summary.discountCents),
    amount(summary.netCents),
    amount(summary.taxCents),
    amount(summary.totalCents),
    summary.returns,
    amount(summary.returnCents),
    amount(summary.giftCardCents),
    amount(summary.depositCents),
    amount(summary.emptiesCents),
    miles.issued,
    miles.redeemed,
    amount(miles.redeemedCents),
    ...tenders.map((id) => of(figures.tenders, id)),
    ...taxes.map((id) => of(figures.taxes, id)),
  ]
  return csvFile(
    [...HEAD, ...MILES, ...tenders.map((id) => `paid_${id}`), ...taxes.map((id) => `tax_${id}`)],
    [...lanes.map(({ lane, ...totals }) => line(lane, totals)), line('all', together)],
  )
}

export function storeOverviewRoutes(ctx: Ctx, app: App): void {
  const overview = storeOverviewOf(ctx)
  serve(app, storeContract['GET /store/lanes'], () => overview.lanes())
  serve(app, storeContract['GET /store/days/today'], () => overview.day(overview.today()))
  serve(app, storeContract['GET /store/days/:day'], (request) => overview.day(request.params.day))
  serve(app, storeContract['POST /store/days/:day/exports'], async (request) =>
    overview.exportDay(request.params.day, signedIn(request)),
  )
  serve(app, storeContract['GET /store/z/:stream/:number'], (request) =>
    overview.z(request.params.stream, request.params.number, signedIn(request).locale),
  )
  serve(app, storeContract['GET /store/z/:stream/:number/report.pdf'], async (request, reply) => {
    const { stream, number } = request.params
    return sendFile(reply, await overview.zFile(stream, number, signedIn(request).locale))
  })
  serve(app, storeContract['GET /store/queue'], () => overview.queue())
  reconciliationRoutes(overview, app)
}

function reconciliationRoutes(overview: StoreOverview, app: App): void {
  serve(app, storeContract['GET /store/reconciliation'], () => overview.reconciliationDays())
  serve(app, storeContract['GET /store/reconciliation/:day'], (request) => overview.reconciliation(request.params.day))
  serve(app, storeContract['GET /store/reconciliation/:day/original'], (request) =>
    overview.original(request.params.day),
  )
  serve(app, storeContract['POST /store/reconciliation/:day/exports'], async (request) =>
    overview.export(request.params.day, signedIn(request)),
  )
}
