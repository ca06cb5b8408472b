import type { VoucherId, VoucherKind } from '../../../contracts/payments/vouchers.ts'
import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import { perLane } from '../../core/context.ts'

export interface DrawRow {
  readonly id: string
  readonly voucherId: VoucherId
  readonly saleId: string
  readonly amountCents: number
  readonly state: 'asked' | 'cancelling' | 'drawn' | 'refused' | 'cancelled' | 'left'
}

export interface NewTransfer {
  readonly id: string
  readonly voucherId: VoucherId
  readonly direction: 'drawn' | 'handed-over'
  readonly amountCents: number
  readonly at: number
  readonly reason: 'payment' | 'surplus' | 'restore'
}

export interface NewVoucher {
  readonly id: VoucherId
  readonly kind: VoucherKind
  readonly codeHash: Buffer
  readonly codeSealed: Buffer
  readonly last4: string
  readonly issuedAt: number
}

/** A voucher with value at this lane. `isOwn`: whether it was issued here. */
export interface LocalValueRow {
  readonly id: VoucherId
  readonly hereCents: number
  readonly isOwn: 0 | 1
}

export interface ShownRow extends LocalValueRow {
  readonly kind: VoucherKind
  readonly last4: string
  readonly issuedAt: number
}

/** Minimum schema version of a program that may open this database after a voucher was transferred to the store. */
const NEEDS_SCHEMA = 3
const HERE = '(SELECT coalesce(sum(cents), 0) FROM voucher_movement WHERE voucher_id = voucher.id)'
const OWN = "EXISTS (SELECT 1 FROM voucher_entry WHERE voucher_id = voucher.id AND kind = 'issued')"
const DRAW =
  'SELECT id, voucher_id AS voucherId, sale_id AS saleId, amount_cents AS amountCents, state FROM voucher_draw'
export const OPEN_DRAWS = `${DRAW} WHERE state IN ('asked', 'cancelling') ORDER BY asked_at`
const EPOCH = `SELECT coalesce(max(number), 1) AS epoch FROM lane_epoch`
const COMPARING = `SELECT last_entry AS lastEntry, compared_at AS comparedAt FROM voucher_epoch WHERE epoch = ?`
/**
 * SQL for the value of a voucher that was transferred to the store but not confirmed by the server, and cannot be spent
 * anywhere yet.
 */
const IN_TRANSIT = `SELECT coalesce(sum(amount_cents), 0) FROM store_stream AS stream
  JOIN store_fact AS fact ON fact.epoch = stream.epoch AND fact.seq > stream.told AND fact.kind = 'voucher-transfer'
  JOIN voucher_transfer AS moved ON moved.id = fact.subject AND direction = 'handed-over' AND voucher_id = ?`
function createMovedRows(db: Database) {
  const insertVoucher = db.prepare(
    `INSERT INTO voucher (id, kind, code_hash, code_sealed, last4, issued_at)
      VALUES (@id, @kind, @codeHash, @codeSealed, @last4, @issuedAt)`,
  )
  const here = db.prepare<[string], number>(`SELECT ${HERE} FROM voucher WHERE id = ?`).pluck()
  const SHOWN = `SELECT id, kind, last4, issued_at AS issuedAt, ${HERE} AS hereCents, ${OWN} AS isOwn FROM voucher`
  const byHash = db.prepare<[Buffer], ShownRow>(`${SHOWN} WHERE code_hash = ?`)
  const byId = db.prepare<[string], ShownRow>(`${SHOWN} WHERE id = ?`)
  const withLocalValue = db.prepare<[], LocalValueRow>(
    `SELECT * FROM (SELECT id, ${HERE} AS hereCents, ${OWN} AS isOwn FROM voucher) WHERE hereCents > 0`,
  )
  const all = db.prepare<[], { id: VoucherId; codeSealed: Buffer; hereCents: number }>(
    `SELECT id, code_sealed AS codeSealed, ${HERE} AS hereCents FROM voucher`,
  )
  const sealedOf = db.prepare<[string], Buffer>('SELECT code_sealed FROM voucher WHERE id = ?').pluck()
  const insertTransfer = db.prepare(
    `INSERT INTO voucher_transfer (id, voucher_id, direction, amount_cents, at, reason)
      VALUES (@id, @voucherId, @direction, @amountCents, @at, @reason)`,
  )
  const insertUse = db.prepare(
    `INSERT INTO voucher_use (voucher_id, at, kind, amount_cents, sale_id)
      VALUES (@voucherId, @at, @kind, @amountCents, @saleId)`,
  )
  const usedOn = db
    .prepare<[string, string], number>(
      `SELECT coalesce(sum(iif(kind = 'redeemed', amount_cents, -amount_cents)), 0) FROM voucher_use
        WHERE voucher_id = ? AND sale_id = ?`,
    )
    .pluck()
  const leftOn = db
    .prepare<[string, string], number>(
      `SELECT voucher_balance_cents FROM tender WHERE sale_id = ? AND voucher_id = ? ORDER BY number DESC LIMIT 1`,
    )
    .pluck()
  const inTransit = db.prepare<[string], number>(IN_TRANSIT).pluck()
  const hasMoved = db.prepare<[string], number>('SELECT 1 FROM voucher_transfer WHERE voucher_id = ? LIMIT 1').pluck()

  return {
    insertVoucher: (tx: Tx, voucher: NewVoucher): void => void tx.run(insertVoucher, voucher),
    byHash: (hash: Buffer): ShownRow | null => byHash.get(hash) ?? null,
    byId: (id: string): ShownRow | null => byId.get(id) ?? null,
    here: (id: string): number => here.get(id) ?? 0,
    /** Returns all vouchers with value at this lane. Scans the whole table. */
    withLocalValue: (): LocalValueRow[] => withLocalValue.all(),
    all: () => all.all(),
    sealedOf: (id: string): Buffer | null => sealedOf.get(id) ?? null,
    insertTransfer: (tx: Tx, transfer: NewTransfer): void => void tx.run(insertTransfer, transfer),
    use(
      tx: Tx,
      use: {
        readonly voucherId: VoucherId
        readonly at: number
        readonly kind: 'redeemed' | 'given-back'
        readonly amountCents: number
        readonly saleId: string
      },
    ): void {
      tx.run(insertUse, use)
    },
    usedOn: (voucherId: string, saleId: string): number => usedOn.get(voucherId, saleId) ?? 0,
    /** Value of a voucher after its newest payment or give-back on this sale, regardless of where the value is now. */
    leftOn: (saleId: string, voucherId: string): number => leftOn.get(saleId, voucherId) ?? 0,
    onItsWay: (voucherId: string): number => inTransit.get(voucherId) ?? 0,
    hasMoved: (voucherId: string): boolean => hasMoved.get(voucherId) !== undefined,
  }
}

