import type { Staff } from '../../contracts/staff/session.ts'
import type {
  CashCount,
  CashMovement,
  CloseShift,
  CountShift,
  CurrentShift,
  MoveCash,
  CashActionKind,
  Shift,
  ShiftList,
} from '../../contracts/day/shifts.ts'
import type { z } from 'zod'
import { StaffId } from '../../contracts/core/ids.ts'
import { cents } from '../../contracts/core/money.ts'
import type { PrintState } from '../../contracts/core/receipt.ts'
import { isoOf } from '../core/clock.ts'
import type { Tx } from '../core/db/transact.ts'
import {
  type MovementRow,
  type ShiftRow,
  compareCount,
  recountOf,
  sumOfCount,
  toSafeOf,
  shiftRowsOf,
} from '../sales/drawer.sql.ts'
import { movementPaper, shiftPaper } from '../core/paper/layout.ts'
import { ProblemError } from '../core/problem.ts'
import { translate } from '../core/i18n.ts'
import { type Who, guardOf } from '../sales/approvals/guard.ts'
import { custodyOf } from '../sales/drawer.ts'
import { receiptsOf } from '../payments/receipts/receipts.ts'
import { dayEndDocumentsOf } from './day-end/documents.ts'
import { receiptLocaleOf } from '../core/profile/profile-lane.ts'
import { type Ctx, perLane, bound } from '../core/context.ts'

export type Shifts = ReturnType<typeof shiftsOf>

/**
 * Effect of each cash movement on the cash in the drawer: 1 adds, -1 takes out, 0 leaves it. See
 * docs/decisions/0022-shifts-z-reports-and-figures.md.
 */
const SIGN: Readonly<Record<CashActionKind, -1 | 0 | 1>> = {
  'paid-in': 1,
  'paid-out': -1,
  drop: -1,
  pickup: -1,
  'no-sale': 0,
}

const settings = (ctx: Ctx) => ctx.profile.shifts

const toleratesCents = (ctx: Ctx): number => Math.round((settings(ctx).toleratedDollars ?? 0) * 100)

/**
 * Returns the tolerance at the drawer's first count. If the setting is changed later, a higher one would reveal the
 * difference, and a lower one would demand a recount by a person who knows it.
 */
const toleratedCents = (ctx: Ctx, id: number): number =>
  shiftRowsOf(ctx).counts(id)[0]?.toleratedCents ?? toleratesCents(ctx)

function require(ctx: Ctx, id: number): ShiftRow {
  const row = shiftRowsOf(ctx).byId(id)
  if (!row) throw new ProblemError('not-found')
  return row
}

function announce(ctx: Ctx): void {
  ctx.transact.afterCommit(() => {
    ctx.publish({ type: 'shifts-changed' })
  })
}

/**
 * The newest count compared with the expected amount; null before the first count. While a recount is possible, the
 * cashier must not see it.
 */
function resultOf(ctx: Ctx, row: ShiftRow): Shift['result'] {
  const repository = shiftRowsOf(ctx)
  if (row.closing) return row.closing.result
  const count = repository.counts(row.id).at(-1)
  if (!count) return null
  const { cashCents, ...papers } = repository.inDrawer(row.id)
  const expected = { cashCents: row.floatCents + cashCents, ...papers }
  return compareCount(expected, count.count, { number: count.number, toleratedCents: toleratedCents(ctx, row.id) })
}

/**
 * Cash in cents that was counted here and in the previous shift, before that shift's close moved it to the safe: it
 * must be subtracted once.
 */
const takenOf = (ctx: Ctx, row: ShiftRow): number =>
  row.closing?.takenCents ??
  (row.countedAt === null ? 0 : 0 - shiftRowsOf(ctx).deposits(row, row.id + 1, Number.MAX_SAFE_INTEGER))

