import { type DocumentKind, type PrintState, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { AuditKind } from '../../../contracts/staff/audit-kinds.ts'
import type { AuditTrail } from '../../core/audit.ts'
import { perLane } from '../../core/context.ts'
import { devicesOf } from '../../core/devices/hub.ts'

export interface DocumentKey {
  readonly kind: DocumentKind
  /**
   * Id of the document's sale, return or voucher, or a name for other documents. Unique, except that a gift receipt and
   * the slip of a payment given back have the id of their sale.
   */
  readonly id: string
}

export interface PrintJob {
  readonly id: string
  readonly paper: DocumentKind
  readonly documentId: string
  readonly copy: number
  readonly document: ReceiptDocument
  readonly openDrawer: boolean
  readonly state: PrintState
  readonly createdAt: number
  readonly startedAt: number | null
}

interface Row {
  readonly id: string
  readonly paper: DocumentKind
  readonly documentId: string
  readonly copy: number
  readonly document: string
  readonly openDrawer: 0 | 1
  readonly state: PrintState
  readonly createdAt: number
  readonly startedAt: number | null
}

const SELECT = `SELECT id, kind AS paper, coalesce(sale_id, return_id, voucher_id, subject) AS documentId, copy,
  document,
  open_drawer AS openDrawer, state, created_at AS createdAt, started_at AS startedAt FROM print_job`
const COLUMN_OF: Readonly<Record<DocumentKind, 'sale' | 'return' | 'voucher' | 'subject'>> = {
  sale: 'sale',
  'store-sale': 'subject',
  gift: 'sale',
  'payment-back': 'sale',
  return: 'return',
  voucher: 'voucher',
  'cash-movement': 'subject',
  shift: 'subject',
  'z-report': 'subject',
  closing: 'subject',
}
const jobOf = (row: Row): PrintJob => ({
  ...row,
  document: ReceiptDocument.parse(JSON.parse(row.document)),
  openDrawer: row.openDrawer === 1,
})

export const CLOSED = "sale.lane = @lane AND sale.state <> 'open'"
export const IN_DOUBT = `(SELECT DISTINCT sale_id FROM print_job WHERE state IN ('failed', 'unknown')
  AND kind = 'sale') AS doubt
  CROSS JOIN sale ON sale.id = doubt.sale_id`
export const NOT_ON_PAPER =
  "NOT EXISTS (SELECT 1 FROM print_job WHERE sale_id = sale.id AND kind = 'sale' AND state IN ('sent', 'confirmed'))"

/**
 * SQL for documents that were not printed: with a failed or lost print job, and none that succeeded. Excludes receipts
 * of sales, gift receipts and slips of payments given back.
 */
export const OTHER_UNPRINTED = `(SELECT DISTINCT return_id, voucher_id, subject, kind
  FROM print_job INDEXED BY print_job_other_in_doubt WHERE state IN ('failed', 'unknown')
    AND kind IN ('return', 'voucher', 'cash-movement', 'shift', 'z-report', 'closing')) AS doubt
  WHERE ${['return_id', 'voucher_id', 'subject']
    .map(
      (of) => `NOT EXISTS (SELECT 1 FROM print_job AS done WHERE done.${of} = doubt.${of}
    AND done.state IN ('sent', 'confirmed'))`,
    )
    .join(' AND ')}`

export const NOT_ON_PAPER_SQL = {
  count: `SELECT count(*) FROM ${IN_DOUBT} WHERE ${CLOSED} AND ${NOT_ON_PAPER}`,
  otherCount: `SELECT count(*) FROM ${OTHER_UNPRINTED}`,
} as const

/** Counts receipts and other documents whose print jobs all failed or were lost; zero at a lane without a printer. */
export const notOnPaperOf = perLane((ctx) => {
  const sales = ctx.db.prepare<[{ lane: string }], number>(NOT_ON_PAPER_SQL.count).pluck()
  const others = ctx.db.prepare<[], number>(NOT_ON_PAPER_SQL.otherCount).pluck()
  return (): number =>
    devicesOf(ctx).printer === null ? 0 : (sales.get({ lane: ctx.lane.id }) ?? 0) + (others.get() ?? 0)
})

export function createReceiptsRepository(db: Database) {
  const insert = db.prepare(
    `INSERT INTO print_job (id, kind, sale_id, return_id, voucher_id, subject, copy, document, open_drawer, state,
      created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?)`,
  )
  const next = db.prepare<[], Row>(`${SELECT} WHERE state = 'queued' ORDER BY created_at LIMIT 1`)
  const jobsOf = db.prepare<{ id: string }, Row>(
    `${SELECT} WHERE (sale_id = @id OR return_id = @id OR voucher_id = @id OR subject = @id)
      AND kind NOT IN ('gift', 'payment-back')
      ORDER BY created_at, rowid`,
  )
  const start = db.prepare('UPDATE print_job SET started_at = ? WHERE id = ?')
  const finish = db.prepare('UPDATE print_job SET state = ?, detail = ? WHERE id = ?')
  const abandon = db.prepare(
    `UPDATE print_job SET state = 'unknown', detail = 'the terminal stopped while printing' WHERE state = 'queued'
      AND started_at IS NOT NULL`,
  )
  return {
    insert(
      tx: Tx,
      job: {
        id: string
        paper: DocumentKey
        copy: number
        document: ReceiptDocument
        openDrawer: boolean
        at: number
      },
    ): void {
      const { kind, id } = job.paper
      const column = COLUMN_OF[kind]
      tx.run(
        insert,
        job.id,
        kind,
        column === 'sale' ? id : null,
        column === 'return' ? id : null,
        column === 'voucher' ? id : null,
        column === 'subject' ? id : null,
        job.copy,
        JSON.stringify(job.document),
        job.openDrawer ? 1 : 0,
        job.at,
      )
    },
    next(): PrintJob | undefined {
      const row = next.get()
      return row && jobOf(row)
    },
    /**
     * Returns the print jobs of a document, except those of gift receipts and of slips of payments given back, which do
     * not count as copies of the receipt.
     */
    ofDocument: (id: string): PrintJob[] => jobsOf.all({ id }).map(jobOf),
    start: (tx: Tx, id: string, at: number): void => {
      tx.run(start, at, id)
    },
    finish: (tx: Tx, id: string, state: PrintState, detail: string | null): void => {
      tx.run(finish, state, detail, id)
    },
    /**
     * Marks print jobs as unknown that were interrupted when the program stopped. They may be on paper, so they are
     * printed again only on request.
     */
    abandonStarted: (tx: Tx): void => {
      tx.run(abandon)
    },
  }
}
type Job = Pick<PrintJob, 'id' | 'documentId' | 'createdAt'>

const KIND = { asked: 'voucher-paper-asked', started: 'voucher-paper-started', failed: 'voucher-paper-failed' } as const
/** Tolerance in ms for a set-back clock when audit entries are compared with the print queue. */
const BEFORE_MS = 86_400_000

/**
 * Guards the printing of voucher documents, with which anyone can pay. The audit trail records that each job was
 * requested, started or certainly printed nothing; a job written directly into the print queue is not printed.
 */
export function createTenderDocuments(audit: Pick<AuditTrail, 'record' | 'about'>) {
  const record = (tx: Tx, kind: AuditKind, { id, documentId }: Pick<Job, 'id' | 'documentId'>): void => {
    audit.record(tx, { kind, actorId: null, subject: documentId, detail: { job: id } })
  }
  const dequeue = (
    voucherId: string,
    since: number,
  ): { asked: Set<unknown>; started: Set<unknown>; failed: Set<unknown> } => {
    const entries = audit.about(voucherId, since - BEFORE_MS)
    const jobs = (kind: string): Set<unknown> =>
      new Set(entries.filter((entry) => entry.kind === kind).map(({ detail }) => detail['job']))
    return { asked: jobs(KIND.asked), started: jobs(KIND.started), failed: jobs(KIND.failed) }
  }
  return {
    asked: (tx: Tx, job: Pick<Job, 'id' | 'documentId'>): void => {
      record(tx, KIND.asked, job)
    },
    /**
     * Records the start of a print job. Returns true once for each job that was requested; false otherwise, so that it
     * is not printed.
     */
    begin(tx: Tx, job: Job): boolean {
      const { asked, started } = dequeue(job.documentId, job.createdAt)
      if (!asked.has(job.id) || started.has(job.id)) return false
      record(tx, KIND.started, job)
      return true
    },
    printedNothing: (tx: Tx, job: Pick<Job, 'id' | 'documentId'>): void => {
      record(tx, KIND.failed, job)
    },
    /** Whether the document of a voucher may be on paper: a print was started and is not known to have failed. */
    mayBePrinted(voucherId: string, issuedAt: number): boolean {
      const { started, failed } = dequeue(voucherId, issuedAt)
      return [...started].some((job) => !failed.has(job))
    },
  }
}

export const receiptRowsOf = perLane(({ db }) => createReceiptsRepository(db))
