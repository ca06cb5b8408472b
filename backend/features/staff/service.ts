import type { Staff, StaffLock } from '../../../contracts/api/session.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { Profile } from '../../../contracts/profile.ts'
import { isoOf, type Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { ProblemError } from '../../http/problem.ts'
import type { AuditTrail } from './audit.ts'
import { hashPin, verifyPin } from './pins.ts'
import { createStaffRepository } from './repository.ts'

/** Wrong PINs in a row before the first lockout. */
export const MAX_ATTEMPTS = 5
const FIRST_LOCKOUT_MS = 5 * 60_000
const LONGEST_LOCKOUT_MS = 60 * 60_000

export interface StaffService {
  /** Brings the people of the profile into the database. In training mode also their PINs. Call once at start. */
  sync(profile: Pick<Profile, 'mode' | 'staff'>): Promise<void>
  list(): Staff[]
  /** Of anybody who ever worked here, also who has left; what is unknown is its own name. */
  nameOf(id: string): string
  /**
   * The person, when the PIN is theirs. Throws ProblemError `pin-wrong`, `pin-not-set` for a person who has none yet,
   * or `pin-locked` with a detail `lockedUntil` (ISO 8601). Wrong PINs are counted on disk before they are checked: neither a restart nor many calls at once win a guess.
   */
  checkPin(staffId: string, pin: string): Promise<Staff>
  /** Sets a PIN (four to eight digits) and lifts a lockout. Throws RangeError for another form and ProblemError `not-found`. */
  setPin(staffId: string, pin: string, actorId?: string | null): Promise<void>
  /** Everybody with the state of their PIN. */
  locks(): StaffLock[]
  /**
   * Lets a locked person try again at once. Wrong PINs count anew, but the next lockout is as long as it would have been,
   * until a good PIN. Nothing happens when there is no lock. Throws ProblemError `not-found`.
   */
  liftLock(staffId: string, actorId: string): Promise<void>
  setLocale(staffId: string, locale: Locale): void
}

export function createStaffService({ db, clock, audit }: { db: Database; clock: Clock; audit: AuditTrail }): StaffService {
  const people = createStaffRepository(db)
  /** PINs are checked one after another: tries at the same time come out as if they had been made in that order. */
  let queue: Promise<unknown> = Promise.resolve()

  const inTurn = <Result>(job: () => Promise<Result>): Promise<Result> => {
    const result = queue.then(job)
    queue = result.catch(() => undefined)
    return result
  }

  const locked = (until: number): ProblemError => new ProblemError('pin-locked', [{ path: 'lockedUntil', message: isoOf(until) }])

  /** Locks for five minutes, then ten, twenty … up to an hour. */
  function lock(staffId: string, lockouts: number): ProblemError {
    const until = clock.now() + Math.min(FIRST_LOCKOUT_MS * 2 ** lockouts, LONGEST_LOCKOUT_MS)
    db.transaction(() => {
      people.setAttempts(staffId, { failedAttempts: 0, lockouts: lockouts + 1, lockedUntil: until })
      audit.record({ kind: 'pin-locked', actorId: null, subject: staffId, detail: { until: isoOf(until) } })
    }).immediate()
    return locked(until)
  }

  async function check(staffId: string, pin: string): Promise<Staff> {
    const person = people.find(staffId)
    const known = people.credentials(staffId)
    if (!person || !known) {
      await verifyPin(pin, null)
      throw new ProblemError('pin-wrong')
    }
    if (known.pinHash === null) {
      // There is nothing to guess, so nothing is counted; the work is that of any other check.
      await verifyPin(pin, null)
      throw new ProblemError('pin-not-set')
    }
    if (known.lockedUntil !== null && known.lockedUntil > clock.now()) throw locked(known.lockedUntil)
    // The process died between the last allowed guess and its lockout.
    if (known.failedAttempts >= MAX_ATTEMPTS) throw lock(staffId, known.lockouts)
    const attempt = known.failedAttempts + 1
    people.setAttempts(staffId, { failedAttempts: attempt, lockouts: known.lockouts, lockedUntil: null })
    if (await verifyPin(pin, known.pinHash)) {
      people.setAttempts(staffId, { failedAttempts: 0, lockouts: 0, lockedUntil: null })
      return person
    }
    throw attempt >= MAX_ATTEMPTS ? lock(staffId, known.lockouts) : new ProblemError('pin-wrong')
  }

  return {
    async sync(profile) {
      db.transaction(() => {
        for (const person of profile.staff) {
          const change = people.upsert(person)
          if (change !== 'same') audit.record({ kind: `staff-${change}`, actorId: null, subject: person.id, detail: { name: person.name, role: person.role } })
        }
        for (const id of people.deactivateAllBut(profile.staff.map((person) => person.id))) audit.record({ kind: 'staff-removed', actorId: null, subject: id })
      }).immediate()
      if (profile.mode !== 'training') return
      await Promise.all(profile.staff.map(async ({ id, trainingPin }) => {
        if (trainingPin === undefined) return
        const stored = people.credentials(id)?.pinHash ?? null
        if (stored !== null && await verifyPin(trainingPin, stored)) return
        people.setPinHash(id, await hashPin(trainingPin))
      }))
    },
    list: () => people.active(),
    nameOf: (id) => people.nameOf(id) ?? id,
    checkPin: (staffId, pin) => inTurn(() => check(staffId, pin)),
    async setPin(staffId, pin, actorId = null) {
      if (!/^\d{4,8}$/.test(pin)) throw new RangeError('a PIN has four to eight digits')
      if (!people.find(staffId)) throw new ProblemError('not-found')
      const hash = await hashPin(pin)
      db.transaction(() => {
        people.setPinHash(staffId, hash)
        audit.record({ kind: 'pin-set', actorId, subject: staffId })
      }).immediate()
    },
    locks: () => people.active().map(({ id, name, role }) => {
      const known = people.credentials(id)
      const until = known?.lockedUntil ?? 0
      return { id, name, role, hasPin: known?.pinHash != null, lockedUntil: until > clock.now() ? isoOf(until) : null }
    }),
    liftLock: (staffId, actorId) => inTurn(async () => {
      const known = people.credentials(staffId)
      if (!known) throw new ProblemError('not-found')
      const until = known.lockedUntil
      if (until === null || until <= clock.now()) return
      db.transaction(() => {
        people.setAttempts(staffId, { failedAttempts: 0, lockouts: known.lockouts, lockedUntil: null })
        audit.record({ kind: 'pin-lock-lifted', actorId, subject: staffId, detail: { until: isoOf(until) } })
      }).immediate()
    }),
    setLocale: (staffId, locale) => { people.setLocale(staffId, locale) },
  }
}
