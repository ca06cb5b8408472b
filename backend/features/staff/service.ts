import { randomInt } from 'node:crypto'
import PQueue from 'p-queue'
import type { Staff, StaffLock } from '../../../contracts/api/session.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { BadgeChange } from '../../../contracts/store/changes.ts'
import type { Profile } from '../../../contracts/profile.ts'
import { isoOf, type Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { createPlainTransact, type Tx } from '../../db/transact.ts'
import { isCommonPin } from '../../../contracts/common-pin.ts'
import { ProblemError } from '../../http/problem.ts'
import type { AuditTrail } from './audit.ts'
import { createBadges, type Badges } from './badges.ts'
import { createPeople, type People } from './people.ts'
import { createPinDoors, MAX_APPROVER_MISSES, MAX_ATTEMPTS } from './pin-doors.ts'
import type { Seal } from '../../outbox/seal.ts'
import type { Changes, TakenChange } from '../../store/changes/changes.ts'
import { createPins, TRAINING_COST, PRODUCTION_COST, type PinCost } from './pins.ts'
import { createStoreBadges } from './store-badges.ts'
import { createStorePins } from './store-pins.ts'
import { createPinDoorRepository, createStaffRepository, type PinDoor } from './repository.ts'

/** Which of those that may open on a manager's word. */
const DOORS = ['sign-in', 'approval-asker', 'approval-approver'] as const satisfies readonly PinDoor[]

const LEAST_PIN_DIGITS = 4
/** Digits of a one-time PIN: it is read from a screen once, and waits for its owner for hours. */
const ONE_TIME_DIGITS = 6

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
  const roster = createPeople({ rows: people, audit, changes: store?.changes })
  const doors = createPinDoors({ rows: createPinDoorRepository(db), clock, uptimeMs })
  const pins = createPins({ key: pinKey, cost })
  const storeBadges = store && createStoreBadges({ db, ...store })
  const storePins = store && createStorePins({ rows: people, ...store, cost })
  /** PINs are checked one after another: tries at the same time come out as if they had been made in that order. */
  const checks = new PQueue({ concurrency: 1 })

  const atOnce = createPlainTransact(db, committed)
  /** To the second: what is left goes by another clock than what is shown. */
  const untilOf = (lockedMs: number): string => isoOf(Math.ceil((clock.now() + lockedMs) / 1000) * 1000)

  /** Every refusal stands in the trail, with the door and who stood at it. Never the PIN. */
  function refuse(
    tx: Tx,
    code: 'pin-wrong' | 'pin-not-set' | 'pin-locked' | 'pin-change-required' | 'approval-locked' | 'approver-locked',
    staffId: string,
    askedBy: string | null,
    lockedMs?: number,
  ): ProblemError {
    audit.record(tx, {
      kind: code === 'pin-wrong' ? 'pin-wrong' : 'pin-refused',
      actorId: askedBy,
      subject: staffId,
      detail: { door: askedBy === null ? 'sign-in' : 'approval', ...(code === 'pin-wrong' ? {} : { reason: code }) },
    })
    return new ProblemError(
      code,
      lockedMs === undefined ? undefined : [{ path: 'lockedUntil', message: untilOf(lockedMs) }],
    )
  }

  function lock(tx: Tx, door: 'sign-in' | 'approval-asker', staffId: string): number {
    const ms = doors.lock(tx, door, staffId)
    audit.record(tx, {
      kind: door === 'sign-in' ? 'pin-locked' : 'approvals-locked',
      actorId: null,
      subject: staffId,
      detail: { until: untilOf(ms) },
    })
    return ms
  }

  const badges = createBadges({
    rows: people,
    audit,
    key: pinKey,
    atOnce: (work) => atOnce(work),
    allowed: badgesAllowed,
    store: storeBadges,
    refuseLocked(staffId) {
      const waits = doors.lockedMs('sign-in', staffId)
      if (waits > 0) throw atOnce((tx) => refuse(tx, 'pin-locked', staffId, null, waits))
    },
  })

  /** The person and whether the PIN is theirs. A verifier of another cost is made anew while the PIN is at hand. */
  async function matches(staffId: string, pin: string): Promise<'right' | 'wrong' | 'not-set'> {
    const known = people.credentials(staffId)
    const checking = (known?.ofStore && storePins?.pinsOf(staffId, known.ofStore)) ?? pins
    if (!(await checking.verify(pin, known?.pinHash ?? null)))
      return known && known.pinHash === null ? 'not-set' : 'wrong'
    if (known?.pinHash && (known.ofStore !== null || pins.isOutdated(known.pinHash))) {
      const hash = await pins.hash(pin)
      atOnce((tx) => {
        // Another lane may have set another meanwhile.
        if (people.credentials(staffId)?.pinHash === known.pinHash) people.setPinHash(tx, staffId, hash, known)
      })
    }
    return 'right'
  }

  async function signIn(staffId: string, pin: string): Promise<Staff> {
    const person = people.find(staffId)
    if (!person) {
      await pins.verify(pin, null)
      throw atOnce((tx) => refuse(tx, 'pin-wrong', staffId, null))
    }
    const waits = doors.lockedMs('sign-in', staffId)
    if (waits > 0) throw atOnce((tx) => refuse(tx, 'pin-locked', staffId, null, waits))
    // The process died between the last allowed guess and its lockout.
    if (doors.misses('sign-in', staffId) >= MAX_ATTEMPTS)
      throw atOnce((tx) => refuse(tx, 'pin-locked', staffId, null, lock(tx, 'sign-in', staffId)))
    const attempt = atOnce((tx) => doors.count(tx, 'sign-in', staffId))
    switch (await matches(staffId, pin)) {
      case 'right':
        atOnce((tx) => {
          doors.beginAnew(tx, 'sign-in', staffId)
        })
        return person
      case 'not-set':
        // There is nothing to guess, so nothing is counted; the work is that of any other check.
        throw atOnce((tx) => {
          doors.takeBack(tx, 'sign-in', staffId)
          return refuse(tx, 'pin-not-set', staffId, null)
        })
      case 'wrong':
        throw atOnce((tx) => {
          const wrong = refuse(tx, 'pin-wrong', staffId, null)
          return attempt < MAX_ATTEMPTS ? wrong : refuse(tx, 'pin-locked', staffId, null, lock(tx, 'sign-in', staffId))
        })
    }
  }

  async function approve(approverId: string, pin: string, askedBy: string): Promise<Staff> {
    const person = people.find(approverId)
    const waits = doors.lockedMs('approval-asker', askedBy)
    if (waits > 0) throw atOnce((tx) => refuse(tx, 'approval-locked', approverId, askedBy, waits))
    if (doors.misses('approval-asker', askedBy) >= MAX_ATTEMPTS)
      throw atOnce((tx) => refuse(tx, 'approval-locked', approverId, askedBy, lock(tx, 'approval-asker', askedBy)))
    if (doors.misses('approval-approver', approverId) >= MAX_APPROVER_MISSES)
      throw atOnce((tx) => refuse(tx, 'approver-locked', approverId, askedBy))
    const attempt = atOnce((tx) => {
      if (person) doors.count(tx, 'approval-approver', approverId)
      return doors.count(tx, 'approval-asker', askedBy)
    })
    const outcome = person ? await matches(approverId, pin) : (await pins.verify(pin, null), 'wrong')
    if (!person || outcome === 'wrong') {
      throw atOnce((tx) => {
        const wrong = refuse(tx, 'pin-wrong', approverId, askedBy)
        return attempt < MAX_ATTEMPTS
          ? wrong
          : refuse(tx, 'approval-locked', approverId, askedBy, lock(tx, 'approval-asker', askedBy))
      })
    }
    atOnce((tx) => {
      doors.takeBack(tx, 'approval-approver', approverId)
      if (outcome === 'right') doors.beginAnew(tx, 'approval-asker', askedBy)
      else doors.takeBack(tx, 'approval-asker', askedBy)
    })
    if (outcome === 'not-set') throw atOnce((tx) => refuse(tx, 'pin-not-set', approverId, askedBy))
    if (people.credentials(approverId)?.temporary)
      throw atOnce((tx) => refuse(tx, 'pin-change-required', approverId, askedBy))
    return person
  }

  /** A PIN of one's own. Throws ProblemError. */
  async function change(staffId: string, pin: string, newPin: string): Promise<void> {
    if (newPin === pin) throw new ProblemError('pin-not-new')
    if (newPin.length < pinDigits()) throw new ProblemError('pin-too-short')
    if (!training && isCommonPin(newPin)) throw new ProblemError('pin-common')
    const [hash, secret] = await Promise.all([pins.hash(newPin), storePins?.secretOf(newPin)])
    atOnce((tx) => {
      people.setPinHash(tx, staffId, hash, { temporary: false })
      if (secret) storePins?.tell(tx, staffId, secret, staffId, false)
      audit.record(tx, { kind: 'pin-changed', actorId: staffId, subject: staffId })
    })
  }

  /** A PIN that another than its owner sets lifts every lock of theirs. Throws ProblemError `not-found`. */
  async function putPin(staffId: string, pin: string, actorId: string | null, temporary: boolean): Promise<void> {
    if (!people.find(staffId)) throw new ProblemError('not-found')
    // What the machine itself is given at its enrolment, every lane is: that is no change of a PIN.
    const told = actorId === null ? undefined : storePins?.secretOf(pin)
    const [hash, secret] = await Promise.all([pins.hash(pin), told])
    atOnce((tx) => {
      people.setPinHash(tx, staffId, hash, { temporary })
      if (secret) storePins?.tell(tx, staffId, secret, actorId, temporary)
      for (const door of DOORS) doors.beginAnew(tx, door, staffId)
      audit.record(tx, { kind: 'pin-set', actorId, subject: staffId })
    })
  }

  return {
    async sync(profile) {
      atOnce((tx) => {
        roster.takeOverProfile(tx, profile.staff)
      })
      if (profile.mode !== 'training') return
      await Promise.all(
        profile.staff.map(async ({ id, trainingPin }) => {
          if (trainingPin === undefined) return
          const { pinHash: stored = null, temporary = false } = people.credentials(id) ?? {}
          if (stored !== null && !temporary && !pins.isOutdated(stored) && (await pins.verify(trainingPin, stored)))
            return
          const hash = await pins.hash(trainingPin)
          atOnce((tx) => {
            people.setPinHash(tx, id, hash, { temporary: false })
          })
        }),
      )
    },
    list: () => people.active(),
    nameOf: (id) => people.nameOf(id) ?? id,
    checkPin: (staffId, pin, newPin) =>
      checks.add(async () => {
        const person = await signIn(staffId, pin)
        if (newPin !== undefined) await change(staffId, pin, newPin)
        else if (people.credentials(staffId)?.temporary)
          throw atOnce((tx) => refuse(tx, 'pin-change-required', staffId, null))
        return person
      }),
    checkApproval: (approverId, pin, askedBy) => checks.add(() => approve(approverId, pin, askedBy)),
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
    async setPin(staffId, pin, actorId = null) {
      if (!/^\d{4,8}$/.test(pin)) throw new RangeError('a PIN has four to eight digits')
      if (!training && pin.length < pinDigits()) throw new ProblemError('pin-too-short')
      if (!training && isCommonPin(pin)) throw new ProblemError('pin-common')
      await putPin(staffId, pin, actorId, !training)
    },
    roster,
    badges,
    async resetPin(staffId, actorId) {
      const pin = oneTimePin(Math.max(pinDigits(), ONE_TIME_DIGITS))
      await putPin(staffId, pin, actorId, true)
      return pin
    },
    locks: () =>
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
    liftLock: (staffId, actorId) =>
      checks.add(async () => {
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
      }),
    setLocale: (staffId, locale) => {
      const before = people.find(staffId)?.locale ?? null
      atOnce((tx) => {
        people.setLocale(tx, staffId, locale)
        if (before !== locale)
          audit.record(tx, {
            kind: 'setting-changed',
            actorId: staffId,
            detail: { setting: 'language', before, after: locale },
          })
        if (before !== locale) roster.tellLocale(tx, staffId, locale)
      })
    },
    takeBadge: (tx, { subject, value: { active }, byId: actorId, secret, detail }) => {
      if (!storeBadges) throw new Error('nobody follows the badges of the store here')
      if (!people.record(subject)) store?.changes.addPerson(tx, { id: subject, name: subject })
      storeBadges.take(tx, subject, secret, active)
      audit.record(tx, { kind: active ? 'badge-set' : 'badge-deactivated', actorId, subject, detail })
    },
    takePin: (tx, { subject, value: { temporary }, byId, secret, detail }) => {
      if (!storePins) throw new Error('nobody follows the PINs of the store here')
      if (!people.record(subject)) store?.changes.addPerson(tx, { id: subject, name: subject })
      storePins.keep(tx, subject, secret, temporary)
      if (byId !== subject) for (const door of DOORS) doors.beginAnew(tx, door, subject)
      audit.record(tx, { kind: byId === subject ? 'pin-changed' : 'pin-set', actorId: byId, subject, detail })
    },
  }
}

/** Chance, and none of those that a thief would try first. */
function oneTimePin(digits: number): string {
  for (;;) {
    const pin = String(randomInt(10 ** digits)).padStart(digits, '0')
    if (!isCommonPin(pin)) return pin
  }
}
