import type { Staff, StaffLock } from '../../contracts/staff/session.ts'
import { isoOf } from '../core/clock.ts'
import type { Tx } from '../core/db/transact.ts'
import { ProblemError } from '../core/problem.ts'
import { PIN_CONTEXTS, MAX_APPROVER_MISSES, MAX_ATTEMPTS } from './pin-limits.ts'
import type { StaffModule } from './staff-module.ts'
import { storePinsOf } from './pin-changes.ts'

type Refusal =
  | 'pin-wrong'
  | 'pin-not-set'
  | 'pin-locked'
  | 'pin-change-required'
  | 'approval-locked'
  | 'approver-locked'

/**
 * Context of a PIN attempt, and the person whose attempts are counted: at the sign-in screen the owner of the PIN,
 * at an approval the person who asks for it.
 */
const triedAt = (staffId: string, askedBy: string | null) =>
  askedBy === null
    ? ({ context: 'sign-in', by: staffId, problem: 'pin-locked', audit: 'pin-locked' } as const)
    : ({ context: 'approval-asker', by: askedBy, problem: 'approval-locked', audit: 'approvals-locked' } as const)

/** End of a lock in whole seconds, rounded up: the shown clock is another than the one that times the lock. */
const untilOf = ({ clock }: StaffModule, lockedMs: number): string =>
  isoOf(Math.ceil((clock.now() + lockedMs) / 1000) * 1000)

/**
 * Records every refusal in the audit trail, with context and person, and never the PIN. `askedBy`: null at the sign-in
 * screen.
 */
