import type { SaleId } from '../../../contracts/ids.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'

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

export type HeldSalesRepository = ReturnType<typeof createHeldSalesRepository>

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
    hold: (tx: Tx, id: string, at: number, name: string, staffId: string): void => {
      tx.run(hold, at, name, staffId, id)
    },
    resume: (tx: Tx, id: string): void => {
      tx.run(resume, id)
    },
  }
}
