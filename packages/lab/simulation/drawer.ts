import { cents } from '../../../contracts/core/money.ts'
import type { ZReport } from '../../../contracts/day/day-end.ts'
import type { CashMovement, CashActionKind, Shift } from '../../../contracts/day/shifts.ts'
import { StaffId } from '../../../contracts/core/ids.ts'
import type { Command } from './window-driver.ts'
import type { SeededRng } from './rng.ts'
import type { Run } from './terminal.ts'

export const MANAGER = { id: StaffId.parse('alex'), role: 'manager' } as const
export const MANAGES = { actorId: MANAGER.id, role: MANAGER.role, approval: null }
const approved = (staffId: StaffId) => ({ ...MANAGES, actorId: staffId })
const KINDS: Readonly<Record<CashActionKind, number>> = {
  'paid-in': 2,
  'paid-out': 2,
  drop: 3,
  pickup: 1,
  'no-sale': 1,
}

const command = <Result>(
  requestFields: readonly (string | number)[],
  work: Command<Result>['work'],
): Command<Result> => ({
  requestFields: requestFields.map(String),
  work,
})

export function countDrawer(id: number, rng: SeededRng): Command<Shift> {
  const cash = { by: 'sum' as const, cents: cents(rng.below(60_000)) }
  return command(['count', id, cash.cents], (now) =>
    now.checkout.shifts.count(id, MANAGER, {
      number: 1,
      count: { cash, cardSlipsCents: null, chequesCents: null, couponsCents: null },
    }),
  )
}

export function closeDrawer(
  { id, countedCents, takenCents }: Pick<Shift, 'id' | 'countedCents' | 'takenCents'>,
  rng: SeededRng,
): Command<Shift> {
  const leftCents = cents(rng.below(Math.max(0, (countedCents ?? 0) - takenCents) + 1))
  return command(['close', id, leftCents], (now) =>
    now.checkout.shifts.close(id, { reason: 'counted so', leftCents }, MANAGES),
  )
}

export const closeDay = (): Command<ZReport> => command(['z'], (now) => now.checkout.dayEnd.close(MANAGER.id))

export function openDrawer(rng: SeededRng, staffId: StaffId = MANAGER.id): Command<Shift> {
  const float = { by: 'sum' as const, cents: cents(rng.below(30_000)) }
  return command(['open', staffId, float.cents], (now) => now.checkout.shifts.open(float, approved(staffId)))
}

export function moveCash(rng: SeededRng, staffId: StaffId = MANAGER.id): Command<CashMovement> {
  const kind = rng.weighed(KINDS)
  const moved = { kind, amountCents: cents(kind === 'no-sale' ? 0 : 1 + rng.below(9_000)), reason: 'so' }
  return command(['move', staffId, JSON.stringify(moved)], (now) => now.checkout.shifts.move(moved, approved(staffId)))
}

/**
 * Plans the next command on the cash drawer, from what the terminal shows: moves cash, or opens, counts (right or
 * wrong) or closes the drawer or the day, at any moment of a sale.
 */
export function nextDrawerCommand(run: Run, rng: SeededRng): Command<unknown> {
  const { shifts, dayEnd } = run.checkout
  const { shift, counted } = shifts.current(MANAGER)
  const [waiting] = counted
  if (waiting) {
    if (waiting.recount.length > 0 && rng.onceIn(3)) return countDrawer(waiting.id, rng)
    // Sometimes counts the drawer of the current shift while the counted drawer of the previous shift is not closed.
    if (shift && rng.onceIn(4)) return countDrawer(shift.id, rng)
    return closeDrawer(waiting, rng)
  }
  if (dayEnd.list(Number.MAX_SAFE_INTEGER, 1).waiting.closed > 0 && rng.onceIn(2)) return closeDay()
  if (!shift) return openDrawer(rng)
  return rng.onceIn(2) ? countDrawer(shift.id, rng) : moveCash(rng)
}
