import type { Tx } from '../core/db/transact.ts'
import { sumOfCount, shiftRowsOf } from './drawer.sql.ts'
import { ProblemError } from '../core/problem.ts'
import { type Ctx, perLane } from '../core/context.ts'

export type Custody = ReturnType<typeof custodyOf>

/** In which shift what is written now stands: every payment, closed sale, return and cash movement in exactly one. */
export const custodyOf = perLane((ctx: Ctx) => {
  const { clock, signedIn } = ctx
  const repository = shiftRowsOf(ctx)
  const settings = () => ctx.profile.shifts
  const perCashier = settings().drawers === 'cashier'
  const drawerOf = (staffId: string): string | null => (perCashier ? staffId : null)

  /** What lies in the drawer before anybody counts it anew, in cents. Null: nothing is known of it. */
  function left(drawer: string | null): number | null {
    const last = repository.lastOf(drawer)
    const { floatDollars } = settings()
    if (!last) return floatDollars === undefined ? null : Math.round(floatDollars * 100)
    const counted = repository.counts(last.id).at(-1)
    return last.closing?.leftCents ?? (counted ? sumOfCount(counted.count.cash) : null)
  }

  /** Opens a shift by itself, with what lies in the drawer as its float. Answers its id. */
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
     * Id of the shift that takes what is written now: of the drawer of whoever is signed in, else one that is open on
     * the lane (an approval that comes after a crash). Where none is open, one opens by itself: what happened is never
     * refused for want of a shift. `servedBy`: who serves where nobody is signed in.
     */
    enter(tx: Tx, servedBy: string): number {
      const person = signedIn()?.id
      const id =
        repository.openIdOf(drawerOf(person ?? servedBy)) ?? (person === undefined ? repository.anyOpenId() : undefined)
      if (id !== undefined) return id
      const staffId = person ?? servedBy
      return begin(tx, drawerOf(staffId), staffId)
    },

    /** Throws ProblemError `shift-required` where the store wants a float counted before anything is rung. */
    require(): void {
      const staff = signedIn()
      if (settings().opening === 'counted' && staff && repository.openIdOf(drawerOf(staff.id)) === undefined)
        throw new ProblemError('shift-required')
    },
  }
})
