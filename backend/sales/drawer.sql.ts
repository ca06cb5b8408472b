import { z } from 'zod'
import { CashCount, CountResult, CountedThing, DrawerCount, type MovementKind } from '../../contracts/day/shifts.ts'
import type { Database } from '../core/db/database.ts'
import type { Tx } from '../core/db/transact.ts'
import { type Cents, cents } from '../../contracts/core/money.ts'
import { perLane } from '../core/context.ts'

export const Closing = z.object({
  result: CountResult,
  reason: z.string().nullable(),
  leftCents: z.int().describe('cash left in the drawer'),
  takenCents: z.int().describe('portion of the counted cash that earlier closings moved to the safe since'),
})
export type Closing = z.infer<typeof Closing>

/** Cash in cents that the end of a shift moved to the safe. */
export const toSafeOf = ({ result, leftCents, takenCents }: Closing): Cents =>
  cents((result.cash.countedCents ?? 0) - takenCents - leftCents)

export interface ShiftRow {
  readonly id: number
  readonly lane: string
  readonly drawerOf: string | null
  readonly openedAt: number
  readonly openedBy: string
  readonly floatCents: number
  /** Count of the cash at the start; null if the shift was opened automatically. */
  readonly floatCount: CashCount | null
  readonly countedAt: number | null
  readonly closedAt: number | null
  readonly closedBy: string | null
  readonly closing: Closing | null
  readonly zNumber: number | null
}

export interface CountRow {
  readonly number: 1 | 2
  readonly at: number
  readonly staffId: string
  readonly count: DrawerCount
  /** Difference in cents that the store tolerated when the drawer was counted. */
  readonly toleratedCents: number
}

export interface MovementRow {
  readonly id: number
  readonly shiftId: number
  readonly kind: MovementKind
  /** Change of the cash in the drawer, in cents; negative for cash taken out. */
  readonly amountCents: number
  readonly at: number
  readonly staffId: string
  readonly approvedBy: string | null
  readonly reason: string
}

type Stored = Omit<ShiftRow, 'floatCount' | 'closing'> & {
  readonly floatCount: string | null
  readonly closing: string | null
}

const SHIFT = `SELECT id, lane, drawer_of AS drawerOf, opened_at AS openedAt, opened_by AS openedBy,
  float_cents AS floatCents, float_count AS floatCount, counted_at AS countedAt, closed_at AS closedAt,
  closed_by AS closedBy, closing, z_number AS zNumber FROM shift`
const MOVEMENT = `SELECT id, shift_id AS shiftId, kind, amount_cents AS amountCents, at, staff_id AS staffId,
  approved_by AS approvedBy, reason FROM cash_movement`

export const SHIFTS_NEWEST = `${SHIFT} WHERE id < ? ORDER BY id DESC LIMIT ?`

/** SQL for the sum of a shift's refunds of one kind; `sum`: SQL for the amount of one refund. */
const refunded = (table: string, sum: string, kind: string): string =>
  `(SELECT coalesce(sum(${sum}), 0) FROM sale_return JOIN ${table} AS refund ON refund.return_id = sale_return.id
    WHERE sale_return.shift_id = @id AND refund.kind = '${kind}')`
const CASH_OUT = 'refund.amount_cents + refund.rounding_cents'
export const IN_DRAWER = `SELECT
  (SELECT coalesce(sum(amount_cents + rounding_cents), 0) FROM tender WHERE shift_id = @id AND kind = 'cash')
  - ${refunded('refund', CASH_OUT, 'cash')} - ${refunded('store_refund', CASH_OUT, 'cash')}
  + (SELECT coalesce(sum(amount_cents), 0) FROM cash_movement WHERE shift_id = @id) AS cashCents,
  (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE shift_id = @id AND kind = 'card')
  - ${refunded('refund', 'refund.amount_cents', 'card')} - ${refunded('store_refund', 'refund.amount_cents', 'card')}
    AS cardSlipsCents,
  (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE shift_id = @id AND kind = 'cheque' AND coupon IS NULL)
    AS chequesCents,
  (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE shift_id = @id AND coupon IS NOT NULL) AS couponsCents`

const rowOf = ({ floatCount, closing, ...row }: Stored): ShiftRow => ({
  ...row,
  floatCount: floatCount === null ? null : CashCount.parse(JSON.parse(floatCount)),
  closing: closing === null ? null : Closing.parse(JSON.parse(closing)),
})

const found = (row: Stored | undefined): ShiftRow | undefined => row && rowOf(row)

