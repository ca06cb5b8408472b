import { BadgeChange, PersonChange, PersonLocaleChange, PinChange } from '../../contracts/store/changes.ts'
import { changesOf } from '../store/changes.ts'
import { staffOf } from './sign-in.ts'
import { sessionsOf } from '../core/http/sessions.ts'
import type { Ctx } from '../core/context.ts'

/**
 * Applies other lanes' changes of people; a person who is dismissed at one lane is signed out at all. A higher
 * permission, and a PIN or badge of a person with permissions, wait for a confirmation at this lane.
 */
export function followStaff(ctx: Ctx): void {
  const { transact, publish } = ctx
  const changes = changesOf(ctx)
  const staff = staffOf(ctx)
  const sessions = sessionsOf(ctx)
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
