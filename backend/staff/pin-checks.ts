import type { Staff, StaffLock } from '../../contracts/staff/session.ts'
import { isoOf } from '../core/clock.ts'
import type { Tx } from '../core/db/transact.ts'
import { ProblemError } from '../core/problem.ts'
import { DOORS, MAX_APPROVER_MISSES, MAX_ATTEMPTS } from './pin-doors.ts'
import type { StaffParts } from './staff-parts.ts'
import { storePinsOf } from './pin-changes.ts'

type Refusal =
  | 'pin-wrong'
  | 'pin-not-set'
  | 'pin-locked'
  | 'pin-change-required'
  | 'approval-locked'
  | 'approver-locked'

/** Who types a PIN: its owner at the sign-in screen, or at an approval somebody else, whose tries they then are. */
const triedAt = (staffId: string, askedBy: string | null) =>
  askedBy === null
    ? ({ door: 'sign-in', by: staffId, problem: 'pin-locked', audit: 'pin-locked' } as const)
    : ({ door: 'approval-asker', by: askedBy, problem: 'approval-locked', audit: 'approvals-locked' } as const)

/** To the second: what is left goes by another clock than what is shown. */
const untilOf = ({ clock }: StaffParts, lockedMs: number): string =>
  isoOf(Math.ceil((clock.now() + lockedMs) / 1000) * 1000)

/**
 * Every refusal stands in the trail, with the door and who stood at it. Never the PIN. `askedBy`: null at the sign-in
 * screen.
 */
function refuse(
  staff: StaffParts,
  tx: Tx,
  code: Refusal,
  staffId: string,
  askedBy: string | null,
  lockedMs?: number,
): ProblemError {
  staff.audit.record(tx, {
    kind: code === 'pin-wrong' ? 'pin-wrong' : 'pin-refused',
    actorId: askedBy,
    subject: staffId,
    detail: { door: askedBy === null ? 'sign-in' : 'approval', ...(code === 'pin-wrong' ? {} : { reason: code }) },
  })
  return new ProblemError(
    code,
    lockedMs === undefined ? undefined : [{ path: 'lockedUntil', message: untilOf(staff, lockedMs) }],
  )
}

/** In a commit of its own. */
const refused = (staff: StaffParts, code: Refusal, staffId: string, askedBy: string | null): ProblemError =>
  staff.atOnce((tx) => refuse(staff, tx, code, staffId, askedBy))

/** Shuts the door after too many tries, and refuses. */
function lockOut(staff: StaffParts, tx: Tx, staffId: string, askedBy: string | null): ProblemError {
  const tried = triedAt(staffId, askedBy)
  const ms = staff.doors.lock(tx, tried.door, tried.by)
  const detail = { until: untilOf(staff, ms) }
  staff.audit.record(tx, { kind: tried.audit, actorId: null, subject: tried.by, detail })
  return refuse(staff, tx, tried.problem, staffId, askedBy, ms)
}

/** Throws ProblemError `pin-locked` or `approval-locked`, with a detail `lockedUntil`, while the door is shut. */
export function refuseLocked(staff: StaffParts, staffId: string, askedBy: string | null): void {
  const { door, by, problem } = triedAt(staffId, askedBy)
  const waits = staff.doors.lockedMs(door, by)
  if (waits > 0) throw staff.atOnce((tx) => refuse(staff, tx, problem, staffId, askedBy, waits))
}

/** Whether the PIN is the person's. A verifier of another cost is made anew while the PIN is at hand. */
async function matches(staff: StaffParts, staffId: string, pin: string): Promise<'right' | 'wrong' | 'not-set'> {
  const { rows, pins, atOnce } = staff
  const known = rows.credentials(staffId)
  const checking = (known?.ofStore && storePinsOf(staff, staffId, known.ofStore)) ?? pins
  if (!(await checking.verify(pin, known?.pinHash ?? null)))
    return known && known.pinHash === null ? 'not-set' : 'wrong'
  if (known?.pinHash && (known.ofStore !== null || pins.isOutdated(known.pinHash))) {
    const hash = await pins.hash(pin)
    atOnce((tx) => {
      // Another lane may have set another meanwhile.
      if (rows.credentials(staffId)?.pinHash === known.pinHash) rows.setPinHash(tx, staffId, hash, known)
    })
  }
  return 'right'
}

/** Throws ProblemError where no more tries are let in. */
function refuseShut(staff: StaffParts, staffId: string, askedBy: string | null): void {
  refuseLocked(staff, staffId, askedBy)
  const { door, by } = triedAt(staffId, askedBy)
  // The process died between the last allowed guess and its lockout.
  if (staff.doors.misses(door, by) >= MAX_ATTEMPTS) throw staff.atOnce((tx) => lockOut(staff, tx, staffId, askedBy))
}

