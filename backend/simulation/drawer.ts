import { cents } from '../../contracts/money.ts'
import type { MovementKind } from '../../contracts/api/shifts.ts'
import { StaffId } from '../../contracts/ids.ts'
import type { SeededRng } from './rng.ts'
import type { Run } from './terminal.ts'

/** What a window asks for under one key, as the cashier sends it. */
export interface DrawerCommand {
  readonly parts: readonly string[]
  readonly work: (run: Run) => unknown
}

const MANAGER = { id: StaffId.parse('alex'), role: 'manager' } as const
const WHO = { actorId: MANAGER.id, role: MANAGER.role, approvedBy: MANAGER.id }
const KINDS: Readonly<Record<MovementKind, number>> = { 'paid-in': 2, 'paid-out': 2, drop: 3, pickup: 1, 'no-sale': 1 }

/**
 * What a hand does with the drawer next, by what the terminal shows: moves cash, opens it, counts it, right or wrong,
 * closes it, closes the day. At any moment of a sale.
 */
export function nextDrawerCommand(run: Run, rng: SeededRng): DrawerCommand {
  const { shifts, dayEnd } = run.checkout
  const { shift, counted } = shifts.current(MANAGER)
  const [waiting] = counted
  const command = (parts: readonly (string | number)[], work: DrawerCommand['work']): DrawerCommand => ({
    parts: parts.map(String),
    work,
  })
  const count = (id: number): DrawerCommand => {
    const cash = { by: 'sum' as const, cents: cents(rng.below(60_000)) }
    return command(['count', id, cash.cents], (now) =>
      now.checkout.shifts.count(id, MANAGER, { cash, cardSlipsCents: null, chequesCents: null }),
    )
  }
  if (waiting) {
    if (waiting.result?.mayRecount === true && rng.onceIn(3)) return count(waiting.id)
    const leftCents = cents(rng.below((waiting.result?.cash.countedCents ?? 0) + 1))
    return command(['close', waiting.id, leftCents], (now) =>
      now.checkout.shifts.close(waiting.id, { reason: 'counted so', leftCents }, WHO),
    )
  }
  if (dayEnd.list(Number.MAX_SAFE_INTEGER, 1).waiting.closed > 0 && rng.onceIn(2))
    return command(['z'], (now) => now.checkout.dayEnd.close(MANAGER.id))
  if (!shift) {
    const float = { by: 'sum' as const, cents: cents(rng.below(30_000)) }
    return command(['open', float.cents], (now) => now.checkout.shifts.open(float, WHO))
  }
  if (rng.onceIn(2)) return count(shift.id)
  const kind = rng.weighed(KINDS)
  const moved = { kind, amountCents: cents(kind === 'no-sale' ? 0 : 1 + rng.below(9_000)), reason: 'so' }
  return command(['move', JSON.stringify(moved)], (now) => now.checkout.shifts.move(moved, WHO))
}
