import type { StaffLock } from '../../../contracts/api/session.ts'
import type { Tx } from '../../db/transact.ts'
import { ProblemError } from '../../http/problem.ts'
import type { AuditTrail } from './audit.ts'
import { DOORS, MAX_APPROVER_MISSES, type PinDoors } from './pin-doors.ts'
import type { PinRefusals } from './pin-refusals.ts'
import type { StaffRepository } from './repository.ts'

export interface StaffLocksOptions {
  readonly people: Pick<StaffRepository, 'active' | 'find' | 'credentials' | 'badgeOf'>
  readonly audit: Pick<AuditTrail, 'record'>
  readonly doors: Pick<PinDoors, 'lockedMs' | 'misses' | 'lift'>
  readonly untilOf: PinRefusals['untilOf']
  readonly atOnce: <Result>(work: (tx: Tx) => Result) => Result
}

/** Who is locked after wrong PINs, as a manager reads it and lifts it. */
export function createStaffLocks({ people, audit, doors, untilOf, atOnce }: StaffLocksOptions) {
  return {
    list: (): StaffLock[] =>
      people.active().map(({ id, name, role }) => {
        const known = people.credentials(id)
        const [signInMs, askingMs] = [doors.lockedMs('sign-in', id), doors.lockedMs('approval-asker', id)]
        return {
          id,
          name,
          role,
          pin: known?.pinHash == null ? 'none' : known.temporary ? 'temporary' : 'own',
          lockedUntil: signInMs > 0 ? untilOf(signInMs) : null,
          approvalsLockedUntil: askingMs > 0 ? untilOf(askingMs) : null,
          mayNotApprove: doors.misses('approval-approver', id) >= MAX_APPROVER_MISSES,
          badge: people.badgeOf(id),
        }
      }),

    /** Throws ProblemError `not-found`. */
    lift(staffId: string, actorId: string): void {
      if (!people.find(staffId)) throw new ProblemError('not-found')
      const shut = DOORS.filter(
        (door) =>
          doors.lockedMs(door, staffId) > 0 || (door === 'approval-approver' && doors.misses(door, staffId) > 0),
      )
      atOnce((tx) => {
        for (const door of shut) {
          const ms = doors.lockedMs(door, staffId)
          doors.lift(tx, door, staffId)
          audit.record(tx, {
            kind: 'pin-lock-lifted',
            actorId,
            subject: staffId,
            detail: { door, ...(ms > 0 ? { until: untilOf(ms) } : {}) },
          })
        }
      })
    },
  }
}
