import type { Staff, StaffLock } from '../../contracts/staff/session.ts'
import type { Tx } from '../core/db/transact.ts'
import { ProblemError } from '../core/problem.ts'
import { DOORS, MAX_APPROVER_MISSES, MAX_ATTEMPTS, type PinDoors } from './pin-doors.ts'
import type { Pins, StorePins } from './pins.ts'
import type { StaffRepository } from './staff.sql.ts'
import { type Clock, isoOf } from '../core/clock.ts'
import type { AuditTrail } from '../core/audit.ts'

export interface PinChecksOptions {
  readonly people: StaffRepository
  readonly pins: Pins
  /** PINs that were set at other lanes; left out: nobody follows. */
  readonly storePins?: Pick<StorePins, 'pinsOf'> | undefined
  readonly doors: PinDoors
  readonly refusals: PinRefusals
  readonly atOnce: <Result>(work: (tx: Tx) => Result) => Result
}

/**
 * Whether a PIN is its owner's: at the sign-in screen, and beside a command that somebody else asks for. Asked for one
 * at a time: a try is counted on disk before it is checked.
 */
export function createPinChecks({ people, pins, storePins, doors, refusals, atOnce }: PinChecksOptions) {
  const { refuse, refused } = refusals

  /** Whether the PIN is the person's. A verifier of another cost is made anew while the PIN is at hand. */
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

  /** Throws ProblemError where no more tries are let in. */
  function refuseShut(staffId: string, askedBy: string | null): void {
    refusals.whileLocked(staffId, askedBy)
    const { door, by } = triedAt(staffId, askedBy)
    // The process died between the last allowed guess and its lockout.
    if (doors.misses(door, by) >= MAX_ATTEMPTS) throw atOnce((tx) => refusals.lockOut(tx, staffId, askedBy))
  }

  /** Of the `attempt`th wrong PIN in a row. */
  const missed = (attempt: number, staffId: string, askedBy: string | null): ProblemError =>
    atOnce((tx) => {
      const wrong = refuse(tx, 'pin-wrong', staffId, askedBy)
      return attempt < MAX_ATTEMPTS ? wrong : refusals.lockOut(tx, staffId, askedBy)
    })

  /** A PIN that another person has set is no answer yet. Throws ProblemError `pin-change-required`. */
  function refuseTemporary(staffId: string, askedBy: string | null): void {
    if (people.credentials(staffId)?.temporary) throw refused('pin-change-required', staffId, askedBy)
  }

  return {
    refuseTemporary,

    async signIn(staffId: string, pin: string): Promise<Staff> {
      const person = people.find(staffId)
      if (!person) {
        await pins.verify(pin, null)
        throw refused('pin-wrong', staffId, null)
      }
      refuseShut(staffId, null)
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
          throw missed(attempt, staffId, null)
      }
    },

    async approve(approverId: string, pin: string, askedBy: string): Promise<Staff> {
      const person = people.find(approverId)
      refuseShut(approverId, askedBy)
      if (doors.misses('approval-approver', approverId) >= MAX_APPROVER_MISSES)
        throw refused('approver-locked', approverId, askedBy)
      const attempt = atOnce((tx) => {
        if (person) doors.count(tx, 'approval-approver', approverId)
        return doors.count(tx, 'approval-asker', askedBy)
      })
      const outcome = person ? await matches(approverId, pin) : (await pins.verify(pin, null), 'wrong')
      if (!person || outcome === 'wrong') throw missed(attempt, approverId, askedBy)
      atOnce((tx) => {
        doors.takeBack(tx, 'approval-approver', approverId)
        if (outcome === 'right') doors.beginAnew(tx, 'approval-asker', askedBy)
        else doors.takeBack(tx, 'approval-asker', askedBy)
      })
      if (outcome === 'not-set') throw refused('pin-not-set', approverId, askedBy)
      refuseTemporary(approverId, askedBy)
      return person
    },
  }
}

export interface PinRefusalsOptions {
  readonly audit: Pick<AuditTrail, 'record'>
  readonly doors: Pick<PinDoors, 'lock' | 'lockedMs'>
  readonly clock: Clock
  readonly atOnce: <Result>(work: (tx: Tx) => Result) => Result
}

type Refusal =
  | 'pin-wrong'
  | 'pin-not-set'
  | 'pin-locked'
  | 'pin-change-required'
  | 'approval-locked'
  | 'approver-locked'

/** Who types a PIN: its owner at the sign-in screen, or at an approval somebody else, whose tries they then are. */
export const triedAt = (staffId: string, askedBy: string | null) =>
  askedBy === null
    ? ({ door: 'sign-in', by: staffId, problem: 'pin-locked', audit: 'pin-locked' } as const)
    : ({ door: 'approval-asker', by: askedBy, problem: 'approval-locked', audit: 'approvals-locked' } as const)

export type PinRefusals = ReturnType<typeof createPinRefusals>

/**
 * Every refusal stands in the trail, with the door and who stood at it. Never the PIN. `askedBy`: null at the sign-in
 * screen.
 */
export function createPinRefusals({ audit, doors, clock, atOnce }: PinRefusalsOptions) {
  /** To the second: what is left goes by another clock than what is shown. */
  const untilOf = (lockedMs: number): string => isoOf(Math.ceil((clock.now() + lockedMs) / 1000) * 1000)

  function refuse(tx: Tx, code: Refusal, staffId: string, askedBy: string | null, lockedMs?: number): ProblemError {
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

  return {
    untilOf,
    refuse,

    /** In a commit of its own. */
    refused: (code: Refusal, staffId: string, askedBy: string | null): ProblemError =>
      atOnce((tx) => refuse(tx, code, staffId, askedBy)),

    /** Shuts the door after too many tries, and refuses. */
    lockOut(tx: Tx, staffId: string, askedBy: string | null): ProblemError {
      const tried = triedAt(staffId, askedBy)
      const ms = doors.lock(tx, tried.door, tried.by)
      audit.record(tx, { kind: tried.audit, actorId: null, subject: tried.by, detail: { until: untilOf(ms) } })
      return refuse(tx, tried.problem, staffId, askedBy, ms)
    },

    /** Throws ProblemError `pin-locked` or `approval-locked`, with a detail `lockedUntil`, while the door is shut. */
    whileLocked(staffId: string, askedBy: string | null): void {
      const { door, by, problem } = triedAt(staffId, askedBy)
      const waits = doors.lockedMs(door, by)
      if (waits > 0) throw atOnce((tx) => refuse(tx, problem, staffId, askedBy, waits))
    },
  }
}

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
