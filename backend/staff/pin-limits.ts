import type { Clock } from '../core/clock.ts'
import { bound } from '../core/context.ts'
import type { Tx } from '../core/db/transact.ts'
import type { PinContext, PinLimitRepository, PinLimitRow } from './staff.sql.ts'

/** Number of wrong PINs in a row after which a person is locked. */
export const MAX_ATTEMPTS = 5
/**
 * Number of wrong PINs that all people together may enter in one approver’s name until a manager must lift the lock.
 * The approver’s right PIN does not reset the count.
 */
export const MAX_APPROVER_MISSES = 20
/** Contexts of PIN attempts that a manager can unlock. */
export const PIN_CONTEXTS = ['sign-in', 'approval-asker', 'approval-approver'] as const satisfies readonly PinContext[]
const FIRST_LOCKOUT_MS = 5 * 60_000
const LONGEST_LOCKOUT_MS = 60 * 60_000

/** Dependencies of the limits. Not a lane's context, because the installer's CLI commands check PINs without one. */
interface Limits {
  readonly rows: PinLimitRepository
  readonly clock: Clock
  readonly uptimeMs: () => number
  readonly lockedUntil: Map<string, number>
}

const nameOf = (context: PinContext, staffId: string): string => `${context} ${staffId}`
const rowOf = ({ rows }: Limits, context: PinContext, staffId: string): PinLimitRow =>
  rows.find(context, staffId) ?? { failed: 0, lockouts: 0, lockedMs: null, writtenAtUptimeMs: null }

function write(
  { rows, clock, uptimeMs, lockedUntil }: Limits,
  tx: Tx,
  context: PinContext,
  staffId: string,
  row: Omit<PinLimitRow, 'writtenAtUptimeMs'>,
): void {
  rows.put(tx, context, staffId, { ...row, writtenAtUptimeMs: row.lockedMs === null ? null : uptimeMs() })
  if (row.lockedMs === null) lockedUntil.delete(nameOf(context, staffId))
  else lockedUntil.set(nameOf(context, staffId), clock.monotonic() + row.lockedMs)
}

/** Time in ms that has certainly passed since an uptime was recorded; after a reboot, the machine's uptime. */
const passedSince = ({ uptimeMs }: Limits, then: number): number =>
  uptimeMs() >= then ? uptimeMs() - then : uptimeMs()

/** Remaining time of a lock in milliseconds; 0 if the person is not locked. */
function lockedMs(limits: Limits, context: PinContext, staffId: string): number {
  const { clock, lockedUntil } = limits
  const known = lockedUntil.get(nameOf(context, staffId))
  if (known !== undefined) return Math.max(0, Math.ceil(known - clock.monotonic()))
  const { lockedMs: left, writtenAtUptimeMs: then } = rowOf(limits, context, staffId)
  if (left === null) return 0
  const ms = Math.max(0, left - (then === null ? 0 : passedSince(limits, then)))
  lockedUntil.set(nameOf(context, staffId), clock.monotonic() + ms)
  return ms
}

/** Locks a person for five minutes, then ten, twenty, and so on up to an hour. Returns the duration in ms. */
function lock(limits: Limits, tx: Tx, context: PinContext, staffId: string): number {
  const { lockouts } = rowOf(limits, context, staffId)
  const ms = Math.min(FIRST_LOCKOUT_MS * 2 ** lockouts, LONGEST_LOCKOUT_MS)
  write(limits, tx, context, staffId, { failed: 0, lockouts: lockouts + 1, lockedMs: ms })
  return ms
}

function resetOne({ rows, lockedUntil }: Limits, tx: Tx, context: PinContext, staffId: string): void {
  rows.remove(tx, context, staffId)
  lockedUntil.delete(nameOf(context, staffId))
}

/**
 * Counts an attempt before the PIN is checked, so that neither a restart nor simultaneous calls allow another guess.
 * Returns the count.
 */
function count(limits: Limits, tx: Tx, context: PinContext, staffId: string): number {
  const { failed, lockouts } = rowOf(limits, context, staffId)
  write(limits, tx, context, staffId, { failed: failed + 1, lockouts, lockedMs: null })
  return failed + 1
}

function takeBack(limits: Limits, tx: Tx, context: PinContext, staffId: string): void {
  const { failed, lockouts } = rowOf(limits, context, staffId)
  write(limits, tx, context, staffId, { failed: Math.max(0, failed - 1), lockouts, lockedMs: null })
}

function resetAll(limits: Limits, tx: Tx, staffId: string): void {
  for (const context of PIN_CONTEXTS) resetOne(limits, tx, context, staffId)
}

function unlock(limits: Limits, tx: Tx, context: PinContext, staffId: string): void {
  write(limits, tx, context, staffId, { failed: 0, lockouts: rowOf(limits, context, staffId).lockouts, lockedMs: null })
}

/**
 * Counts wrong PINs on disk and stores the locks. A lock is timed by the monotonic clock while the program runs, and by
 * the machine's uptime across a restart, so that setting the clock allows no other guess. After a reboot, only the time
 * since then has certainly passed.
 */
export const createPinLimits = (limits: Limits) =>
  bound(limits, {
    lockedMs,
    lock,
    reset: resetOne,
    misses: (of: Limits, context: PinContext, staffId: string): number => rowOf(of, context, staffId).failed,
    count,
    takeBack,
    resetAll: resetAll,
    unlock,
  })
