import PQueue from 'p-queue'
import type { Staff, StaffLock } from '../../contracts/staff/session.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import type { BadgeChange } from '../../contracts/store/changes.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import type { Tx } from '../core/db/transact.ts'
import type { TakenChange } from '../store/changes.ts'
import { createBadges, takeBadge } from './badges.ts'
import { createPeople, type People } from './people.ts'
import { changePin, putTrainingPin, resetPin, setPin, takePin } from './pin-changes.ts'
import { approve, liftLock, refuseTemporary, signIn, staffLocks } from './pin-checks.ts'
import { type StaffParts, laneStaffOf } from './staff-parts.ts'
import { perLane } from '../core/context.ts'

export interface StaffService {
  /** Brings the people of the profile into the database. In training mode also their PINs. Call once at start. */
  sync(profile: Pick<Profile, 'mode' | 'staff'>): Promise<void>
  list(): Staff[]
  /** Of anybody who ever worked here, also who has left; what is unknown is its own name. */
  nameOf(id: string): string
  /**
   * The person, when the PIN is theirs, at the sign-in screen. Throws ProblemError `pin-wrong`, `pin-not-set` for a
   * person who has none yet, `pin-locked` with a detail `lockedUntil` (ISO 8601), or `pin-change-required` for a PIN
   * that another person has set: it is taken with a `newPin` beside it, which may be refused as `pin-common` or
   * `pin-not-new`. Wrong PINs are counted on disk before they are checked: neither a restart nor many calls at once win
   * a guess.
   */
  checkPin(staffId: string, pin: string, newPin?: string): Promise<Staff>
  /**
   * The same beside a command that somebody else asks for. Wrong ones count against who asked, and, at approvals alone,
   * against the name that was used: `approval-locked` with `lockedUntil`, or `approver-locked`.
   */
  checkApproval(approverId: string, pin: string, askedBy: string): Promise<Staff>
  /** Writes down that somebody was refused before a PIN was looked at. */
  refused(staffId: string, askedBy: string, reason: string): void
  /**
   * Sets a PIN (four to eight digits) for another person, who changes it at the first sign-in, and lifts every lock of
   * theirs. Throws RangeError for another form, ProblemError `pin-common` and `not-found`.
   */
  setPin(staffId: string, pin: string, actorId?: string | null): Promise<void>
  /** A person of the profile works at this lane again, as the profile says. */
  reinstate(person: Pick<Profile['staff'][number], 'id' | 'role'>): void
  /** Who works here, as a manager changes it; inside the transaction of the change. */
  readonly roster: People
  /** A one-time PIN for somebody, told once: they change it at the first sign-in. Throws ProblemError `not-found`. */
  resetPin(staffId: string, actorId: string): Promise<string>
  /** Everybody who works here, with the state of their PIN and their badge. */
  locks(): StaffLock[]
  readonly badges: ReturnType<typeof createBadges>
  /**
   * Lets a locked person try again at once, and approve again. Wrong PINs count anew, but the next lockout is as long
   * as it would have been, until a good PIN. Nothing happens when there is no lock. Throws ProblemError `not-found`.
   */
  liftLock(staffId: string, actorId: string): Promise<void>
  setLocale(staffId: string, locale: Locale): void
  /** A badge as it was given, or deactivated, at another lane. */
  takeBadge(tx: Tx, change: TakenChange<BadgeChange>): void
  /** A PIN as it was set at another lane: the one that is taken from now on. */
  takePin(tx: Tx, change: TakenChange<{ readonly temporary: boolean }>): void
}

export function createStaffService(staff: StaffParts): StaffService {
  const { rows, atOnce } = staff
  const roster = createPeople(staff)
  /** PINs are checked one after another: tries at the same time come out as if they had been made in that order. */
  const checks = new PQueue({ concurrency: 1 })
  return {
    async sync(profile) {
      atOnce((tx) => {
        roster.takeOverProfile(tx, profile.staff)
      })
      if (profile.mode === 'training') await Promise.all(profile.staff.map((person) => putTrainingPin(staff, person)))
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

async function signInWith(staff: StaffParts, staffId: string, pin: string, newPin?: string): Promise<Staff> {
  const person = await signIn(staff, staffId, pin)
  if (newPin === undefined) refuseTemporary(staff, staffId, null)
  else await changePin(staff, staffId, pin, newPin)
  return person
}

function setLocale({ rows, audit, atOnce }: StaffParts, roster: People, staffId: string, after: Locale): void {
  const before = rows.find(staffId)?.locale ?? null
  atOnce((tx) => {
    rows.setLocale(tx, staffId, after)
    if (before === after) return
    const detail = { setting: 'language', before, after }
    audit.record(tx, { kind: 'setting-changed', actorId: staffId, detail })
    roster.tellLocale(tx, staffId, after)
  })
}

/** What another lane says of a person may come before the person does. */
function addUnknown({ rows, store }: StaffParts, tx: Tx, id: string): void {
  if (!rows.record(id)) store?.changes.addPerson(tx, { id, name: id })
}

/** The people of the store, as they stand in the database. */
export const staffOf = perLane((ctx) => createStaffService(laneStaffOf(ctx)))
