import { z } from 'zod'
import { paidBy } from '../../../contracts/store/facts.ts'
import { StoreReceipt } from '../../../contracts/store/receipts.ts'
import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import { placeOf, type Seal } from '../../core/integrity/seal.ts'
import type { RefundRow } from './returns.sql.ts'
import type { Pieces } from '../../sales/sale/basket.ts'
import { SaleSecret } from '../../store/store-seal.ts'
import { perLane } from '../../core/context.ts'

export type ReservationState = 'asked' | 'granted' | 'committed' | 'releasing' | 'released'
export interface ReservationRow {
  readonly id: string
  readonly saleId: string
  readonly state: ReservationState
  readonly returnId: string | null
}

const RESERVATION = 'SELECT id, sale_id AS saleId, state, return_id AS returnId FROM store_claim'
/**
 * SQL for the open reservations of returns. Excludes requested and granted reservations from before the last restore
 * of this lane, whose backup may lack their outcome.
 */
export const OPEN_RESERVATIONS = `${RESERVATION} WHERE state IN ('asked', 'granted', 'releasing')
  AND (state = 'releasing' OR asked_at >= (SELECT coalesce(max(at), 0) FROM lane_epoch)) ORDER BY asked_at`
/** SQL for whether the store server has confirmed a sale, so that other lanes may return its goods. */
export const CONFIRMED = `SELECT confirmed.seq >= fact.seq FROM store_fact AS fact
  JOIN store_confirmed AS confirmed ON confirmed.epoch = fact.epoch WHERE fact.subject = ? AND fact.kind = 'sale'`
const FULLY_SENT = `SELECT name, told AS confirmed FROM store_stream AS stream
  WHERE told >= coalesce((SELECT max(seq) FROM store_fact WHERE epoch = stream.epoch), 0)`
const ReturnableLines = z.array(z.object({ number: z.int(), quantity: z.int() }))

interface StoredSaleRow {
  readonly receipt: string
  readonly secretSealed: Buffer | null
}
function createStoreSaleRows(db: Database, seal: Pick<Seal, 'seal' | 'open'>) {
  const saleById = db.prepare<[string], StoredSaleRow>(
    'SELECT receipt, secret_sealed AS secretSealed FROM store_sale WHERE id = ?',
  )
  const insertSale = db.prepare('INSERT INTO store_sale (id, lane, receipt, secret_sealed) VALUES (?, ?, ?, ?)')
  const insertSold = db.prepare('INSERT INTO store_sale_line (sale_id, number, sold) VALUES (?, ?, ?)')
  const insertPaid = db.prepare(
    'INSERT INTO store_sale_payment (sale_id, paid_by, paid_cents, coin_cents) VALUES (?, ?, ?, ?)',
  )
  const insertReturn = db.prepare(
    'INSERT INTO store_return (return_id, sale_id, approved_by, reason) VALUES (@id, @saleId, @approvedBy, @reason)',
  )
  const insertLine = db.prepare(
    'INSERT INTO store_return_line (return_id, number, sale_line_number, quantity) VALUES (?, ?, ?, ?)',
  )
  const insertRefund =
    db.prepare(`INSERT INTO store_refund (return_id, number, kind, paid_by, amount_cents, rounding_cents, reference,
      operation_id, voucher_id)
    VALUES (@returnId, @number, @kind, @paidBy, @amountCents, @roundingCents, @reference, @operationId, @voucherId)`)
  const returnCount = db.prepare<[string], number>('SELECT count(*) FROM store_return WHERE sale_id = ?').pluck()
  const hasReturn = db.prepare<[string], number>('SELECT 1 FROM sale_return WHERE id = ?').pluck()
  const insertDue = db.prepare('INSERT INTO store_miles_due (return_id, goods) VALUES (?, ?)')
  const openDue = db.prepare<[], { returnId: string; saleId: string; left: string }>(
    `SELECT due.return_id AS returnId, sale_id AS saleId, goods AS left FROM store_miles_due AS due
      JOIN store_return USING (return_id) WHERE done_at IS NULL ORDER BY due.return_id`,
  )
  const endDue = db.prepare('UPDATE store_miles_due SET done_at = ? WHERE return_id = ?')
  const placeOfSecret = (id: string): string => placeOf('store_sale', 'secret_sealed', id)
  function insertPayments(tx: Tx, { sale }: StoreReceipt): void {
    for (const [pool, { cents, coins }] of paidBy(sale)) tx.run(insertPaid, sale.id, pool, cents, coins)
  }

  return {
    returnCount: (saleId: string): number => returnCount.get(saleId) ?? 0,
    hasReturn: (id: string): boolean => hasReturn.get(id) !== undefined,
    saleById(id: string): { receipt: StoreReceipt; secret: SaleSecret } | null {
      const row = saleById.get(id)
      return row === undefined
        ? null
        : {
            receipt: StoreReceipt.parse(JSON.parse(row.receipt)),
            secret: SaleSecret.parse(
              row.secretSealed === null ? {} : JSON.parse(seal.open(row.secretSealed, placeOfSecret(id)).toString()),
            ),
          }
    },
    storeSale(tx: Tx, receipt: StoreReceipt, secret: SaleSecret): void {
      const { id, lines } = receipt.sale
      if (saleById.get(id) !== undefined) return
      const sealed =
        Object.keys(secret).length === 0 ? null : seal.seal(Buffer.from(JSON.stringify(secret)), placeOfSecret(id))
      tx.run(insertSale, id, receipt.lane, JSON.stringify({ ...receipt, sealed: null, returns: [] }), sealed)
      for (const { number, quantity, voided } of lines) if (voided === 0) tx.run(insertSold, id, number, quantity)
      insertPayments(tx, receipt)
    },
    insertReturn(
      tx: Tx,
      row: { id: string; saleId: string; approvedBy: string | null; reason: string | null },
      pieces: readonly Pieces[],
    ): void {
      tx.run(insertReturn, row)
      for (const [index, { number, quantity }] of pieces.entries())
        tx.run(insertLine, row.id, index + 1, number, quantity)
    },
    insertRefund: (tx: Tx, returnId: string, refund: RefundRow): void =>
      void tx.run(insertRefund, { returnId, ...refund }),
    insertDue: (tx: Tx, returnId: string, left: readonly Pieces[]): void =>
      void tx.run(insertDue, returnId, JSON.stringify(left)),
    openDue: () => openDue.all().map(({ left, ...row }) => ({ ...row, left: ReturnableLines.parse(JSON.parse(left)) })),
    endDue: (tx: Tx, returnId: string, at: number): void => void tx.run(endDue, at, returnId),
  }
}

