import { z } from 'zod'
import { freeText } from '../core/text.ts'
import { SaleId } from '../core/ids.ts'
import { Cents, Miles } from '../core/money.ts'
import { Redemption } from '../sales/sales.ts'

/** A day of the store's own calendar, YYYY-MM-DD. */
export const BusinessDay = z.iso.date().brand<'BusinessDay'>()
export type BusinessDay = z.infer<typeof BusinessDay>

/** One approval that came on the retry (specification 3 §4.5 rule 6), as it was recorded at that moment. */
export const ReconciliationRow = z.object({
  operationId: z.uuid(),
  saleId: SaleId,
  lane: z.string(),
  storeId: z.string(),
  sponsorCode: z.string(),
  deviceId: z.string(),
  traceId: z.string(),
  idempotencyKey: z.string(),
  confirmationNumber: z.string(),
  dateTime: z.string().describe('of the request, with the store’s offset'),
  transDateTime: z.string().describe('of the answer'),
  approvedAt: z.string().describe('when the terminal recorded the approval; decides the business day'),
  collector: z.string().describe('the last four digits'),
  units: z.int(),
  amountCents: Cents,
  miles: Miles,
  responseCode: z.string(),
  /** What became of it since: `approved`, or the state of its reversal. */
  state: Redemption.shape.state,
})
export type ReconciliationRow = z.infer<typeof ReconciliationRow>

export const ReconciliationTotals = z.object({ rows: z.int(), units: z.int(), amountCents: Cents, miles: Miles })
export type ReconciliationTotals = z.infer<typeof ReconciliationTotals>

/** GET /api/reconciliation/days/:day shows it; an export is the same with its number. */
export const ReconciliationReport = z.object({
  businessDay: BusinessDay,
  /** A preview is marked nowhere; the original is exported once; each later one is a copy and says so. */
  status: z.enum(['preview', 'original', 'copy']),
  copy: z.int().describe('0 unless it is a copy'),
  exportedAt: z.string().nullable(),
  exportedBy: z.string().nullable(),
  /** False when a reversal has moved a row since the original was made; null for what is not a copy. */
  sameAsOriginal: z.boolean().nullable(),
  store: z.object({ id: z.string(), name: z.string() }),
  lane: z.string(),
  rows: z.array(ReconciliationRow),
  totals: ReconciliationTotals,
})
export type ReconciliationReport = z.infer<typeof ReconciliationReport>

export const ReconciliationDay = z.object({
  businessDay: BusinessDay,
  /**
   * open: today, still filling; due: over, and its original is about to be made; exported: it was made; sent: and sent
   * to the operator.
   */
  state: z.enum(['open', 'due', 'exported', 'sent']),
  totals: ReconciliationTotals.omit({ units: true }),
  exportedAt: z.string().nullable(),
  exportedBy: z.string().nullable().describe('null: nobody yet, or the terminal by itself'),
  copies: z.int(),
  sentAt: z.string().nullable(),
  sentBy: z.string().nullable(),
})
export type ReconciliationDay = z.infer<typeof ReconciliationDay>
/** GET /api/reconciliation/days, the newest first. */
const LedgerSum = z.object({ rows: z.int(), amountCents: Cents, miles: Miles })
export const ReconciliationDays = z.object({
  days: z.array(ReconciliationDay),
  /** All approvals of a retry by the lane's own records, and where they stand: in originals, or waiting for one. */
  ledger: z.object({ approved: LedgerSum, reported: LedgerSum, waiting: LedgerSum, ties: z.boolean() }),
})
export type ReconciliationDays = z.infer<typeof ReconciliationDays>

/** POST /api/reconciliation/days/:day/exports: the report, and the same as the text of a CSV file. */
export const ReconciliationExport = z.object({
  report: ReconciliationReport,
  csv: z.string(),
  fileName: z.string().describe('without its ending; names store, lane, day and copy'),
})
export type ReconciliationExport = z.infer<typeof ReconciliationExport>

/** POST /api/reconciliation/days/:day/sent: the original was sent to the operator. Once. */
export const MarkSent = z.object({ note: freeText({ min: 3, max: 400 }) })
export type MarkSent = z.infer<typeof MarkSent>
