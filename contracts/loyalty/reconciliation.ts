import { z } from 'zod'
import { freeText } from '../core/text.ts'
import { SaleId } from '../core/ids.ts'
import { Cents, Miles } from '../core/money.ts'
import { Redemption } from '../sales/sales.ts'

/** A day of the store's own calendar, YYYY-MM-DD. */
export const BusinessDay = z.iso.date().brand<'BusinessDay'>()
export type BusinessDay = z.infer<typeof BusinessDay>

/**
 * A redemption that the program approved only on the retry (specification 3 §4.5 rule 6), as recorded when the approval
 * arrived.
 */
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
  /** Current state of the redemption: `approved`, or the state of its reversal. */
  state: Redemption.shape.state,
})
export type ReconciliationRow = z.infer<typeof ReconciliationRow>

export const ReconciliationTotals = z.object({ rows: z.int(), units: z.int(), amountCents: Cents, miles: Miles })
export type ReconciliationTotals = z.infer<typeof ReconciliationTotals>

/** GET /api/reconciliation/days/:day returns the report of a day; an export has the same contents and a number. */
export const ReconciliationReport = z.object({
  businessDay: BusinessDay,
  /** A preview is not recorded. The first export of a day is its original; later ones are marked as copies. */
  status: z.enum(['preview', 'original', 'copy']),
  copy: z.int().describe('0 unless it is a copy'),
  exportedAt: z.string().nullable(),
  exportedBy: z.string().nullable(),
  /**
   * Whether a copy has the same rows as the original; false if a reversal has changed one. Null if the report is no
   * copy.
   */
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
   * State of a day's report. open: today, incomplete; due: the day is over, and its original is about to be made;
   * exported: the original was made; sent: the original was also sent to the operator.
   */
  state: z.enum(['open', 'due', 'exported', 'sent']),
  totals: ReconciliationTotals.omit({ units: true }),
  exportedAt: z.string().nullable(),
  exportedBy: z.string().nullable().describe('null: no person yet, or the terminal by itself'),
  copies: z.int(),
  sentAt: z.string().nullable(),
  sentBy: z.string().nullable(),
})
export type ReconciliationDay = z.infer<typeof ReconciliationDay>
const LedgerSum = z.object({ rows: z.int(), amountCents: Cents, miles: Miles })
/** GET /api/reconciliation/days returns days, the newest first. */
export const ReconciliationDays = z.object({
  days: z.array(ReconciliationDay),
  /**
   * Sums of the approvals on a retry in the lane's records: of all, of those in original reports, and of those that
   * wait for an original.
   */
  ledger: z.object({ approved: LedgerSum, reported: LedgerSum, waiting: LedgerSum, ties: z.boolean() }),
})
export type ReconciliationDays = z.infer<typeof ReconciliationDays>

/** POST /api/reconciliation/days/:day/exports returns the reconciliation report, also as the text of a CSV file. */
export const ReconciliationExport = z.object({
  report: ReconciliationReport,
  csv: z.string(),
  fileName: z.string().describe('without extension; contains store, lane, day and copy'),
})
export type ReconciliationExport = z.infer<typeof ReconciliationExport>

/** POST /api/reconciliation/days/:day/sent records, once, that the original report was sent to the operator. */
export const MarkSent = z.object({ note: freeText({ min: 3, max: 400 }) })
export type MarkSent = z.infer<typeof MarkSent>