function viewOf(ctx: Ctx, row: ShiftRow): Shift {
  const counted = row.countedAt === null ? null : resultOf(ctx, row)
  const recount = counted && row.closedAt === null ? recountOf(counted, toleratedCents(ctx, row.id)) : []
  return {
    id: row.id,
    state: row.closedAt !== null ? 'closed' : row.countedAt !== null ? 'counted' : 'open',
    drawerOf: row.drawerOf === null ? null : { id: StaffId.parse(row.drawerOf), name: ctx.staffName(row.drawerOf) },
    openedAt: isoOf(row.openedAt),
    openedBy: ctx.staffName(row.openedBy),
    floatCents: cents(row.floatCents),
    floatCounted: row.floatCount !== null,
    countedAt: row.countedAt === null ? null : isoOf(row.countedAt),
    closedAt: row.closedAt === null ? null : isoOf(row.closedAt),
    closedBy: row.closedBy === null ? null : ctx.staffName(row.closedBy),
    countedCents: counted && counted.cash.countedCents,
    takenCents: cents(takenOf(ctx, row)),
    recount,
    result: recount.length > 0 ? null : counted,
    reason: row.closing?.reason ?? null,
    leftCents: row.closing ? cents(row.closing.leftCents) : null,
    toSafeCents: row.closing ? toSafeOf(row.closing) : null,
    zNumber: row.zNumber,
  }
}

const viewMovement = (ctx: Ctx, row: MovementRow): CashMovement => ({
  id: row.id,
  kind: row.kind,
  amountCents: cents(row.kind === 'deposit' ? 0 - row.amountCents : Math.abs(row.amountCents)),
  at: isoOf(row.at),
  staff: ctx.staffName(row.staffId),
  approvedBy: row.approvedBy === null ? null : ctx.staffName(row.approvedBy),
  reason: row.reason,
})

function insertMovement(ctx: Ctx, tx: Tx, movement: Omit<MovementRow, 'id'>): MovementRow {
  const id = shiftRowsOf(ctx).insertMovement(tx, movement)
  ctx.audit.record(tx, {
    kind: `cash-${movement.kind}`,
    actorId: movement.staffId,
    subject: `shift-${movement.shiftId}`,
    detail: { amountCents: movement.amountCents, reason: movement.reason, approvedBy: movement.approvedBy },
  })
  return { id, ...movement }
}

/**
 * Throws unless the person may count and close the drawer: cashiers may do so for their own drawer and the lane's,
 * supervisors and managers for all.
 */
function refuseOthers(row: ShiftRow, staff: { readonly id: string; readonly role: Staff['role'] }): void {
  if (row.drawerOf !== null && row.drawerOf !== staff.id && staff.role === 'cashier')
    throw new ProblemError('shift-of-another')
}

/**
 * Corrects the shift that a sale opened between count and close, and which therefore began with all the counted cash:
 * cash that now goes to the safe is taken from it, and cash that a recount found is added. If that shift was counted
 * too, the one after it is corrected.
 */
function deposit(ctx: Ctx, tx: Tx, closed: ShiftRow, staffId: string, leftCents: number): void {
  const repository = shiftRowsOf(ctx)
  const next = repository.nextOf(closed)
  if (!next || next.floatCount !== null) return
  const open = repository.openOf(closed.drawerOf)
  if (open && open.floatCount !== null) return
  const amountCents = leftCents - next.floatCents
  if (amountCents === 0) return
  insertMovement(ctx, tx, {
    shiftId: open?.id ?? custodyOf(ctx).begin(tx, closed.drawerOf, staffId),
    kind: 'deposit',
    amountCents,
    at: ctx.clock.now(),
    staffId,
    approvedBy: null,
    reason: translate(receiptLocaleOf(ctx)())('receipt.shift-title', { number: String(closed.id) }),
  })
}

/** Prints the slip of a closed shift again; marked as a copy if the original may have been printed. */
function reprint(ctx: Ctx, id: number, actorId: string): { print: PrintState | null } {
  const shift = viewOf(ctx, require(ctx, id))
  return receiptsOf(ctx).reprint(
    { kind: 'shift', id: shiftPaper(id) },
    { actorId, composed: (copy, locale) => dayEndDocumentsOf(ctx).ofShift(shift, locale, copy) },
  )
}

/** Prints the slip of a cash movement again; the rules for reprinting receipts apply. */
function reprintMovement(ctx: Ctx, id: number, who: Who): { print: PrintState | null } {
  const movement = shiftRowsOf(ctx).movement(id)
  if (!movement) throw new ProblemError('not-found')
  return receiptsOf(ctx).reprint(
    { kind: 'cash-movement', id: movementPaper(id) },
    {
      actorId: who.actorId,
      who,
      composed: (copy, locale) => dayEndDocumentsOf(ctx).ofMovement(movement, locale, copy),
    },
  )
}

