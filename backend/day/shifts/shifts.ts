import type { Staff } from '../../../contracts/staff/session.ts'
import type {
  CashCount,
  CashMovement,
  CloseShift,
  CountShift,
  CurrentShift,
  MoveCash,
  CashOrderKind,
  Shift,
  ShiftList,
} from '../../../contracts/day/shifts.ts'
import type { z } from 'zod'
import { StaffId } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { PrintState } from '../../../contracts/core/receipt.ts'
import { isoOf } from '../../core/clock.ts'
import type { Tx } from '../../core/db/transact.ts'
import {
  type MovementRow,
  type ShiftRow,
  compareCount,
  recountOf,
  sumOfCount,
  toSafeOf,
  shiftRowsOf,
} from '../../sales/drawer.sql.ts'
import { movementPaper, shiftPaper } from '../../core/paper/layout.ts'
import { ProblemError } from '../../core/problem.ts'
import { translate } from '../../core/i18n.ts'
import { type Who, guardOf } from '../../sales/approvals/guard.ts'
import { custodyOf } from '../../sales/drawer.ts'
import { receiptsOf } from '../../payments/receipts/receipts.ts'
import { dayEndDocumentsOf } from '../day-end/documents.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export type Shifts = ReturnType<typeof shiftsOf>

/** What each kind adds to the drawer. */
const SIGN: Readonly<Record<CashOrderKind, -1 | 0 | 1>> = {
  'paid-in': 1,
  'paid-out': -1,
  drop: -1,
  pickup: -1,
  'no-sale': 0,
}

/**
 * Custody of the drawers: opened with a float, counted blind, closed with over or short. What a drawer should hold is
 * worked out here and leaves only with a count that is final: before a recount, no more than of what it is.
 */
