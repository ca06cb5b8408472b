import { z } from 'zod'
import { Names } from '../core/locales.ts'
import { Cents, Miles, cents } from '../core/money.ts'
import { BREAKDOWNS } from './report-kinds.ts'

const Count = z.int()
const DAY_MS = 86_400_000
/** A leap year of days. */
export const LONGEST_REPORT_DAYS = 366

/** Days of the store's own calendar, both in the range. */
export const ReportRange = z
  .object({ from: z.iso.date(), to: z.iso.date() })
  .refine(({ from, to }) => from <= to && (Date.parse(to) - Date.parse(from)) / DAY_MS < LONGEST_REPORT_DAYS, {
    path: ['to'],
    message: 'a day from the first on, at most a year later',
  })
export type ReportRange = z.infer<typeof ReportRange>

export const BreakdownKind = z.enum(BREAKDOWNS)

export const ReportFigure = z.object({ count: Count, cents: Cents })
export type ReportFigure = z.infer<typeof ReportFigure>

export const BreakdownRow = z.object({
  id: z.string().describe('hour, day, or the id of a department, item, person, tender or tax'),
  name: z.union([z.string(), Names]).nullable().describe('null: the words for its id are in the catalogs'),
  now: ReportFigure,
  before: ReportFigure.describe('of the same weekdays a week earlier'),
})
export type BreakdownRow = z.infer<typeof BreakdownRow>

export const Breakdown = z.object({
  money: z.boolean().describe('false: it only counts'),
  rows: z.array(BreakdownRow),
  others: BreakdownRow.pick({ now: true, before: true })
    .extend({ rows: Count })
    .nullable()
    .describe('what was left out of a list that would be too long, in one row'),
})
export type Breakdown = z.infer<typeof Breakdown>

export const ReportSummary = z.object({
  sales: Count,
  grossCents: Cents.describe('goods before discounts and tax'),
  discountCents: Cents,
  netCents: Cents.describe('goods before tax'),
  taxCents: Cents,
  totalCents: Cents.describe('goods with tax'),
  giftCardCents: Cents.default(cents(0)).describe('gift cards sold: a liability, in no other figure'),
  returns: Count,
  returnCents: Cents.describe('total of the returns, with tax'),
})
export type ReportSummary = z.infer<typeof ReportSummary>

export const ReportMiles = z.object({
  issued: Miles.describe('confirmed by the program, less what returns took back'),
  redeemed: Miles,
  redeemedCents: Cents,
  redeemedSales: Count.describe('sales that miles paid a part of'),
  unsent: Count.describe('calls of these sales and returns that wait to be sent'),
  undecided: Count.describe('calls of these sales and returns whose outcome a person has to find out'),
})
export type ReportMiles = z.infer<typeof ReportMiles>

export const Report = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  until: z.string().describe('what was closed before this moment is in it, and before it a week earlier'),
  before: z.object({ from: z.iso.date(), to: z.iso.date() }),
  summary: z.object({ now: ReportSummary, before: ReportSummary }),
  miles: z.object({ now: ReportMiles, before: ReportMiles }),
  breakdowns: z.record(BreakdownKind, Breakdown),
})
export type Report = z.infer<typeof Report>

/** POST /api/reports/runs, GET /api/reports/runs/:id and POST /api/reports/runs/:id/cancel */
export const ReportRun = z.object({
  id: z.int().min(1),
  range: z.object({ from: z.iso.date(), to: z.iso.date() }),
  state: z.enum(['running', 'done', 'cancelled', 'failed']),
  read: z.int().min(0).describe('days that are read'),
  days: z.int().min(1),
  report: Report.nullable(),
})
export type ReportRun = z.infer<typeof ReportRun>

export const ReportFormat = z.enum(['csv', 'json'])
export type ReportFormat = z.infer<typeof ReportFormat>

/**
 * POST /api/reports/exports: stands in the audit trail before anything leaves. A CSV file is one table; JSON has all.
 */
export const ReportExportRequest = z.discriminatedUnion('of', [
  z.object({
    of: z.literal('report'),
    run: z.int().min(1),
    by: BreakdownKind,
    format: ReportFormat,
  }),
  z.object({ of: z.literal('accounting'), range: ReportRange, format: ReportFormat }),
])
export type ReportExportRequest = z.infer<typeof ReportExportRequest>

/** GET /api/reports/exports/:number is the file, once. */
export const ReportExport = z.object({ number: z.int().min(1), fileName: z.string() })
export type ReportExport = z.infer<typeof ReportExport>