function current(ctx: Ctx, staff: Pick<Staff, 'id'>): CurrentShift {
  const custody = custodyOf(ctx)
  const repository = shiftRowsOf(ctx)
  const drawer = custody.drawerOf(staff.id)
  const open = repository.openOf(drawer)
  // Until the previous shift is closed, it is not known how much cash stays in the drawer.
  const left = repository.lastOf(drawer)?.closedAt === null ? null : custody.left(drawer)
  return {
    shift: open ? viewOf(ctx, open) : null,
    counted: repository
      .withoutZ()
      .filter(({ countedAt, closedAt }) => countedAt !== null && closedAt === null)
      .map((row) => viewOf(ctx, row)),
    movements: open ? repository.movements(open.id).map((row) => viewMovement(ctx, row)) : [],
    mustOpen: settings(ctx).opening === 'counted' && !open,
    suggestedFloatCents: left === null ? null : cents(left),
    perCashier: custody.perCashier,
  }
}

function list(ctx: Ctx, before: number, limit: number): z.infer<typeof ShiftList> {
  const rows = shiftRowsOf(ctx).newest(before, limit + 1)
  return { shifts: rows.slice(0, limit).map((row) => viewOf(ctx, row)), more: rows.length > limit }
}

/** Opens a shift. Throws ProblemError `shift-open-already`. */
function open(ctx: Ctx, float: CashCount, who: Who): Shift {
  const repository = shiftRowsOf(ctx)
  return ctx.transact((tx) => {
    const staff = { id: who.actorId }
    const drawerOf = custodyOf(ctx).drawerOf(staff.id)
    if (repository.openIdOf(drawerOf) !== undefined) throw new ProblemError('shift-open-already')
    const floatCents = sumOfCount(float)
    guardOf(ctx).need('drawer-open', who, { of: 'drawer', amountCents: cents(floatCents) })
    const id = repository.insert(tx, {
      drawerOf,
      openedAt: ctx.clock.now(),
      openedBy: staff.id,
      floatCents,
      floatCount: float,
    })
    ctx.audit.record(tx, { kind: 'shift-opened', actorId: staff.id, subject: `shift-${id}`, detail: { floatCents } })
    announce(ctx)
    return viewOf(ctx, require(ctx, id))
  })
}

/**
 * Records a cash movement, or opens the drawer without a sale. The printed slip opens the drawer. Throws ProblemError
 * `shift-required` without an open shift.
 */
function move(ctx: Ctx, { kind, amountCents, reason }: Omit<MoveCash, 'approval'>, who: Who): CashMovement {
  return ctx.transact((tx) => {
    const { actorId } = who
    const shiftId = shiftRowsOf(ctx).openIdOf(custodyOf(ctx).drawerOf(actorId))
    if (shiftId === undefined) throw new ProblemError('shift-required')
    const facts = { of: 'cash', kind, amountCents: cents(amountCents), reason } as const
    const { approvedBy } = guardOf(ctx).need(kind, who, facts)
    const movement = insertMovement(ctx, tx, {
      shiftId,
      kind,
      amountCents: SIGN[kind] * amountCents,
      at: ctx.clock.now(),
      staffId: actorId,
      approvedBy: approvedBy === actorId ? null : approvedBy,
      reason,
    })
    receiptsOf(ctx).enqueueDocument(
      tx,
      { kind: 'cash-movement', id: movementPaper(movement.id) },
      dayEndDocumentsOf(ctx).ofMovement(movement, receiptLocaleOf(ctx)()),
      true,
    )
    announce(ctx)
    return viewMovement(ctx, movement)
  })
}

/**
 * Records a blind count. The first count ends the custody: later sales are in another shift. A count beyond the
 * tolerance may be repeated once, still blind. The request states the `number` of the count, so that the first counts
 * of two people at the same time are not stored as a count and a recount. Throws ProblemError `shift-closed`,
 * `shift-count-final`, `shift-counted-already`, `shift-not-counted`, `shift-of-another`.
 */
