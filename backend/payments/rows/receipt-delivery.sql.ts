import type { DeliveryProblem } from '../../../contracts/payments/receipt-delivery.ts'
import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import { perLane } from '../../core/context.ts'

export interface DeliveryRow {
  readonly id: string
  readonly saleId: string
  readonly askedAt: number
  readonly askedBy: string
  readonly state: 'waiting' | 'sent' | 'failed'
  readonly tries: number
  readonly problem: DeliveryProblem | null
}

export interface WaitingRow extends DeliveryRow {
  readonly message: Buffer
}

export interface LinkRow {
  readonly saleId: string
  readonly token: string
  readonly expiresAt: number
}

const COLUMNS = 'id, sale_id AS saleId, asked_at AS askedAt, asked_by AS askedBy, state, tries, problem'

export const DELIVERY_SQL = {
  due: `SELECT ${COLUMNS}, message FROM receipt_delivery WHERE state = 'waiting' AND next_at <= ?
    ORDER BY next_at LIMIT 1`,
  nextAt: "SELECT min(next_at) FROM receipt_delivery WHERE state = 'waiting'",
  ofSale: 'SELECT count(*) FROM receipt_delivery WHERE sale_id = ?',
  waiting: `SELECT ${COLUMNS} FROM receipt_delivery WHERE state = 'waiting' ORDER BY next_at LIMIT 100`,
  failed: `SELECT ${COLUMNS} FROM receipt_delivery WHERE state <> 'waiting' AND state = 'failed' AND seen_by IS NULL
    ORDER BY ended_at DESC LIMIT 100`,
  linksWaiting: `SELECT sale_id AS saleId, token, expires_at AS expiresAt FROM receipt_link
    WHERE handed_over_at IS NULL AND expires_at > ? ORDER BY expires_at LIMIT 50`,
} as const

/** Rows of e-mails with receipts. An ended row has no message, and therefore no address. */
function createDeliveryRepository(db: Database) {
  const insert = db.prepare(
    `INSERT INTO receipt_delivery (id, sale_id, asked_at, asked_by, state, next_at, message)
      VALUES (@id, @saleId, @at, @by, 'waiting', @at, @message)`,
  )
  const due = db.prepare<[number], WaitingRow>(DELIVERY_SQL.due)
  const nextAt = db.prepare<[], number | null>(DELIVERY_SQL.nextAt).pluck()
  const ofSale = db.prepare<[string], number>(DELIVERY_SQL.ofSale).pluck()
  const waiting = db.prepare<[], DeliveryRow>(DELIVERY_SQL.waiting)
  const failed = db.prepare<[], DeliveryRow>(DELIVERY_SQL.failed)
  const one = db.prepare<[string], DeliveryRow>(`SELECT ${COLUMNS} FROM receipt_delivery WHERE id = ?`)
  const putOff = db.prepare('UPDATE receipt_delivery SET tries = tries + 1, next_at = ?, problem = ? WHERE id = ?')
  const end = db.prepare(
    `UPDATE receipt_delivery SET state = ?, tries = tries + 1, next_at = NULL, problem = ?, message = NULL, ended_at = ?
      WHERE id = ?`,
  )
  const seen = db.prepare("UPDATE receipt_delivery SET seen_by = ? WHERE id = ? AND state = 'failed'")
  const removeOld = db.prepare("DELETE FROM receipt_delivery WHERE state <> 'waiting' AND ended_at < ?")
  return {
    insert(tx: Tx, row: { id: string; saleId: string; at: number; by: string; message: Buffer }): void {
      tx.run(insert, row)
    },
    due: (now: number): WaitingRow | undefined => due.get(now),
    nextAt: (): number | null => nextAt.get() ?? null,
    numberOfSale: (saleId: string): number => ofSale.get(saleId) ?? 0,
    listed: (): DeliveryRow[] => [...failed.all(), ...waiting.all()],
    byId: (id: string): DeliveryRow | undefined => one.get(id),
    putOff(tx: Tx, id: string, next: number, problem: DeliveryProblem): void {
      tx.run(putOff, next, problem, id)
    },
    /** Ends an e-mail and deletes its message with the address. */
    end(tx: Tx, id: string, state: 'sent' | 'failed', problem: DeliveryProblem | null, at: number): void {
      tx.run(end, state, problem, at, id)
    },
    markSeen: (tx: Tx, id: string, staffId: string): number => tx.run(seen, staffId, id).changes,
    removeEndedBefore: (tx: Tx, at: number): void => {
      tx.run(removeOld, at)
    },
  }
}

function createLinkRepository(db: Database) {
  const insert = db.prepare('INSERT INTO receipt_link (sale_id, token, expires_at) VALUES (?, ?, ?)')
  const ofSale = db.prepare<[string, number], string>(
    'SELECT token FROM receipt_link WHERE sale_id = ? AND expires_at > ?',
  )
  const waiting = db.prepare<[number], LinkRow>(DELIVERY_SQL.linksWaiting)
  const handedOver = db.prepare('UPDATE receipt_link SET handed_over_at = ? WHERE sale_id = ?')
  const removeExpired = db.prepare('DELETE FROM receipt_link WHERE expires_at <= ?')
  return {
    insert(tx: Tx, { saleId, token, expiresAt }: LinkRow): void {
      tx.run(insert, saleId, token, expiresAt)
    },
    tokenOf: (saleId: string, now: number): string | null => ofSale.pluck().get(saleId, now) ?? null,
    waiting: (now: number): LinkRow[] => waiting.all(now),
    handOver(tx: Tx, saleId: string, at: number): void {
      tx.run(handedOver, at, saleId)
    },
    removeExpired: (tx: Tx, now: number): void => {
      tx.run(removeExpired, now)
    },
  }
}

export const deliveryRowsOf = perLane(({ db }) => createDeliveryRepository(db))
export const linkRowsOf = perLane(({ db }) => createLinkRepository(db))
