import PQueue from 'p-queue'
import type { Staff, StaffLock } from '../../contracts/staff/session.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import type { BadgeChange } from '../../contracts/store/changes.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import type { Tx } from '../core/db/transact.ts'
import type { TakenChange } from '../store/changes.ts'
import { createBadges, takeBadge } from './badges.ts'
import { createPeople, type People } from './people.ts'
import { changePin, saveTrainingPin, resetPin, setPin, takePin } from './pin-changes.ts'
import { approve, liftLock, refuseTemporary, signIn, staffLocks } from './pin-checks.ts'
import { type StaffModule, laneStaffOf } from './staff-module.ts'
import { perLane } from '../core/context.ts'

export interface StaffService {
  /** Adds and changes people by the profile, and sets their PINs in training mode. Call it once at start. */
  sync(profile: Pick<Profile, 'mode' | 'staff'>): Promise<void>
  list(): Staff[]
  nameOf(id: string): string
  /**
   * Returns the person if the PIN is theirs, at the sign-in screen. Throws ProblemError `pin-wrong`, `pin-not-set` for
   * a person without a PIN, `pin-locked` with a detail `lockedUntil` (ISO 8601), or `pin-change-required` for a PIN
   * that another person has set. Such a PIN is accepted together with a `newPin`, which may be refused as `pin-common`,
   * `pin-too-short` or `pin-not-new`. Attempts are counted on disk before the PIN is checked, so that neither a restart
   * nor concurrent calls allow another guess.
   */
  checkPin(staffId: string, pin: string, newPin?: string): Promise<Staff>
  /**
   * Like `checkPin`, for a command that another person requested. A wrong PIN counts for the person who asks
   * (`approval-locked` with `lockedUntil`) and for approvals in the approver's name (`approver-locked`), not for the
   * approver's sign-in.
   */
  checkApproval(approverId: string, pin: string, askedBy: string): Promise<Staff>
  refused(staffId: string, askedBy: string, reason: string): void
  /**
   * Sets a PIN (four to eight digits) for another person, who must change it at the first sign-in, and lifts all their
   * locks. Throws RangeError for another format, ProblemError `pin-common`, `pin-too-short` and `not-found`.
   */
  setPin(staffId: string, pin: string, actorId?: string | null): Promise<void>
  /** Restores a person of the profile at this lane, in spite of later changes. */
  reinstate(person: Pick<Profile['staff'][number], 'id' | 'role'>): void
  /** Changes of people by a manager. Call them inside the transaction of the change. */
  readonly roster: People
  /**
   * Sets and returns a one-time PIN, which its owner must change at the first sign-in. Throws ProblemError `not-found`.
   */
  resetPin(staffId: string, actorId: string): Promise<string>
  locks(): StaffLock[]
  readonly badges: ReturnType<typeof createBadges>
  /**
   * Lifts the locks of a person at sign-in and approvals. The count of wrong PINs starts over, but until a right PIN
   * the next lock is as long as it would have been. Does nothing if the person is not locked. Throws ProblemError
   * `not-found`.
   */
  liftLock(staffId: string, actorId: string): Promise<void>
  setLocale(staffId: string, locale: Locale): void
  takeBadge(tx: Tx, change: TakenChange<BadgeChange>): void
  takePin(tx: Tx, change: TakenChange<{ readonly temporary: boolean }>): void
}

export function createStaffService(staff: StaffModule): StaffService {
  const { rows, atOnce } = staff
  const roster = createPeople(staff)
  /** PIN checks run one after the other, so that simultaneous attempts have the results of attempts in sequence. */
  const checks = new PQueue({ concurrency: 1 })
  return {
    async sync(profile) {
      atOnce((tx) => {
        roster.takeOverProfile(tx, profile.staff)
      })
      if (profile.mode === 'training') await Promise.all(profile.staff.map((person) => saveTrainingPin(staff, person)))
    },
    list: rows.active,
    nameOf: (id) => rows.nameOf(id) ?? id,
    checkPin: (staffId, pin, newPin) => checks.add(() => signInWith(staff, staffId, pin, newPin)),
    checkApproval: (approverId, pin, askedBy) => checks.add(() => approve(staff, approverId, pin, askedBy)),
    refused: (staffId, askedBy, reason) => {
      const detail = { door: 'approval', reason }
      atOnce((tx) => {
        staff.audit.record(tx, { kind: 'pin-refused', actorId: askedBy, subject: staffId, detail })
      })
    },
    setPin: (staffId, pin, actorId = null) => setPin(staff, staffId, pin, actorId),
    reinstate: (person) => {
      atOnce((tx) => {
        roster.reinstate(tx, person)
      })
    },
    roster,
    badges: createBadges(staff),
    resetPin: (staffId, actorId) => resetPin(staff, staffId, actorId),
    locks: () => staffLocks(staff),
    liftLock: (staffId, actorId) =>
      checks.add(() => {
        liftLock(staff, staffId, actorId)
      }),
    setLocale: (staffId, locale) => {
      setLocale(staff, roster, staffId, locale)
    },
    takeBadge: (tx, change) => {
      addUnknown(staff, tx, change.subject)
      takeBadge(staff, tx, change)
    },
    takePin: (tx, change) => {
      addUnknown(staff, tx, change.subject)
      takePin(staff, tx, change)
    },
  }
}

async function signInWith(staff: StaffModule, staffId: string, pin: string, newPin?: string): Promise<Staff> {
  const person = await signIn(staff, staffId, pin)
  if (newPin === undefined) refuseTemporary(staff, staffId, null)
  else await changePin(staff, staffId, pin, newPin)
  return person
}

function setLocale({ rows, audit, atOnce }: StaffModule, roster: People, staffId: string, after: Locale): void {
  const before = rows.find(staffId)?.locale ?? null
  atOnce((tx) => {
    rows.setLocale(tx, staffId, after)
    if (before === after) return
    const detail = { setting: 'language', before, after }
    audit.record(tx, { kind: 'setting-changed', actorId: staffId, detail })
    roster.sendLocale(tx, staffId, after)
  })
}

/**
 * Adds a person with only an id, because another lane's change of the PIN or badge may arrive before the person's data.
 */
function addUnknown({ rows, store }: StaffModule, tx: Tx, id: string): void {
  if (!rows.record(id)) store?.changes.addPerson(tx, { id, name: id })
}

export const staffOf = perLane((ctx) => createStaffService(laneStaffOf(ctx)))