function createReservationRows(db: Database) {
  const confirmed = db.prepare<[string], number>(CONFIRMED).pluck()
  const fullySent = db.prepare<[], { name: string; confirmed: number }>(FULLY_SENT)
  const insertReservation = db.prepare(
    "INSERT INTO store_claim (id, sale_id, state, asked_at) VALUES (?, ?, 'asked', ?)",
  )
  const moveReservation = db.prepare('UPDATE store_claim SET state = ? WHERE id = ?')
  const commitReservation = db.prepare("UPDATE store_claim SET state = 'committed', return_id = ? WHERE id = ?")
  const openReservations = db.prepare<[], ReservationRow>(OPEN_RESERVATIONS)
  const reservationsOf = db.prepare<[string], ReservationRow>(`${RESERVATION} WHERE sale_id = ?`)
  const releasedReservation = db.prepare<[string], ReservationRow>(`${RESERVATION} WHERE id = ? AND state = 'released'`)

  return {
    isConfirmed: (saleId: string): boolean => confirmed.get(saleId) === 1,
    fullySent: (): Record<string, number> =>
      Object.fromEntries(fullySent.all().map(({ name, confirmed: seq }) => [name, seq])),
    insertReservation: (tx: Tx, id: string, saleId: string, at: number): void =>
      void tx.run(insertReservation, id, saleId, at),
    moveReservation: (tx: Tx, id: string, state: Exclude<ReservationState, 'committed'>): void =>
      void tx.run(moveReservation, state, id),
    commitReservation: (tx: Tx, id: string, returnId: string): void => void tx.run(commitReservation, returnId, id),
    openReservations: (): ReservationRow[] => openReservations.all(),
    reservationsOf: (saleId: string): ReservationRow[] => reservationsOf.all(saleId),
    releasedReservation: (id: string): ReservationRow | null => releasedReservation.get(id) ?? null,
  }
}

export const createStoreReturnsRepository = (db: Database, seal: Pick<Seal, 'seal' | 'open'>) => ({
  ...createStoreSaleRows(db, seal),
  ...createReservationRows(db),
})

export const storeReturnsRepositoryOf = perLane(({ db, seal }) => createStoreReturnsRepository(db, seal))
