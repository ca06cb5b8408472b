import type { SaleId } from '../../../contracts/core/ids.ts'
import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import { perLane } from '../../core/context.ts'

export interface HeldRow {
  readonly id: SaleId
  readonly heldAs: string
  readonly heldAt: number
  /** Name of the person who put the sale on hold; null if this lane's staff table does not have the person. */
  readonly cashier: string | null
}

const ROW = `SELECT sale.id, held_as AS heldAs, held_at AS heldAt, staff.name AS cashier FROM sale
  LEFT JOIN staff ON staff.id = coalesce(served_by, cashier_id)`
/** SQL of the list of held sales. Exported for the test of its query plan. */
export const HELD = `${ROW} WHERE sale.lane = ? AND held_at IS NOT NULL ORDER BY held_at`

export function createHeldSalesRepository(db: Database) {
  const list = db.prepare<[string], HeldRow>(HELD)
  const row = db.prepare<[string], HeldRow>(`${ROW} WHERE sale.id = ? AND held_at IS NOT NULL`)
  const hold = db.prepare('UPDATE sale SET held_at = ?, held_as = ?, served_by = ? WHERE id = ?')
  // Send INQUIRE again: the redeemable miles may have changed while the sale was on hold.
  const resume = db.prepare(
    `UPDATE sale SET held_at = NULL, held_as = NULL, inquiry = NULL, member_state = CASE
      WHEN member_state IS NULL THEN NULL ELSE 'pending' END WHERE id = ?`,
  )
  return {
    list: (lane: string): HeldRow[] => list.all(lane),
    row: (id: string): HeldRow | undefined => row.get(id),
    hold: (tx: Tx, id: string, at: number, name: string, staffId: string): void =>
      void tx.run(hold, at, name, staffId, id),
    resume: (tx: Tx, id: string): void => void tx.run(resume, id),
  }
}

/** Value of the column `lane` for a held sale whose reservation the store server manages (migration store_holds). */
export const IN_STORE = 'store'
/**
 * Value of the column `lane` for a sale that this lane resumed in a period lost by a restore. Such a sale is never
 * listed, offered or resumed.
 */
export const RESUMED_BEFORE = 'before'

export interface HoldRow {
  readonly id: string
  readonly saleId: SaleId
  readonly state: 'offered' | 'given' | 'kept' | 'ended'
}
export interface ReservationRow {
  readonly id: string
  readonly heldSale: SaleId
  readonly state: 'asked' | 'back' | 'over' | 'done'
}
export interface CopyRow {
  readonly saleId: SaleId
  readonly heldSale: SaleId
}

/**
 * SQL of the held sales without an open offer to the store server. Excludes sales with a gift card, whose code other
 * lanes cannot decrypt.
 */
export const UNOFFERED = `SELECT id FROM sale WHERE lane = ? AND held_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM store_hold WHERE sale_id = sale.id AND state IN ('offered', 'given'))
  AND NOT EXISTS (SELECT 1 FROM sale_gift_card WHERE sale_id = sale.id) ORDER BY held_at`
/**
 * SQL that marks the states of unfinished held sales to be sent again. Starts from the sales that were ever held, which
 * are few.
 */
export const FORGET = `UPDATE store_hold SET told = 0 WHERE told = 1 AND state IN ('given', 'kept')
  AND EXISTS (SELECT 1 FROM sale WHERE sale.id = store_hold.sale_id AND state = 'open')`