export type ShiftsRepository = ReturnType<typeof createShiftsRepository>
function createShiftRows(db: Database, lane: string) {
  // Shift numbers are printed. After a restore, they continue after the last printed number (lane_epoch), so that none
  // is used twice.
  const insert = db.prepare(`INSERT INTO shift (id, lane, drawer_of, opened_at, opened_by, float_cents, float_count)
    VALUES (max((SELECT coalesce(max(id), 0) FROM shift) + 1, (SELECT coalesce(max(first_shift), 1) FROM lane_epoch)),
    @lane, @drawerOf, @openedAt, @openedBy, @floatCents, @floatCount)`)
  const openOf = db.prepare<[string, string], Stored>(
    `${SHIFT} WHERE lane = ? AND coalesce(drawer_of, '') = ? AND counted_at IS NULL`,
  )
  const anyOpen = db
    .prepare<[string], number>('SELECT id FROM shift WHERE lane = +? AND counted_at IS NULL ORDER BY id DESC LIMIT 1')
    .pluck()
  const idOpen = db
    .prepare<[string, string], number>(
      "SELECT id FROM shift WHERE lane = ? AND coalesce(drawer_of, '') = ? AND counted_at IS NULL",
    )
    .pluck()
  const lastOf = db.prepare<[string, string], Stored>(
    `${SHIFT} WHERE lane = +? AND coalesce(drawer_of, '') = +? AND counted_at IS NOT NULL ORDER BY id DESC LIMIT 1`,
  )
  const previousOf = db.prepare<[string, string, number], Stored>(
    `${SHIFT} WHERE lane = +? AND coalesce(drawer_of, '') = +? AND id < ? ORDER BY id DESC LIMIT 1`,
  )
  const nextOf = db.prepare<[string, string, number], Stored>(
    `${SHIFT} WHERE lane = +? AND coalesce(drawer_of, '') = +? AND id > ? ORDER BY id LIMIT 1`,
  )
  const byId = db.prepare<[number], Stored>(`${SHIFT} WHERE id = ?`)
  const newest = db.prepare<[number, number], Stored>(SHIFTS_NEWEST)
  const withoutZ = db.prepare<[string], Stored>(`${SHIFT} WHERE lane = +? AND z_number IS NULL ORDER BY id`)
  const setCounted = db.prepare('UPDATE shift SET counted_at = ? WHERE id = ? AND counted_at IS NULL')
  const close = db.prepare(
    'UPDATE shift SET closed_at = @at, closed_by = @staffId, closing = @closing WHERE id = @id AND closed_at IS NULL',
  )
  const setZ = db.prepare('UPDATE shift SET z_number = ? WHERE id = ?')

  return {
    insert(tx: Tx, shift: Pick<ShiftRow, 'drawerOf' | 'openedAt' | 'openedBy' | 'floatCents' | 'floatCount'>): number {
      const { lastInsertRowid } = tx.run(insert, {
        ...shift,
        lane,
        floatCount: shift.floatCount && JSON.stringify(shift.floatCount),
      })
      return Number(lastInsertRowid)
    },
    openOf: (drawerOf: string | null): ShiftRow | undefined => found(openOf.get(lane, drawerOf ?? '')),
    openIdOf: (drawerOf: string | null): number | undefined => idOpen.get(lane, drawerOf ?? ''),
    anyOpenId: (): number | undefined => anyOpen.get(lane),
    lastOf: (drawerOf: string | null): ShiftRow | undefined => found(lastOf.get(lane, drawerOf ?? '')),
    previousOf: ({ drawerOf, id }: Pick<ShiftRow, 'drawerOf' | 'id'>): ShiftRow | undefined =>
      found(previousOf.get(lane, drawerOf ?? '', id)),
    nextOf: ({ drawerOf, id }: Pick<ShiftRow, 'drawerOf' | 'id'>): ShiftRow | undefined =>
      found(nextOf.get(lane, drawerOf ?? '', id)),
    byId: (id: number): ShiftRow | undefined => found(byId.get(id)),
    newest: (before: number, limit: number): ShiftRow[] => newest.all(before, limit).map(rowOf),
    /** Returns the open, counted and closed shifts that no Z report includes yet, oldest first. */
    withoutZ: (): ShiftRow[] => withoutZ.all(lane).map(rowOf),
    setCounted: (tx: Tx, id: number, at: number): boolean => tx.run(setCounted, at, id).changes === 1,
    close: (tx: Tx, id: number, at: number, staffId: string, closing: Closing): boolean =>
      tx.run(close, { id, at, staffId, closing: JSON.stringify(closing) }).changes === 1,
    setZ: (tx: Tx, id: number, number: number): void => void tx.run(setZ, number, id),
  }
}

