import { isoOf, type Clock } from '../../clock.ts'
import type { Tx } from '../../db/transact.ts'
import { ProblemError } from '../../http/problem.ts'
import type { AuditTrail } from './audit.ts'
import type { PinDoors } from './pin-doors.ts'

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
