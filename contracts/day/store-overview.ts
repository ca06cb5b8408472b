import { z } from 'zod'
import { ReceiptDocument } from '../core/receipt.ts'
import { LanesOfStore, StoreDay, StoreReconciliation, StoreTotals } from '../store/overview.ts'

export const StoreLanes = LanesOfStore.extend({ thisLane: z.string() })
export type StoreLanes = z.infer<typeof StoreLanes>

/** GET /api/store/days/:day returns the totals, Z reports and shifts of all lanes for a day of the store's calendar. */
export const StoreDayReport = StoreDay.extend({ day: z.iso.date(), together: StoreTotals })
export type StoreDayReport = z.infer<typeof StoreDayReport>

/**
 * POST /api/store/days/:day/exports returns the totals of a day, one row per lane and one for all lanes. The export is
 * recorded in the audit trail.
 */
export const StoreDayFile = z.object({ csv: z.string(), fileName: z.string() })
export type StoreDayFile = z.infer<typeof StoreDayFile>

/** GET /api/store/z/:stream/:number returns the Z report of another lane as that lane printed it. */
export const StoreZPaper = z.object({ lane: z.string(), number: z.int(), document: ReceiptDocument })
export type StoreZPaper = z.infer<typeof StoreZPaper>

/** POST /api/store/reconciliation/:day/exports returns the reconciliation report, also as the text of a CSV file. */
export const StoreReconciliationFile = z.object({
  report: StoreReconciliation,
  csv: z.string(),
  fileName: z.string().describe('without extension; contains store, day and copy'),
})
export type StoreReconciliationFile = z.infer<typeof StoreReconciliationFile>