export const shiftsOf = perLane((ctx: Ctx) => {
  const { transact, audit, clock, staffName, publish } = ctx
  const repository = shiftRowsOf(ctx)
  const custody = custodyOf(ctx)
  const guard = guardOf(ctx)
  const settings = () => ctx.profile.shifts
  const receipts = receiptsOf(ctx)
  const documents = dayEndDocumentsOf(ctx)
  const toleratesCents = (): number => Math.round((settings().toleratedDollars ?? 0) * 100)
  /**
   * What the store tolerated when the drawer was first counted. Set higher later it would tell the difference, set back
   * it would ask for a recount that knows it.
   */
  const toleratedCents = (id: number): number => repository.counts(id)[0]?.toleratedCents ?? toleratesCents()

  function require(id: number): ShiftRow {
    const row = repository.byId(id)
    if (!row) throw new ProblemError('not-found')
    return row
  }

  function announce(): void {
    transact.afterCommit(() => {
      publish({ type: 'shifts-changed' })
    })
  }

  /** The newest count beside what the drawer should hold; null before the first. Not for whoever may still recount. */
  function resultOf(row: ShiftRow): Shift['result'] {
    if (row.closing) return row.closing.result
    const count = repository.counts(row.id).at(-1)
    if (!count) return null
    const { cashCents, ...papers } = repository.inDrawer(row.id)
    // mutant: float-forgotten
    const expected = { cashCents: row.floatCents + cashCents, ...papers }
    return compareCount(expected, count.count, { number: count.number, toleratedCents: toleratedCents(row.id) })
  }

  /**
   * Of what was counted in a drawer, what the closing of the shift before it took to the safe since: both counts had it
   * before them, and it can stay or go only once. In cents.
   */
  const takenOf = (row: ShiftRow): number =>
    row.closing?.takenCents ??
    (row.countedAt === null ? 0 : 0 - repository.deposits(row, row.id + 1, Number.MAX_SAFE_INTEGER))

  function viewOf(row: ShiftRow): Shift {
    const counted = row.countedAt === null ? null : resultOf(row)
    const recount = counted && row.closedAt === null ? recountOf(counted, toleratedCents(row.id)) : []
    return {
      id: row.id,
      state: row.closedAt !== null ? 'closed' : row.countedAt !== null ? 'counted' : 'open',
      drawerOf: row.drawerOf === null ? null : { id: StaffId.parse(row.drawerOf), name: staffName(row.drawerOf) },
      openedAt: isoOf(row.openedAt),
      openedBy: staffName(row.openedBy),
      floatCents: cents(row.floatCents),
      floatCounted: row.floatCount !== null,
      countedAt: row.countedAt === null ? null : isoOf(row.countedAt),
      closedAt: row.closedAt === null ? null : isoOf(row.closedAt),
      closedBy: row.closedBy === null ? null : staffName(row.closedBy),
      countedCents: counted && counted.cash.countedCents,
      takenCents: cents(takenOf(row)),
      recount,
      result: recount.length > 0 ? null : counted,
      reason: row.closing?.reason ?? null,
      leftCents: row.closing ? cents(row.closing.leftCents) : null,
      toSafeCents: row.closing ? toSafeOf(row.closing) : null,
      zNumber: row.zNumber,
    }
  }

  const viewMovement = (row: MovementRow): CashMovement => ({
    id: row.id,
    kind: row.kind,
    amountCents: cents(row.kind === 'deposit' ? 0 - row.amountCents : Math.abs(row.amountCents)),
    at: isoOf(row.at),
    staff: staffName(row.staffId),
    approvedBy: row.approvedBy === null ? null : staffName(row.approvedBy),
    reason: row.reason,
  })

  function insertMovement(tx: Tx, movement: Omit<MovementRow, 'id'>): MovementRow {
    const id = repository.insertMovement(tx, movement)
    audit.record(tx, {
      kind: `cash-${movement.kind}`,
      actorId: movement.staffId,
      subject: `shift-${movement.shiftId}`,
      detail: { amountCents: movement.amountCents, reason: movement.reason, approvedBy: movement.approvedBy },
    })
    return { id, ...movement }
  }

  /** Whose drawer a person may count and close: their own, and the lane's; supervisors and managers everybody's. */
  function refuseOthers(row: ShiftRow, staff: { readonly id: string; readonly role: Staff['role'] }): void {
    if (row.drawerOf !== null && row.drawerOf !== staff.id && staff.role === 'cashier')
      throw new ProblemError('shift-of-another')
  }

  return {
    /** Prints the slip of a closed shift again: as a copy that says so, once its original may be out. */
    reprint(id: number, actorId: string): { print: PrintState | null } {
      const shift = viewOf(require(id))
      return receipts.reprint(
        { kind: 'shift', id: shiftPaper(id) },
        { actorId, composed: (copy, locale) => documents.ofShift(shift, locale, copy) },
      )
    },

    /** Prints the slip of a cash movement that did not come out, by the rules of a receipt. */
    reprintMovement(id: number, who: Who): { print: PrintState | null } {
      const movement = repository.movement(id)
      if (!movement) throw new ProblemError('not-found')
      return receipts.reprint(
        { kind: 'cash-movement', id: movementPaper(id) },
        { actorId: who.actorId, who, composed: (copy, locale) => documents.ofMovement(movement, locale, copy) },
      )
    },

    current(staff: Pick<Staff, 'id'>): CurrentShift {
      const drawer = custody.drawerOf(staff.id)
      const open = repository.openOf(drawer)
      // What a drawer leaves is known once it is closed: opened with all of it, the next one would be short.
      const left = repository.lastOf(drawer)?.closedAt === null ? null : custody.left(drawer)
      return {
        shift: open ? viewOf(open) : null,
        counted: repository
          .withoutZ()
          .filter(({ countedAt, closedAt }) => countedAt !== null && closedAt === null)
          .map(viewOf),
        movements: open ? repository.movements(open.id).map(viewMovement) : [],
        mustOpen: settings().opening === 'counted' && !open,
        suggestedFloatCents: left === null ? null : cents(left),
        perCashier: custody.perCashier,
      }
    },

    list(before: number, limit: number): z.infer<typeof ShiftList> {
      const rows = repository.newest(before, limit + 1)
      return { shifts: rows.slice(0, limit).map(viewOf), more: rows.length > limit }
    },

    /** Throws ProblemError `shift-open-already`. */
    open(float: CashCount, who: Who): Shift {
      return transact((tx) => {
        const staff = { id: who.actorId }
        const drawerOf = custody.drawerOf(staff.id)
        if (repository.openIdOf(drawerOf) !== undefined) throw new ProblemError('shift-open-already')
        const floatCents = sumOfCount(float)
        guard.need('drawer-open', who, { of: 'drawer', amountCents: cents(floatCents) })
        const id = repository.insert(tx, {
          drawerOf,
          openedAt: clock.now(),
          openedBy: staff.id,
          floatCents,
          floatCount: float,
        })
        audit.record(tx, { kind: 'shift-opened', actorId: staff.id, subject: `shift-${id}`, detail: { floatCents } })
        announce()
        return viewOf(require(id))
      })
    },

    /**
     * Cash beside sales, and the drawer without a sale. Prints its slip, which opens the drawer. Throws ProblemError
     * `shift-required` where no shift is open.
     */
    move({ kind, amountCents, reason }: Omit<MoveCash, 'approval'>, who: Who): CashMovement {
      return transact((tx) => {
        const { actorId } = who
        const shiftId = repository.openIdOf(custody.drawerOf(actorId))
        if (shiftId === undefined) throw new ProblemError('shift-required')
        const facts = { of: 'cash', kind, amountCents: cents(amountCents), reason } as const
        const { approvedBy } = guard.need(kind, who, facts)
        const movement = insertMovement(tx, {
          shiftId,
          kind,
          amountCents: SIGN[kind] * amountCents,
          at: clock.now(),
          staffId: actorId,
          approvedBy: approvedBy === actorId ? null : approvedBy,
          reason,
        })
        receipts.enqueueDocument(
          tx,
          { kind: 'cash-movement', id: movementPaper(movement.id) },
          documents.ofMovement(movement, receiptLocaleOf(ctx)()),
          true,
        )
        announce()
        return viewMovement(movement)
      })
    },

    /**
     * A blind count. The first ends the custody: from then on everything is in another shift. One that the store does
     * not tolerate may be made once more, as blind as the first; it says that it is the second, so that two people who
     * count at once make no recount. Throws ProblemError `shift-closed`, `shift-count-final`, `shift-counted-already`,
     * `shift-not-counted`, `shift-of-another`.
     */
    count(id: number, staff: Pick<Staff, 'id' | 'role'>, { number, count }: z.infer<typeof CountShift>): Shift {
      return transact((tx) => {
        const row = require(id)
        refuseOthers(row, staff)
        if (row.closedAt !== null) throw new ProblemError('shift-closed')
        const first = resultOf(row)
        if (first && recountOf(first, toleratedCents(id)).length === 0) throw new ProblemError('shift-count-final')
        if (first && number === 1) throw new ProblemError('shift-counted-already')
        if (!first && number === 2) throw new ProblemError('shift-not-counted')
        if (number === 1) repository.setCounted(tx, id, clock.now())
        repository.insertCount(tx, id, {
          number,
          at: clock.now(),
          staffId: staff.id,
          count,
          toleratedCents: toleratesCents(),
        })
        audit.record(tx, {
          kind: 'shift-counted',
          actorId: staff.id,
          subject: `shift-${id}`,
          detail: { number, cashCents: sumOfCount(count.cash) },
        })
        announce()
        return viewOf(require(id))
      })
    },

    /**
     * Ends a shift that was counted. What does not stay in the drawer goes to the safe. Of one drawer the earlier shift
     * is closed first. Throws ProblemError `shift-not-counted`, `shift-closed`, `shift-earlier-counted`,
     * `shift-reason-required`, `shift-left-exceeds`.
     */
    close(id: number, { reason, leftCents }: Omit<z.infer<typeof CloseShift>, 'approval'>, who: Who): Shift {
      return transact((tx) => {
        const staff = { id: who.actorId, role: who.role }
        const row = require(id)
        refuseOthers(row, staff)
        if (row.closedAt !== null) throw new ProblemError('shift-closed')
        const result = row.countedAt === null ? null : resultOf(row)
        if (!result) throw new ProblemError('shift-not-counted')
        if (result.needsReason && reason === null) throw new ProblemError('shift-reason-required')
        if (repository.previousOf(row)?.closedAt === null) throw new ProblemError('shift-earlier-counted')
        const takenCents = takenOf(row)
        const thereCents = Math.max(0, (result.cash.countedCents ?? 0) - takenCents)
        if (leftCents > thereCents) throw new ProblemError('shift-left-exceeds')
        const facts = {
          of: 'drawer-close' as const,
          countedCents: result.cash.countedCents ?? cents(0),
          // Who asks sees this too, and may still count again.
          differenceCents: viewOf(row).result?.cash.differenceCents ?? null,
          leftCents,
          toSafeCents: cents(thereCents - leftCents),
          reason,
        }
        // A recount, also of the slips alone, is another thing to approve.
        guard.need('drawer-close', who, facts, `${shiftPaper(id)} ${result.number}`)
        repository.close(tx, id, clock.now(), staff.id, { result, reason, leftCents, takenCents })
        audit.record(tx, {
          kind: 'shift-closed',
          actorId: staff.id,
          subject: `shift-${id}`,
          detail: { differenceCents: result.cash.differenceCents, leftCents, reason },
        })
        deposit(tx, row, staff.id, leftCents + takenCents)
        receipts.enqueueDocument(
          tx,
          { kind: 'shift', id: shiftPaper(id) },
          documents.ofShift(viewOf(require(id)), receiptLocaleOf(ctx)()),
          false,
        )
        announce()
        return viewOf(require(id))
      })
    },
  }

  /**
   * A shift that opened by itself between the count and the close began with all that was counted until then: what now
   * goes to the safe leaves the drawer, and what only the recount found comes in. Where that shift, too, was counted by
   * now, it is the one after it that holds the cash.
   */
  function deposit(tx: Tx, closed: ShiftRow, staffId: string, leftCents: number): void {
    const next = repository.nextOf(closed)
    if (!next || next.floatCount !== null) return
    const open = repository.openOf(closed.drawerOf)
    if (open && open.floatCount !== null) return
    const amountCents = leftCents - next.floatCents
    if (amountCents === 0) return
    insertMovement(tx, {
      shiftId: open?.id ?? custody.begin(tx, closed.drawerOf, staffId),
      kind: 'deposit',
      amountCents,
      at: clock.now(),
      staffId,
      approvedBy: null,
      reason: translate(receiptLocaleOf(ctx)())('receipt.shift-title', { number: String(closed.id) }),
    })
  }
})