function createCashRows(db: Database, lane: string) {
  const insertCount = db.prepare(
    `INSERT INTO shift_count (shift_id, number, at, staff_id, count, tolerated_cents)
      VALUES (@id, @number, @at, @staffId, @count, @toleratedCents)`,
  )
  const counts = db.prepare<[number], Omit<CountRow, 'count'> & { count: string }>(
    `SELECT number, at, staff_id AS staffId, count, tolerated_cents AS toleratedCents FROM shift_count
      WHERE shift_id = +? ORDER BY number`,
  )
  const insertMovement =
    db.prepare(`INSERT INTO cash_movement (id, shift_id, kind, amount_cents, at, staff_id, approved_by, reason)
    VALUES (max((SELECT coalesce(max(id), 0) FROM cash_movement) + 1,
    (SELECT coalesce(max(first_movement), 1) FROM lane_epoch)),
    @shiftId, @kind, @amountCents, @at, @staffId, @approvedBy, @reason)`)
  const movement = db.prepare<[number], MovementRow>(`${MOVEMENT} WHERE id = ?`)
  const movements = db.prepare<[number], MovementRow>(`${MOVEMENT} WHERE shift_id = +? ORDER BY id DESC`)
  const deposits = db
    .prepare<{ drawer: string; lane: string; from: number; to: number }, number>(
      `SELECT coalesce(sum(cash_movement.amount_cents), 0) FROM shift
      JOIN cash_movement ON cash_movement.shift_id = shift.id AND cash_movement.kind = 'deposit'
      WHERE shift.lane = +@lane AND coalesce(shift.drawer_of, '') = +@drawer AND shift.id BETWEEN @from AND @to`,
    )
    .pluck()
  const inDrawer = db.prepare<{ id: number }, ExpectedDrawer>(IN_DRAWER)

  return {
    insertCount(tx: Tx, id: number, { count, ...row }: CountRow): void {
      tx.run(insertCount, { id, ...row, count: JSON.stringify(count) })
    },
    counts: (id: number): CountRow[] =>
      counts.all(id).map(({ count, ...row }) => ({ ...row, count: DrawerCount.parse(JSON.parse(count)) })),
    insertMovement: (tx: Tx, movement: Omit<MovementRow, 'id'>): number =>
      Number(tx.run(insertMovement, movement).lastInsertRowid),
    movement: (id: number): MovementRow | undefined => movement.get(id),
    movements: (shiftId: number): MovementRow[] => movements.all(shiftId),
    /**
     * Cash in cents that was moved into the drawer during these shifts when its earlier shifts ended; negative if moved
     * to the safe.
     */
    deposits: ({ drawerOf }: Pick<ShiftRow, 'drawerOf'>, from: number, to: number): number =>
      deposits.get({ lane, drawer: drawerOf ?? '', from, to }) ?? 0,
    inDrawer: (id: number): ExpectedDrawer =>
      inDrawer.get({ id }) ?? { cashCents: 0, cardSlipsCents: 0, chequesCents: 0, couponsCents: 0 },
  }
}

export const createShiftsRepository = (db: Database, lane: string) => ({
  ...createShiftRows(db, lane),
  ...createCashRows(db, lane),
})

export interface ExpectedDrawer {
  readonly cashCents: number
  /** Card slips that were entered by hand: payments less refunds. */
  readonly cardSlipsCents: number
  readonly chequesCents: number
  readonly couponsCents: number
}

export function sumOfCount(count: CashCount): Cents {
  if (count.by === 'sum') return count.cents
  return cents(Object.entries(count.pieces).reduce((sum, [worth, pieces]) => sum + Number(worth) * (pieces ?? 0), 0))
}

/** Compares the count of a drawer with its expected content. Uncounted things have a difference of zero. */
export function compareCount(
  expected: ExpectedDrawer,
  count: DrawerCount,
  { number, toleratedCents }: { readonly number: number; readonly toleratedCents: number },
): CountResult {
  const compared = (expectedCents: number, countedCents: Cents | null) => ({
    expectedCents: cents(expectedCents),
    countedCents,
    differenceCents: cents(countedCents === null ? 0 : countedCents - expectedCents),
  })
  const cash = compared(expected.cashCents, sumOfCount(count.cash))
  const cardSlips = compared(expected.cardSlipsCents, count.cardSlipsCents)
  const cheques = compared(expected.chequesCents, count.chequesCents)
  const coupons = compared(expected.couponsCents, count.couponsCents)
  return {
    cash,
    cardSlips,
    cheques,
    coupons,
    number,
    needsReason: outOfTolerance({ cash, cardSlips, cheques, coupons }, toleratedCents).length > 0,
  }
}

/**
 * Returns what to count again (cash, card slips, cheques or coupons) because its difference exceeds the tolerance. Only
 * the first count is repeated.
 */
export const recountOf = (result: CountResult, toleratedCents: number): CountedThing[] =>
  result.number === 1 ? outOfTolerance(result, toleratedCents) : []

function outOfTolerance(
  { cash, cardSlips, cheques, coupons }: Pick<CountResult, 'cash' | 'cardSlips' | 'cheques' | 'coupons'>,
  toleratedCents: number,
): CountedThing[] {
  const counted: Record<CountedThing, CountResult['cash']> = { cash, 'card-slips': cardSlips, cheques, coupons }
  return CountedThing.options.filter((thing) => Math.abs(counted[thing].differenceCents) > toleratedCents)
}

export const shiftRowsOf = perLane(({ db, lane }) => createShiftsRepository(db, lane.id))