function refuse(
  staff: StaffModule,
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

const refused = (staff: StaffModule, code: Refusal, staffId: string, askedBy: string | null): ProblemError =>
  staff.atOnce((tx) => refuse(staff, tx, code, staffId, askedBy))

function lockOut(staff: StaffModule, tx: Tx, staffId: string, askedBy: string | null): ProblemError {
  const tried = triedAt(staffId, askedBy)
  const ms = staff.pinLimits.lock(tx, tried.context, tried.by)
  const detail = { until: untilOf(staff, ms) }
  staff.audit.record(tx, { kind: tried.audit, actorId: null, subject: tried.by, detail })
  return refuse(staff, tx, tried.problem, staffId, askedBy, ms)
}

/** Throws ProblemError `pin-locked` or `approval-locked`, with a detail `lockedUntil`, while the person is locked. */
export function refuseLocked(staff: StaffModule, staffId: string, askedBy: string | null): void {
  const { context, by, problem } = triedAt(staffId, askedBy)
  const waits = staff.pinLimits.lockedMs(context, by)
  if (waits > 0) throw staff.atOnce((tx) => refuse(staff, tx, problem, staffId, askedBy, waits))
}

/**
 * Checks the PIN of a person. If it is right, a verifier that has an outdated cost or is from another lane is replaced
 * by this lane's own.
 */
async function matches(staff: StaffModule, staffId: string, pin: string): Promise<'right' | 'wrong' | 'not-set'> {
  const { rows, pins, atOnce } = staff
  const known = rows.credentials(staffId)
  const checking = (known?.ofStore && storePinsOf(staff, staffId, known.ofStore)) ?? pins
  if (!(await checking.verify(pin, known?.pinHash ?? null)))
    return known && known.pinHash === null ? 'not-set' : 'wrong'
  if (known?.pinHash && (known.ofStore !== null || pins.isOutdated(known.pinHash))) {
    const hash = await pins.hash(pin)
    atOnce((tx) => {
      // Another lane may have changed the PIN during the check.
      if (rows.credentials(staffId)?.pinHash === known.pinHash) rows.setPinHash(tx, staffId, hash, known)
    })
  }
  return 'right'
}

/** Throws a ProblemError if the person has no attempt left. */
function requireAttempts(staff: StaffModule, staffId: string, askedBy: string | null): void {
  refuseLocked(staff, staffId, askedBy)
  const { context, by } = triedAt(staffId, askedBy)
  // The program was killed after it counted the last allowed attempt and before it locked the person: lock now.
  if (staff.pinLimits.misses(context, by) >= MAX_ATTEMPTS)
    throw staff.atOnce((tx) => lockOut(staff, tx, staffId, askedBy))
}

const missed = (staff: StaffModule, attempt: number, staffId: string, askedBy: string | null): ProblemError =>
  staff.atOnce((tx) => {
    const wrong = refuse(staff, tx, 'pin-wrong', staffId, askedBy)
    return attempt < MAX_ATTEMPTS ? wrong : lockOut(staff, tx, staffId, askedBy)
  })

/** Refuses a PIN that another person has set. Throws ProblemError `pin-change-required`. */
export function refuseTemporary(staff: StaffModule, staffId: string, askedBy: string | null): void {
  if (staff.rows.credentials(staffId)?.temporary) throw refused(staff, 'pin-change-required', staffId, askedBy)
}

/**
 * Returns the person if the PIN is theirs. Must not run twice at a time, because the attempt is counted on disk before
 * the PIN is checked.
 */
export async function signIn(staff: StaffModule, staffId: string, pin: string): Promise<Staff> {
  const { pinLimits, atOnce } = staff
  const person = staff.rows.find(staffId)
  if (!person) {
    await staff.pins.verify(pin, null)
    throw refused(staff, 'pin-wrong', staffId, null)
  }
  requireAttempts(staff, staffId, null)
  const attempt = atOnce((tx) => pinLimits.count(tx, 'sign-in', staffId))
  switch (await matches(staff, staffId, pin)) {
    case 'right':
      atOnce((tx) => {
        pinLimits.reset(tx, 'sign-in', staffId)
      })
      return person
    case 'not-set':
      // Without a PIN there is nothing to guess, so no attempt is counted. The check took as long as any other.
      throw atOnce((tx) => {
        pinLimits.takeBack(tx, 'sign-in', staffId)
        return refuse(staff, tx, 'pin-not-set', staffId, null)
      })
    case 'wrong':
      throw missed(staff, attempt, staffId, null)
  }
}

/** Like `signIn`, for a command that another person (`askedBy`) requested. */
export async function approve(staff: StaffModule, approverId: string, pin: string, askedBy: string): Promise<Staff> {
  const { pinLimits, atOnce } = staff
  const person = staff.rows.find(approverId)
  requireAttempts(staff, approverId, askedBy)
  if (pinLimits.misses('approval-approver', approverId) >= MAX_APPROVER_MISSES)
    throw refused(staff, 'approver-locked', approverId, askedBy)
  const attempt = atOnce((tx) => {
    if (person) pinLimits.count(tx, 'approval-approver', approverId)
    return pinLimits.count(tx, 'approval-asker', askedBy)
  })
  const outcome = person ? await matches(staff, approverId, pin) : (await staff.pins.verify(pin, null), 'wrong')
  if (!person || outcome === 'wrong') throw missed(staff, attempt, approverId, askedBy)
  atOnce((tx) => {
    pinLimits.takeBack(tx, 'approval-approver', approverId)
    if (outcome === 'right') pinLimits.reset(tx, 'approval-asker', askedBy)
    else pinLimits.takeBack(tx, 'approval-asker', askedBy)
  })
  if (outcome === 'not-set') throw refused(staff, 'pin-not-set', approverId, askedBy)
  refuseTemporary(staff, approverId, askedBy)
  return person
}

export const staffLocks = (staff: StaffModule): StaffLock[] =>
  staff.rows.active().map(({ id, name, role }) => {
    const { pinLimits } = staff
    const known = staff.rows.credentials(id)
    const [signInMs, askingMs] = [pinLimits.lockedMs('sign-in', id), pinLimits.lockedMs('approval-asker', id)]
    return {
      id,
      name,
      role,
      pin: known?.pinHash == null ? 'none' : known.temporary ? 'temporary' : 'own',
      lockedUntil: signInMs > 0 ? untilOf(staff, signInMs) : null,
      approvalsLockedUntil: askingMs > 0 ? untilOf(staff, askingMs) : null,
      mayNotApprove: pinLimits.misses('approval-approver', id) >= MAX_APPROVER_MISSES,
      badge: staff.badgeRows.stateOf(id),
    }
  })

/** Lifts the locks of a person. Throws ProblemError `not-found`. */
export function liftLock(staff: StaffModule, staffId: string, actorId: string): void {
  const { pinLimits } = staff
  if (!staff.rows.find(staffId)) throw new ProblemError('not-found')
  const locked = PIN_CONTEXTS.filter(
    (context) =>
      pinLimits.lockedMs(context, staffId) > 0 ||
      (context === 'approval-approver' && pinLimits.misses(context, staffId) > 0),
  )
  staff.atOnce((tx) => {
    for (const context of locked) {
      const ms = pinLimits.lockedMs(context, staffId)
      pinLimits.unlock(tx, context, staffId)
      const detail = { door: context, ...(ms > 0 ? { until: untilOf(staff, ms) } : {}) }
      staff.audit.record(tx, { kind: 'pin-lock-lifted', actorId, subject: staffId, detail })
    }
  })
}
