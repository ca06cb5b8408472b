import { z } from 'zod'
import { Names } from '../core/locales.ts'
import { Cents, Miles, cents } from '../core/money.ts'
import { BREAKDOWNS } from './report-kinds.ts'

const Count = z.int()
const DAY_MS = 86_400_000
/** Maximum number of days in a report: a leap year. */
export const LONGEST_REPORT_DAYS = 366

/** First and last day of a report in the store's calendar, both included. */
export const ReportRange = z
  .object({ from: z.iso.date(), to: z.iso.date() })
  .refine(({ from, to }) => from <= to && (Date.parse(to) - Date.parse(from)) / DAY_MS < LONGEST_REPORT_DAYS, {
    path: ['to'],
    message: 'a day not before the first one, at most a year later',
  })
export type ReportRange = z.infer<typeof ReportRange>

export const BreakdownKind = z.enum(BREAKDOWNS)

export const ReportFigure = z.object({ count: Count, cents: Cents })
export type ReportFigure = z.infer<typeof ReportFigure>

export const BreakdownRow = z.object({
  id: z.string().describe('hour, day, or the id of a department, item, person, tender or tax'),
  name: z.union([z.string(), Names]).nullable().describe('null: its name by id is in the catalogs'),
  now: ReportFigure,
  before: ReportFigure.describe('the same weekdays a week earlier'),
  measured: z
    .array(z.object({ symbol: z.string(), now: Count, before: Count }))
    .optional()
    .describe('of an item sold by measure: its quantity in thousandths of each unit, returns subtracted'),
})
export type BreakdownRow = z.infer<typeof BreakdownRow>

export const Breakdown = z.object({
  money: z.boolean().describe('false: only counts'),
  rows: z.array(BreakdownRow),
  others: BreakdownRow.pick({ now: true, before: true })
    .extend({ rows: Count })
    .nullable()
    .describe('sum of the rows left out of a list that is too long'),
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
  depositCents: Cents.default(cents(0)).describe('deposits charged less those of returns, in no other figure'),
  emptiesCents: Cents.default(cents(0)).describe('paid for empty containers, in no other figure'),
  returns: Count,
  returnCents: Cents.describe('total of the returns, with tax and without deposits'),
})
export type ReportSummary = z.infer<typeof ReportSummary>

export const ReportMiles = z.object({
  issued: Miles.describe('confirmed by the program, without those taken back by returns'),
  redeemed: Miles,
  redeemedCents: Cents,
  redeemedSales: Count.describe('sales that were partly paid with miles'),
  unsent: Count.describe('calls of these sales and returns that wait to be sent'),
  undecided: Count.describe('calls of these sales and returns with an unknown outcome that need a person'),
})
export type ReportMiles = z.infer<typeof ReportMiles>

export const Report = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  until: z.string().describe('contains what was closed before this moment; a week earlier, before the same moment'),
  before: z.object({ from: z.iso.date(), to: z.iso.date() }),
  summary: z.object({ now: ReportSummary, before: ReportSummary }),
  miles: z.object({ now: ReportMiles, before: ReportMiles }),
  breakdowns: z.record(BreakdownKind, Breakdown),
})
export type Report = z.infer<typeof Report>

export const ReportRun = z.object({
  id: z.int().min(1),
  range: z.object({ from: z.iso.date(), to: z.iso.date() }),
  state: z.enum(['running', 'done', 'cancelled', 'failed']),
  read: z.int().min(0).describe('days read so far'),
  days: z.int().min(1),
  report: Report.nullable(),
})
export type ReportRun = z.infer<typeof ReportRun>

export const ReportFormat = z.enum(['csv', 'json'])
export type ReportFormat = z.infer<typeof ReportFormat>

/**
 * POST /api/reports/exports prepares a file. The export is recorded in the audit trail before the file is delivered. A
 * CSV file has one table; JSON has all.
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

/** GET /api/reports/exports/:number returns the exported file, once. */
export const ReportExport = z.object({ number: z.int().min(1), fileName: z.string() })
export type ReportExport = z.infer<typeof ReportExport>