function createDrawRows(db: Database) {
  const insertDraw = db.prepare(
    `INSERT INTO voucher_draw (id, voucher_id, sale_id, amount_cents, asked_at, state)
      VALUES (@id, @voucherId, @saleId, @amountCents, @at, 'asked')`,
  )
  const setDraw = db.prepare('UPDATE voucher_draw SET state = @state WHERE id = @id')
  const openDraws = db.prepare<[], DrawRow>(OPEN_DRAWS)
  const drawById = db.prepare<[string], DrawRow>(`${DRAW} WHERE id = ?`)
  const openOf = db.prepare<[string], DrawRow>(
    `${DRAW} WHERE voucher_id = ? AND state IN ('asked', 'cancelling') ORDER BY asked_at`,
  )

  return {
    insertDraw: (tx: Tx, draw: Omit<DrawRow, 'state'> & { readonly at: number }): void => void tx.run(insertDraw, draw),
    setDraw: (tx: Tx, id: string, state: DrawRow['state']): void => void tx.run(setDraw, { id, state }),
    openDraws: (): DrawRow[] => openDraws.all(),
    drawById: (id: string): DrawRow | null => drawById.get(id) ?? null,
    openDrawsOf: (voucherId: string): DrawRow[] => openOf.all(voucherId),
  }
}

function createEpochRows(db: Database) {
  const isMarked = db.prepare<[number], number>('SELECT readable_from >= ? FROM schema_mark').pluck()
  const mark = db.prepare('UPDATE schema_mark SET readable_from = max(readable_from, ?)')
  const epoch = db.prepare<[], number>(EPOCH).pluck()
  const comparing = db.prepare<[number], { lastEntry: number; comparedAt: number | null }>(COMPARING)
  const insertEpoch = db.prepare(
    `INSERT INTO voucher_epoch (epoch, last_entry, compared_at)
      VALUES (?, (SELECT coalesce(max(id), 0) FROM voucher_entry), NULL)`,
  )
  const setCompared = db.prepare('UPDATE voucher_epoch SET compared_at = ? WHERE epoch = ?')
  const firstEntry = db
    .prepare<[string], number | null>('SELECT min(id) FROM voucher_entry WHERE voucher_id = ?')
    .pluck()
  const heads = db.prepare<[], { name: string; last: number; isNewest: 0 | 1 }>(
    `SELECT name, epoch = (SELECT max(epoch) FROM store_stream) AS isNewest,
      coalesce((SELECT max(seq) FROM store_fact WHERE epoch = stream.epoch), 0) AS last
      FROM store_stream AS stream`,
  )

  return {
    /** Whether `mark` has prevented earlier programs from opening this database. */
    isMarked: (): boolean => isMarked.get(NEEDS_SCHEMA) === 1,
    mark: (tx: Tx): void => void tx.run(mark, NEEDS_SCHEMA),
    epoch: (): number => epoch.get() ?? 1,
    /**
     * For the epoch of a restore: the last voucher entry of the backup, and when vouchers were compared with the store
     * server (null before that). Null if `noteEpoch` was not called.
     */
    comparing: (ofEpoch: number) => comparing.get(ofEpoch) ?? null,
    noteEpoch: (tx: Tx, ofEpoch: number): void => void tx.run(insertEpoch, ofEpoch),
    compared: (tx: Tx, ofEpoch: number, at: number): void => void tx.run(setCompared, at, ofEpoch),
    firstEntry: (voucherId: string): number | null => firstEntry.get(voucherId) ?? null,
    heads: () => heads.all(),
  }
}

export const createStoreVouchersRepository = (db: Database) => ({
  ...createMovedRows(db),
  ...createDrawRows(db),
  ...createEpochRows(db),
})

export const storeVoucherRowsOf = perLane(({ db }) => createStoreVouchersRepository(db))
