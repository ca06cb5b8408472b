import { ReceiptDocument, type DocumentKind, type PrintState } from '../../../contracts/receipt.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'

/** What a paper is of. */
export interface DocumentKey {
  readonly kind: DocumentKind
  /**
   * Id of the sale, the return or the voucher, or the name of a paper of none of them: no two documents share one, but
   * a gift receipt has its sale's.
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
/** Which column names what a paper is of. */
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

export type ReceiptsRepository = ReturnType<typeof createReceiptsRepository>

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
  const settle = db.prepare('UPDATE print_job SET state = ?, detail = ? WHERE id = ?')
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
     * Gift receipts and documents of payments given back are not among those of their sale: nobody counts them as
     * copies.
     */
    ofDocument: (id: string): PrintJob[] => jobsOf.all({ id }).map(jobOf),
    start: (tx: Tx, id: string, at: number): void => {
      tx.run(start, at, id)
    },
    settle: (tx: Tx, id: string, state: PrintState, detail: string | null): void => {
      tx.run(settle, state, detail, id)
    },
    /**
     * A job that had begun when the program stopped: nobody knows what is on the paper, so only a person prints it
     * again.
     */
    abandonStarted: (tx: Tx): void => {
      tx.run(abandon)
    },
  }
}
