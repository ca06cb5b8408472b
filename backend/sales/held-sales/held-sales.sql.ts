import type { SaleId } from '../../../contracts/core/ids.ts'
import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import { perLane } from '../../core/context.ts'

export interface HeldRow {
  readonly id: SaleId
  readonly heldAs: string
  readonly heldAt: number
  /** Who put it on hold; null when that is nobody's name any more. */
  readonly cashier: string | null
}

const ROW = `SELECT sale.id, held_as AS heldAs, held_at AS heldAt, staff.name AS cashier FROM sale
  LEFT JOIN staff ON staff.id = coalesce(served_by, cashier_id)`
/** For the test that looks at its plan. */
export const HELD = `${ROW} WHERE sale.lane = ? AND held_at IS NOT NULL ORDER BY held_at`

/** Which sales of a lane are put aside, and under what name. */
export function createHeldSalesRepository(db: Database) {
  const list = db.prepare<[string], HeldRow>(HELD)
  const row = db.prepare<[string], HeldRow>(`${ROW} WHERE sale.id = ? AND held_at IS NOT NULL`)
  const hold = db.prepare('UPDATE sale SET held_at = ?, held_as = ?, served_by = ? WHERE id = ?')
  // What is available to redeem may have changed meanwhile: the collector is asked about anew.
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

/** Where the right to resume a sale is that has been given to the store: see migration store_holds. */
export const IN_STORE = 'store'
/** Where a sale is that this lane resumed in hours which a restore has lost: nothing lists, offers or resumes it. */
export const RESUMED_BEFORE = 'before'

export interface HoldRow {
  readonly id: string
  readonly saleId: SaleId
  readonly state: 'offered' | 'given' | 'kept' | 'ended'
}
export interface ClaimRow {
  readonly id: string
  readonly heldSale: SaleId
  readonly state: 'asked' | 'back' | 'over' | 'done'
}
export interface CopyRow {
  readonly saleId: SaleId
  readonly heldSale: SaleId
}

/** A sale with a gift card stays where it is: the card’s code is sealed with the key of this lane alone. */
export const UNOFFERED = `SELECT id FROM sale WHERE lane = ? AND held_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM store_hold WHERE sale_id = sale.id AND state IN ('offered', 'given'))
  AND NOT EXISTS (SELECT 1 FROM sale_gift_card WHERE sale_id = sale.id) ORDER BY held_at`
/** Sales that are closed are many: looked for by what was ever on hold, and not the other way about. */
export const FORGET = `UPDATE store_hold SET told = 0 WHERE told = 1 AND state IN ('given', 'kept')
  AND EXISTS (SELECT 1 FROM sale WHERE sale.id = store_hold.sale_id AND state = 'open')`
const HOLD = 'SELECT id, sale_id AS saleId, state FROM store_hold'
const CLAIM = 'SELECT id, held_sale AS heldSale, state FROM store_hold_claim'
function createHoldRows(db: Database) {
  const unoffered = db.prepare<[string], SaleId>(UNOFFERED).pluck()
  const untold = db.prepare<[], HoldRow>(`${HOLD} WHERE told = 0 ORDER BY id`)
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
  const told = db.prepare('UPDATE store_hold SET told = 1 WHERE id = ? AND state = ?')
  const place = db.prepare('UPDATE sale SET lane = ? WHERE id = ? AND held_at IS NOT NULL')

  return {
    /** Sales on hold at this lane that the store has not been asked to keep. */
    unoffered: (lane: string): SaleId[] => unoffered.all(lane),
    untold: (): HoldRow[] => untold.all(),
    openOf: (saleId: string): HoldRow | undefined => openOf.get(saleId),
    offer: (tx: Tx, id: string, saleId: string): void => void tx.run(insert, id, saleId),
    become: (tx: Tx, id: string, state: 'given' | 'kept'): void => void tx.run(become, state, id),
    /** It was resumed; `went` says where, unless that was here. */
    end: (tx: Tx, saleId: string, went: { lane: string; by: string; at: number } | null): boolean =>
      tx.run(end, { saleId, lane: went?.lane ?? null, by: went?.by ?? null, at: went?.at ?? null }).changes === 1,
    /** Whether it is on hold, and was not resumed: here, or by way of the store. */
    isOnHold: (saleId: string, lane: string): boolean => isOnHold.get(saleId, lane) === 1,
    /** Whether this lane has given it to the store, or may have in hours that a restore has lost. */
    mayBeGiven: (saleId: string, lane: string): boolean => mayBeGiven.get(saleId, lane) === 1,
    /** The store may have forgotten what it was told of sales that are not closed. */
    tellAgain: (tx: Tx): void => void tx.run(forget),
    told: (tx: Tx, { id, state }: Pick<HoldRow, 'id' | 'state'>): void => void tx.run(told, id, state),
    /** Where the right to resume it is from now on. */
    place: (tx: Tx, saleId: string, lane: string): void => void tx.run(place, lane, saleId),
  }
}

function createClaimRows(db: Database) {
  const insertClaim = db.prepare(
    "INSERT INTO store_hold_claim (id, held_sale, staff_id, asked_at, state) VALUES (?, ?, ?, ?, 'asked')",
  )
  const openClaims = db.prepare<[], ClaimRow>(`${CLAIM} WHERE state IN ('asked', 'back') ORDER BY asked_at`)
  const claimOver = db.prepare<[string], ClaimRow>(`${CLAIM} WHERE id = ? AND state = 'over'`)
  const setClaim = db.prepare("UPDATE store_hold_claim SET state = ? WHERE id = ? AND state IN ('asked', 'back')")
  const claimDone = db.prepare("UPDATE store_hold_claim SET state = 'done', sale_id = ?, resumed_at = ? WHERE id = ?")
  const insertCopy = db.prepare('INSERT INTO store_copy (sale_id, held_sale) VALUES (?, ?)')
  const untoldCopies = db.prepare<[], CopyRow>(
    'SELECT sale_id AS saleId, held_sale AS heldSale FROM store_copy WHERE told = 0',
  )
  const copyTold = db.prepare('UPDATE store_copy SET told = 1 WHERE sale_id = ?')

  return {
    claim: (tx: Tx, id: string, heldSale: string, staffId: string, at: number): void =>
      void tx.run(insertClaim, id, heldSale, staffId, at),
    openClaims: (): ClaimRow[] => openClaims.all(),
    /** Of this id where nothing came of it, and the store has said that it knows. */
    claimOver: (id: string): ClaimRow | null => claimOver.get(id) ?? null,
    setClaim: (tx: Tx, id: string, state: 'back' | 'over'): void => void tx.run(setClaim, state, id),
    /** The claimed sale is this sale of the lane; told to the store as a fact. */
    claimDone: (tx: Tx, id: string, saleId: string, at: number): void => void tx.run(claimDone, saleId, at, id),
    copy: (tx: Tx, saleId: string, heldSale: string): void => void tx.run(insertCopy, saleId, heldSale),
    untoldCopies: (): CopyRow[] => untoldCopies.all(),
    copyTold: (tx: Tx, saleId: string): void => void tx.run(copyTold, saleId),
  }
}

/** What the lane and its store say to each other of sales on hold, as far as this lane knows. */
export const createStoreHoldsRepository = (db: Database) => ({
  ...createHoldRows(db),
  ...createClaimRows(db),
})

export const heldSaleRowsOf = perLane(({ db }) => createHeldSalesRepository(db))

export const storeHoldRowsOf = perLane(({ db }) => createStoreHoldsRepository(db))