/** Of the `attempt`th wrong PIN in a row. */
const missed = (staff: StaffParts, attempt: number, staffId: string, askedBy: string | null): ProblemError =>
  staff.atOnce((tx) => {
    const wrong = refuse(staff, tx, 'pin-wrong', staffId, askedBy)
    return attempt < MAX_ATTEMPTS ? wrong : lockOut(staff, tx, staffId, askedBy)
  })

/** A PIN that another person has set is no answer yet. Throws ProblemError `pin-change-required`. */
export function refuseTemporary(staff: StaffParts, staffId: string, askedBy: string | null): void {
  if (staff.rows.credentials(staffId)?.temporary) throw refused(staff, 'pin-change-required', staffId, askedBy)
}

/** The person, when the PIN is theirs. Check one at a time: a try is counted on disk before it is checked. */
export async function signIn(staff: StaffParts, staffId: string, pin: string): Promise<Staff> {
  const { doors, atOnce } = staff
  const person = staff.rows.find(staffId)
  if (!person) {
    await staff.pins.verify(pin, null)
    throw refused(staff, 'pin-wrong', staffId, null)
  }
  refuseShut(staff, staffId, null)
  const attempt = atOnce((tx) => doors.count(tx, 'sign-in', staffId))
  switch (await matches(staff, staffId, pin)) {
    case 'right':
      atOnce((tx) => {
        doors.beginAnew(tx, 'sign-in', staffId)
      })
      return person
    case 'not-set':
      // There is nothing to guess, so nothing is counted; the work is that of any other check.
      throw atOnce((tx) => {
        doors.takeBack(tx, 'sign-in', staffId)
        return refuse(staff, tx, 'pin-not-set', staffId, null)
      })
    case 'wrong':
      throw missed(staff, attempt, staffId, null)
  }
}

/** The same for a command that somebody else asks for. */
export async function approve(staff: StaffParts, approverId: string, pin: string, askedBy: string): Promise<Staff> {
  const { doors, atOnce } = staff
  const person = staff.rows.find(approverId)
  refuseShut(staff, approverId, askedBy)
  if (doors.misses('approval-approver', approverId) >= MAX_APPROVER_MISSES)
    throw refused(staff, 'approver-locked', approverId, askedBy)
  const attempt = atOnce((tx) => {
    if (person) doors.count(tx, 'approval-approver', approverId)
    return doors.count(tx, 'approval-asker', askedBy)
  })
  const outcome = person ? await matches(staff, approverId, pin) : (await staff.pins.verify(pin, null), 'wrong')
  if (!person || outcome === 'wrong') throw missed(staff, attempt, approverId, askedBy)
  atOnce((tx) => {
    doors.takeBack(tx, 'approval-approver', approverId)
    if (outcome === 'right') doors.beginAnew(tx, 'approval-asker', askedBy)
    else doors.takeBack(tx, 'approval-asker', askedBy)
  })
  if (outcome === 'not-set') throw refused(staff, 'pin-not-set', approverId, askedBy)
  refuseTemporary(staff, approverId, askedBy)
  return person
}

/** Who is locked after wrong PINs, as a manager reads it. */
export const staffLocks = (staff: StaffParts): StaffLock[] =>
  staff.rows.active().map(({ id, name, role }) => {
    const { doors } = staff
    const known = staff.rows.credentials(id)
    const [signInMs, askingMs] = [doors.lockedMs('sign-in', id), doors.lockedMs('approval-asker', id)]
    return {
      id,
      name,
      role,
      pin: known?.pinHash == null ? 'none' : known.temporary ? 'temporary' : 'own',
      lockedUntil: signInMs > 0 ? untilOf(staff, signInMs) : null,
      approvalsLockedUntil: askingMs > 0 ? untilOf(staff, askingMs) : null,
      mayNotApprove: doors.misses('approval-approver', id) >= MAX_APPROVER_MISSES,
      badge: staff.badgeRows.stateOf(id),
    }
  })

/** Throws ProblemError `not-found`. */
export function liftLock(staff: StaffParts, staffId: string, actorId: string): void {
  const { doors } = staff
  if (!staff.rows.find(staffId)) throw new ProblemError('not-found')
  const shut = DOORS.filter(
    (door) => doors.lockedMs(door, staffId) > 0 || (door === 'approval-approver' && doors.misses(door, staffId) > 0),
  )
  staff.atOnce((tx) => {
    for (const door of shut) {
      const ms = doors.lockedMs(door, staffId)
      doors.lift(tx, door, staffId)
      const detail = { door, ...(ms > 0 ? { until: untilOf(staff, ms) } : {}) }
      staff.audit.record(tx, { kind: 'pin-lock-lifted', actorId, subject: staffId, detail })
    }
  })
}
