import PQueue from 'p-queue'
import type { Staff, StaffLock } from '../../contracts/staff/session.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import type { BadgeChange } from '../../contracts/store/changes.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import type { Clock } from '../core/clock.ts'
import type { Database } from '../core/db/database.ts'
import { createPlainTransact, type Tx } from '../core/db/transact.ts'
import type { Seal } from '../core/integrity/seal.ts'
import type { Changes, TakenChange } from '../store/changes.ts'
import type { AuditTrail } from '../core/audit.ts'
import { type Badges, createBadges, createStoreBadges } from './badges.ts'
import { createPinChecks, createPinRefusals, createStaffLocks } from './pin-checks.ts'
import { createPeople, type People } from './people.ts'
import { PRODUCTION_COST, type PinCost, TRAINING_COST, createPinChanges, createPins, createStorePins } from './pins.ts'
import { createPinDoors } from './pin-doors.ts'
import { createPinDoorRepository, createStaffRepository } from './staff.sql.ts'
import { provided } from '../core/context.ts'

const LEAST_PIN_DIGITS = 4

export interface StaffOptions {
  readonly db: Database
  readonly clock: Clock
  readonly audit: AuditTrail
  /** Told after each commit of this service. */
  readonly committed?: () => void
  /** Of the PIN verifiers; never in the database. */
  readonly pinKey: Uint8Array
  /**
   * Training: the PINs of the profile are public, so they may be common ones, cost little, and are nobody's secret to
   * change.
   */
  readonly training: boolean
  /** Whether a staff badge signs in here; left out: none does. */
  readonly badges?: () => boolean
  /** How long a PIN must be at least; four digits where it is left out. */
  readonly pinDigits?: () => number
  readonly cost?: PinCost
  readonly uptimeMs?: () => number
  /** By which the other lanes of the store hear of what is changed; left out: nobody does. */
  readonly store?: { readonly changes: Changes; readonly seal: Pick<Seal, 'seal' | 'open'> }
}

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
  readonly badges: Badges
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

export function createStaffService({
  db,
  clock,
  audit,
  committed,
  pinKey,
  training,
  pinDigits = () => LEAST_PIN_DIGITS,
  cost = training ? TRAINING_COST : PRODUCTION_COST,
  badges: badgesAllowed = () => false,
  uptimeMs,
  store,
}: StaffOptions): StaffService {
  const people = createStaffRepository(db)
  const atOnce = createPlainTransact(db, committed)
  const roster = createPeople({ rows: people, audit, changes: store?.changes })
  const doors = createPinDoors({ rows: createPinDoorRepository(db), clock, uptimeMs })
  const refusals = createPinRefusals({ audit, doors, clock, atOnce })
  const pins = createPins({ key: pinKey, cost })
  const storePins = store && createStorePins({ rows: people, ...store, cost })
  const pinChecks = createPinChecks({ people, pins, storePins, doors, refusals, atOnce })
  const pinChanges = createPinChanges({ people, audit, pins, storePins, doors, training, pinDigits, atOnce })
  const locks = createStaffLocks({ people, audit, doors, untilOf: refusals.untilOf, atOnce })
  const storeBadges = store && createStoreBadges({ db, ...store })
  const badges = createBadges({
    rows: people,
    audit,
    key: pinKey,
    atOnce,
    allowed: badgesAllowed,
    store: storeBadges,
    refuseLocked: (staffId) => {
      refusals.whileLocked(staffId, null)
    },
  })
  /** PINs are checked one after another: tries at the same time come out as if they had been made in that order. */
  const checks = new PQueue({ concurrency: 1 })

  /** What another lane says of a person may come before the person does. */
  function addUnknown(tx: Tx, id: string): void {
    if (!people.record(id)) store?.changes.addPerson(tx, { id, name: id })
  }

  return {
    async sync(profile) {
      atOnce((tx) => {
        roster.takeOverProfile(tx, profile.staff)
      })
      if (profile.mode === 'training') await Promise.all(profile.staff.map(pinChanges.putTrainingPin))
    },
    list: () => people.active(),
    nameOf: (id) => people.nameOf(id) ?? id,
    checkPin: (staffId, pin, newPin) =>
      checks.add(async () => {
        const person = await pinChecks.signIn(staffId, pin)
        if (newPin === undefined) pinChecks.refuseTemporary(staffId, null)
        else await pinChanges.change(staffId, pin, newPin)
        return person
      }),
    checkApproval: (approverId, pin, askedBy) => checks.add(() => pinChecks.approve(approverId, pin, askedBy)),
    refused: (staffId, askedBy, reason) => {
      atOnce((tx) => {
        audit.record(tx, {
          kind: 'pin-refused',
          actorId: askedBy,
          subject: staffId,
          detail: { door: 'approval', reason },
        })
      })
    },
    setPin: (staffId, pin, actorId = null) => pinChanges.set(staffId, pin, actorId),
    reinstate: (person) => {
      atOnce((tx) => {
        roster.reinstate(tx, person)
      })
    },
    roster,
    badges,
    resetPin: pinChanges.reset,
    locks: locks.list,
    liftLock: (staffId, actorId) =>
      checks.add(async () => {
        locks.lift(staffId, actorId)
      }),
    setLocale: (staffId, locale) => {
      const before = people.find(staffId)?.locale ?? null
      atOnce((tx) => {
        people.setLocale(tx, staffId, locale)
        if (before === locale) return
        audit.record(tx, {
          kind: 'setting-changed',
          actorId: staffId,
          detail: { setting: 'language', before, after: locale },
        })
        roster.tellLocale(tx, staffId, locale)
      })
    },
    takeBadge: (tx, { subject, value: { active }, byId: actorId, secret, detail }) => {
      if (!storeBadges) throw new Error('nobody follows the badges of the store here')
      addUnknown(tx, subject)
      storeBadges.take(tx, subject, secret, active)
      audit.record(tx, { kind: active ? 'badge-set' : 'badge-deactivated', actorId, subject, detail })
    },
    takePin: (tx, change) => {
      addUnknown(tx, change.subject)
      pinChanges.take(tx, change)
    },
  }
}

/** The people of the store, as they stand in the database. */
export const staffOf = provided<StaffService>('the staff')
