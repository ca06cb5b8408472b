import type { Tx } from '../core/db/transact.ts'
import { sumOfCount, shiftRowsOf } from './drawer.sql.ts'
import { ProblemError } from '../core/problem.ts'
import { type Ctx, perLane } from '../core/context.ts'

export type Custody = ReturnType<typeof custodyOf>

export const custodyOf = perLane((ctx: Ctx) => {
  const { clock, signedIn } = ctx
  const repository = shiftRowsOf(ctx)
  const settings = () => ctx.profile.shifts
  const perCashier = settings().drawers === 'cashier'
  const drawerOf = (staffId: string): string | null => (perCashier ? staffId : null)

  function left(drawer: string | null): number | null {
    const last = repository.lastOf(drawer)
    const { floatDollars } = settings()
    if (!last) return floatDollars === undefined ? null : Math.round(floatDollars * 100)
    const counted = repository.counts(last.id).at(-1)
    return last.closing?.leftCents ?? (counted ? sumOfCount(counted.count.cash) : null)
  }

  function begin(tx: Tx, drawer: string | null, staffId: string): number {
    return repository.insert(tx, {
      drawerOf: drawer,
      openedAt: clock.now(),
      openedBy: staffId,
      floatCents: left(drawer) ?? 0,
      floatCount: null,
    })
  }

  return {
    perCashier,
    drawerOf,
    left,
    begin,

    /**
     * Returns the shift in which a payment, return or cash movement is recorded: the open one of the signed-in person’s
     * drawer. If no one is signed in, as for an approval that arrives after a restart: the shift of `servedBy`, else
     * any open shift of the lane. Opens one if it finds none, because the transaction must not be refused for that.
     */
    enter(tx: Tx, servedBy: string): number {
      const person = signedIn()?.id
      const id =
        repository.openIdOf(drawerOf(person ?? servedBy)) ?? (person === undefined ? repository.anyOpenId() : undefined)
      if (id !== undefined) return id
      const staffId = person ?? servedBy
      return begin(tx, drawerOf(staffId), staffId)
    },

    /**
     * Throws ProblemError `shift-required` if the store requires a counted float and the drawer of the signed-in person
     * has no open shift.
     */
    require(): void {
      const staff = signedIn()
      if (settings().opening === 'counted' && staff && repository.openIdOf(drawerOf(staff.id)) === undefined)
        throw new ProblemError('shift-required')
    },
  }
})