function count(
  ctx: Ctx,
  id: number,
  staff: Pick<Staff, 'id' | 'role'>,
  { number, count }: z.infer<typeof CountShift>,
): Shift {
  const repository = shiftRowsOf(ctx)
  return ctx.transact((tx) => {
    const row = require(ctx, id)
    refuseOthers(row, staff)
    if (row.closedAt !== null) throw new ProblemError('shift-closed')
    const first = resultOf(ctx, row)
    if (first && recountOf(first, toleratedCents(ctx, id)).length === 0) throw new ProblemError('shift-count-final')
    if (first && number === 1) throw new ProblemError('shift-counted-already')
    if (!first && number === 2) throw new ProblemError('shift-not-counted')
    if (number === 1) repository.setCounted(tx, id, ctx.clock.now())
    repository.insertCount(tx, id, {
      number,
      at: ctx.clock.now(),
      staffId: staff.id,
      count,
      toleratedCents: toleratesCents(ctx),
    })
    ctx.audit.record(tx, {
      kind: 'shift-counted',
      actorId: staff.id,
      subject: `shift-${id}`,
      detail: { number, cashCents: sumOfCount(count.cash) },
    })
    announce(ctx)
    return viewOf(ctx, require(ctx, id))
  })
}

/**
 * Closes a counted shift. Cash that is not left in the drawer goes to the safe. An earlier shift of the drawer must be
 * closed first. Throws ProblemError `shift-not-counted`, `shift-closed`, `shift-earlier-counted`,
 * `shift-reason-required`, `shift-left-exceeds`, `shift-of-another`.
 */
function close(
  ctx: Ctx,
  id: number,
  { reason, leftCents }: Omit<z.infer<typeof CloseShift>, 'approval'>,
  who: Who,
): Shift {
  const repository = shiftRowsOf(ctx)
  return ctx.transact((tx) => {
    const staff = { id: who.actorId, role: who.role }
    const row = require(ctx, id)
    refuseOthers(row, staff)
    if (row.closedAt !== null) throw new ProblemError('shift-closed')
    const result = row.countedAt === null ? null : resultOf(ctx, row)
    if (!result) throw new ProblemError('shift-not-counted')
    if (result.needsReason && reason === null) throw new ProblemError('shift-reason-required')
    if (repository.previousOf(row)?.closedAt === null) throw new ProblemError('shift-earlier-counted')
    const takenCents = takenOf(ctx, row)
    const thereCents = Math.max(0, (result.cash.countedCents ?? 0) - takenCents)
    if (leftCents > thereCents) throw new ProblemError('shift-left-exceeds')
    const facts = {
      of: 'drawer-close' as const,
      countedCents: result.cash.countedCents ?? cents(0),
      // Null until the count is final: the request for the approval shows this value to a person who might count again.
      differenceCents: viewOf(ctx, row).result?.cash.differenceCents ?? null,
      leftCents,
      toSafeCents: cents(thereCents - leftCents),
      reason,
    }
    // Every recount, also of the card slips alone, needs a new approval.
    guardOf(ctx).need('drawer-close', who, facts, `${shiftPaper(id)} ${result.number}`)
    repository.close(tx, id, ctx.clock.now(), staff.id, { result, reason, leftCents, takenCents })
    ctx.audit.record(tx, {
      kind: 'shift-closed',
      actorId: staff.id,
      subject: `shift-${id}`,
      detail: { differenceCents: result.cash.differenceCents, leftCents, reason },
    })
    deposit(ctx, tx, row, staff.id, leftCents + takenCents)
    receiptsOf(ctx).enqueueDocument(
      tx,
      { kind: 'shift', id: shiftPaper(id) },
      dayEndDocumentsOf(ctx).ofShift(viewOf(ctx, require(ctx, id)), receiptLocaleOf(ctx)()),
      false,
    )
    announce(ctx)
    return viewOf(ctx, require(ctx, id))
  })
}

/**
 * Custody of the drawers: a shift is opened with a float, counted blind, and closed with over or short. The expected
 * amount is returned only with a final count; before a recount, only which payment types differ.
 */
export const shiftsOf = perLane((ctx: Ctx) =>
  bound(ctx, {
    reprint,
    reprintMovement,
    current,
    list,
    open,
    move,
    count,
    close,
  }),
)