const HOLD = 'SELECT id, sale_id AS saleId, state FROM store_hold'
const RESERVATION = 'SELECT id, held_sale AS heldSale, state FROM store_hold_claim'
function createHoldRows(db: Database) {
  const unoffered = db.prepare<[string], SaleId>(UNOFFERED).pluck()
  const unsent = db.prepare<[], HoldRow>(`${HOLD} WHERE told = 0 ORDER BY id`)
  const openOf = db.prepare<[string], HoldRow>(`${HOLD} WHERE sale_id = ? AND state IN ('offered', 'given')`)
  const insert = db.prepare("INSERT INTO store_hold (id, sale_id, state) VALUES (?, ?, 'offered')")
  const become = db.prepare('UPDATE store_hold SET state = ?, told = 0 WHERE id = ?')
  const end = db.prepare(
    `UPDATE store_hold SET state = 'ended', told = 1, to_lane = @lane, by_name = @by, at = @at
      WHERE sale_id = @saleId AND state IN ('offered', 'given')`,
  )
  const isOnHold = db
    .prepare<[string, string], number>(
      `SELECT 1 FROM sale WHERE id = ? AND held_at IS NOT NULL AND lane IN (?, '${IN_STORE}')`,
    )
    .pluck()
  const mayBeGiven = db
    .prepare<[string, string], number>(
      `SELECT 1 FROM sale WHERE id = ? AND (lane = '${IN_STORE}'
        OR (lane = ? AND sequence < (SELECT max(first_sequence) FROM lane_epoch)))`,
    )
    .pluck()
  const forget = db.prepare(FORGET)
  const markSent = db.prepare('UPDATE store_hold SET told = 1 WHERE id = ? AND state = ?')
  const place = db.prepare('UPDATE sale SET lane = ? WHERE id = ? AND held_at IS NOT NULL')

  return {
    unoffered: (lane: string): SaleId[] => unoffered.all(lane),
    unsent: (): HoldRow[] => unsent.all(),
    openOf: (saleId: string): HoldRow | undefined => openOf.get(saleId),
    offer: (tx: Tx, id: string, saleId: string): void => void tx.run(insert, id, saleId),
    become: (tx: Tx, id: string, state: 'given' | 'kept'): void => void tx.run(become, state, id),
    /** Records that a held sale was resumed: by the lane `toLane`, or by this lane if it is null. */
    end: (tx: Tx, saleId: string, toLane: { lane: string; by: string; at: number } | null): boolean =>
      tx.run(end, { saleId, lane: toLane?.lane ?? null, by: toLane?.by ?? null, at: toLane?.at ?? null }).changes === 1,
    isOnHold: (saleId: string, lane: string): boolean => isOnHold.get(saleId, lane) === 1,
    /**
     * Whether this lane gave the right to resume the sale to the store server, or may have done so in a period that a
     * restore lost.
     */
    mayBeGiven: (saleId: string, lane: string): boolean => mayBeGiven.get(saleId, lane) === 1,
    markUnsent: (tx: Tx): void => void tx.run(forget),
    markSent: (tx: Tx, { id, state }: Pick<HoldRow, 'id' | 'state'>): void => void tx.run(markSent, id, state),
    place: (tx: Tx, saleId: string, lane: string): void => void tx.run(place, lane, saleId),
  }
}

function createReservationRows(db: Database) {
  const insertReservation = db.prepare(
    "INSERT INTO store_hold_claim (id, held_sale, staff_id, asked_at, state) VALUES (?, ?, ?, ?, 'asked')",
  )
  const openReservations = db.prepare<[], ReservationRow>(
    `${RESERVATION} WHERE state IN ('asked', 'back') ORDER BY asked_at`,
  )
  const endedReservation = db.prepare<[string], ReservationRow>(`${RESERVATION} WHERE id = ? AND state = 'over'`)
  const setReservation = db.prepare("UPDATE store_hold_claim SET state = ? WHERE id = ? AND state IN ('asked', 'back')")
  const finishReservation = db.prepare(
    "UPDATE store_hold_claim SET state = 'done', sale_id = ?, resumed_at = ? WHERE id = ?",
  )
  const insertCopy = db.prepare('INSERT INTO store_copy (sale_id, held_sale) VALUES (?, ?)')
  const unsentCopies = db.prepare<[], CopyRow>(
    'SELECT sale_id AS saleId, held_sale AS heldSale FROM store_copy WHERE told = 0',
  )
  const markCopySent = db.prepare('UPDATE store_copy SET told = 1 WHERE sale_id = ?')

  return {
    insertReservation: (tx: Tx, id: string, heldSale: string, staffId: string, at: number): void =>
      void tx.run(insertReservation, id, heldSale, staffId, at),
    openReservations: (): ReservationRow[] => openReservations.all(),
    endedReservation: (id: string): ReservationRow | null => endedReservation.get(id) ?? null,
    setReservation: (tx: Tx, id: string, state: 'back' | 'over'): void => void tx.run(setReservation, state, id),
    /** Links a reserved held sale to the sale that it became at this lane. The store server receives this as a fact. */
    finishReservation: (tx: Tx, id: string, saleId: string, at: number): void =>
      void tx.run(finishReservation, saleId, at, id),
    copy: (tx: Tx, saleId: string, heldSale: string): void => void tx.run(insertCopy, saleId, heldSale),
    untoldCopies: (): CopyRow[] => unsentCopies.all(),
    markCopySent: (tx: Tx, saleId: string): void => void tx.run(markCopySent, saleId),
  }
}

export const createStoreHoldsRepository = (db: Database) => ({
  ...createHoldRows(db),
  ...createReservationRows(db),
})

export const heldSaleRowsOf = perLane(({ db }) => createHeldSalesRepository(db))

export const storeHoldRowsOf = perLane(({ db }) => createStoreHoldsRepository(db))
