import type { TerminalEvent } from '../../contracts/core/events.ts'
import { BadgeChange, PersonChange, PersonLocaleChange, PinChange } from '../../contracts/store/changes.ts'
import type { Transact } from '../core/db/transact.ts'
import type { Sessions } from '../core/http/sessions.ts'
import type { Changes } from '../store/changes/changes.ts'
import type { StaffService } from './sign-in.ts'

export interface FollowStaffOptions {
  readonly changes: Changes
  readonly staff: Pick<StaffService, 'roster' | 'takePin' | 'takeBadge'>
  readonly sessions: Pick<Sessions, 'dismiss'>
  readonly transact: Transact
  readonly publish: (event: TerminalEvent) => void
}

/**
 * The people of the store as the other lanes change them: who is dismissed at one is signed out at all. A raised right,
 * and a credential of a person with rights, wait for a confirmation at this lane.
 */
export function followStaff({ changes, staff, sessions, transact, publish }: FollowStaffOptions): void {
  const announce = (): void => {
    publish({ type: 'staff-changed' })
  }
  changes.follow(
    'person',
    PersonChange,
    (tx, change) => {
      staff.roster.take(tx, change)
      transact.afterCommit(() => {
        if (!change.value.active) sessions.dismiss(change.subject)
        announce()
      })
    },
    staff.roster.raises,
  )
  changes.follow('person-locale', PersonLocaleChange, (tx, change) => {
    staff.roster.takeLocale(tx, change)
    transact.afterCommit(announce)
  })
  changes.follow(
    'person-pin',
    PinChange,
    (tx, change) => {
      staff.takePin(tx, change)
      transact.afterCommit(announce)
    },
    ({ subject }) => staff.roster.hasRights(subject),
  )
  changes.follow(
    'person-badge',
    BadgeChange,
    (tx, change) => {
      staff.takeBadge(tx, change)
      transact.afterCommit(announce)
    },
    ({ subject, value }) => value.active && staff.roster.hasRights(subject),
  )
}
