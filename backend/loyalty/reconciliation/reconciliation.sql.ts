import type { RedemptionState } from '../../core/outbox/states.ts'
import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import { entriesFrom } from '../../core/outbox/chain.ts'
import { perLane } from '../../core/context.ts'

export interface ApprovalRow {
  readonly operationId: string
  readonly saleId: string
  readonly lane: string
  readonly state: RedemptionState
  readonly approvedAt: number
  readonly detail: string
}

export interface ExportRow {
  readonly id: number
  readonly businessDay: string
  readonly at: number
  readonly staffId: string | null
  readonly rows: number
  readonly amountCents: number
  readonly miles: number
  readonly sha256: Buffer
  readonly copies: number
  readonly sentAt: number | null
  readonly sentBy: string | null
}

export interface LedgerSum {
  readonly rows: number
  readonly amountCents: number
  readonly miles: number
}

export type NewExport = Omit<ExportRow, 'id' | 'copies' | 'sentAt' | 'sentBy'> & {
  readonly copy: number
  readonly report: string | null
}

const APPROVED_ON_RETRY = `SELECT operation.id AS operationId, operation.sale_id AS saleId, sale.lane, operation.state,
  entry.at AS approvedAt, entry.detail
  FROM operation CROSS JOIN sale ON sale.id = operation.sale_id
  CROSS JOIN journal_entry AS entry ON entry.seq = (${entriesFrom('operation.newest_entry')} SELECT seq FROM entry_of
  CROSS JOIN journal_entry USING (seq) WHERE to_state = 'approved')
  WHERE operation.approved_on_attempt > 1`
/**
 * Starts from the small index of approvals on a retry; CROSS JOIN keeps this join order. `IS ?`: null selects approvals
 * in no original, a number those in that original.
 */
export const APPROVALS = `${APPROVED_ON_RETRY}
  AND (SELECT export_id FROM reconciliation_row WHERE operation_id = operation.id) IS ?
  ORDER BY +entry.seq`
export const APPROVAL_OF = `${APPROVED_ON_RETRY} AND operation.id = ?`

const NO_SUM: LedgerSum = { rows: 0, amountCents: 0, miles: 0 }

const ORIGINAL = `SELECT id, business_day AS businessDay, at, staff_id AS staffId, rows, amount_cents AS amountCents,
  miles, sha256,
  (SELECT max(copy) FROM reconciliation_export AS copies WHERE copies.business_day = original.business_day) AS copies,
  (SELECT sent.at FROM reconciliation_sent AS sent WHERE sent.export_id = original.id) AS sentAt,
  (SELECT sent.staff_id FROM reconciliation_sent AS sent WHERE sent.export_id = original.id) AS sentBy
  FROM reconciliation_export AS original WHERE copy = 0`

export const ORIGINALS = `${ORIGINAL} ORDER BY business_day DESC LIMIT ?`

/**
 * Totals of the approvals on a retry in operations and of the original reports. The difference must be the unreported
 * approvals; otherwise the lane has lost one.
 */
export const LEDGER = `SELECT count(*) AS rows, coalesce(sum(amount_cents), 0) AS amountCents,
  coalesce(sum(miles), 0) AS miles FROM operation WHERE approved_on_attempt > 1`
const REPORTED = `SELECT coalesce(sum(rows), 0) AS rows, coalesce(sum(amount_cents), 0) AS amountCents,
  coalesce(sum(miles), 0) AS miles FROM reconciliation_export WHERE copy = 0`
export const CLOSED_AT = 'SELECT at FROM z_report ORDER BY number DESC LIMIT ?'

export function createReconciliationRepository(db: Database) {
  const approvals = db.prepare<[number | null], ApprovalRow>(APPROVALS)
  const approval = db.prepare<[string], ApprovalRow>(APPROVAL_OF)
  const originals = db.prepare<[number], ExportRow>(ORIGINALS)
  const original = db.prepare<[string], ExportRow>(`${ORIGINAL} AND business_day = ?`)
  const reportedDays = db.prepare<[], { businessDay: string }>(
    'SELECT business_day AS businessDay FROM reconciliation_export WHERE copy = 0',
  )
  const insertExport = db.prepare(
    `INSERT INTO reconciliation_export (business_day, at, staff_id, copy, rows, amount_cents, miles, sha256, report)
      VALUES (@businessDay, @at, @staffId, @copy, @rows, @amountCents, @miles, @sha256, @report)`,
  )
  const originalReport = db
    .prepare<[string], string>('SELECT report FROM reconciliation_export WHERE business_day = ? AND copy = 0')
    .pluck()
  const insertSent = db.prepare(
    'INSERT INTO reconciliation_sent (export_id, at, staff_id, note) VALUES (@id, @at, @staffId, @note)',
  )
  const ledger = db.prepare<[], LedgerSum>(LEDGER)
  const reported = db.prepare<[], LedgerSum>(REPORTED)
  const closedAt = db.prepare<[number], number>(CLOSED_AT).pluck()
  const insertRow = db.prepare('INSERT INTO reconciliation_row (operation_id, export_id) VALUES (?, ?)')
  return {
    approvalOf: (operationId: string): ApprovalRow | undefined => approval.get(operationId),
    unreported: (): ApprovalRow[] => approvals.all(null),
    reportedIn: (exportId: number): ApprovalRow[] => approvals.all(exportId),
    originals: (limit: number): ExportRow[] => originals.all(limit),
    reportedDays: (): ReadonlySet<string> => new Set(reportedDays.all().map(({ businessDay }) => businessDay)),
    originalOf: (businessDay: string): ExportRow | undefined => original.get(businessDay),
    storedReport: (businessDay: string): string | undefined => originalReport.get(businessDay),
    /** Marks an original as sent. Throws if it was already marked: the key of the table is its id. */
    insertSent(tx: Tx, sent: { id: number; at: number; staffId: string; note: string }): void {
      tx.run(insertSent, sent)
    },
    ledger: (): LedgerSum => ledger.get() ?? NO_SUM,
    reportedSum: (): LedgerSum => reported.get() ?? NO_SUM,
    closedAt: (limit: number): number[] => closedAt.all(limit),
    insert(tx: Tx, entry: NewExport): number {
      return Number(tx.run(insertExport, entry).lastInsertRowid)
    },
    /**
     * Adds an approval to an original. Throws if an original already contains the approval: the key of the table is its
     * operation.
     */
    mark(tx: Tx, operationId: string, exportId: number): void {
      tx.run(insertRow, operationId, exportId)
    },
  }
}

export const reconciliationRowsOf = perLane(({ db }) => createReconciliationRepository(db))
