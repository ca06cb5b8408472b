import type { Clock } from '../core/clock.ts'
import { bound } from '../core/context.ts'
import type { Tx } from '../core/db/transact.ts'
import type { PinDoor, PinDoorRepository, PinDoorRow } from './staff.sql.ts'

/** Wrong PINs in a row before the first lockout. */
export const MAX_ATTEMPTS = 5
/**
 * Wrong approvals by anybody in one person's name, until a manager looks: no success of theirs begins the count anew.
 */
export const MAX_APPROVER_MISSES = 20
/** Which of those that may open on a manager's word. */
export const DOORS = ['sign-in', 'approval-asker', 'approval-approver'] as const satisfies readonly PinDoor[]
const FIRST_LOCKOUT_MS = 5 * 60_000
const LONGEST_LOCKOUT_MS = 60 * 60_000

/** What the doors work with: the installer's commands check PINs without a lane's context. */
interface Doors {
  readonly rows: PinDoorRepository
  readonly clock: Clock
  readonly uptimeMs: () => number
  /** On the monotonic clock of this run. */
  readonly lockedUntil: Map<string, number>
}

const nameOf = (door: PinDoor, staffId: string): string => `${door} ${staffId}`
const rowOf = ({ rows }: Doors, door: PinDoor, staffId: string): PinDoorRow =>
  rows.find(door, staffId) ?? { failed: 0, lockouts: 0, lockedMs: null, writtenAtUptimeMs: null }

function write(
  { rows, clock, uptimeMs, lockedUntil }: Doors,
  tx: Tx,
  door: PinDoor,
  staffId: string,
  row: Omit<PinDoorRow, 'writtenAtUptimeMs'>,
): void {
  rows.put(tx, door, staffId, { ...row, writtenAtUptimeMs: row.lockedMs === null ? null : uptimeMs() })
  if (row.lockedMs === null) lockedUntil.delete(nameOf(door, staffId))
  else lockedUntil.set(nameOf(door, staffId), clock.monotonic() + row.lockedMs)
}

/** What is certain to have passed since an uptime was noted: after a reboot, what the machine has been up since. */
const passedSince = ({ uptimeMs }: Doors, then: number): number => (uptimeMs() >= then ? uptimeMs() - then : uptimeMs())

/** How long the door stays shut, in milliseconds; 0 while it is open. */
function lockedMs(doors: Doors, door: PinDoor, staffId: string): number {
  const { clock, lockedUntil } = doors
  const known = lockedUntil.get(nameOf(door, staffId))
  if (known !== undefined) return Math.max(0, Math.ceil(known - clock.monotonic()))
  const { lockedMs: left, writtenAtUptimeMs: then } = rowOf(doors, door, staffId)
  if (left === null) return 0
  const ms = Math.max(0, left - (then === null ? 0 : passedSince(doors, then)))
  lockedUntil.set(nameOf(door, staffId), clock.monotonic() + ms)
  return ms
}

/** Locks for five minutes, then ten, twenty … up to an hour. Answers for how long. */
function lock(doors: Doors, tx: Tx, door: PinDoor, staffId: string): number {
  const { lockouts } = rowOf(doors, door, staffId)
  const ms = Math.min(FIRST_LOCKOUT_MS * 2 ** lockouts, LONGEST_LOCKOUT_MS)
  write(doors, tx, door, staffId, { failed: 0, lockouts: lockouts + 1, lockedMs: ms })
  return ms
}

/** A good PIN: this door, and no other, begins anew. */
function beginAnew({ rows, lockedUntil }: Doors, tx: Tx, door: PinDoor, staffId: string): void {
  rows.remove(tx, door, staffId)
  lockedUntil.delete(nameOf(door, staffId))
}

/** Counts a try before it is checked: neither a restart nor many calls at once win a guess. Answers how many it is. */
function count(doors: Doors, tx: Tx, door: PinDoor, staffId: string): number {
  const { failed, lockouts } = rowOf(doors, door, staffId)
  write(doors, tx, door, staffId, { failed: failed + 1, lockouts, lockedMs: null })
  return failed + 1
}

/** The try that was counted was a good one: it was no miss. */
function takeBack(doors: Doors, tx: Tx, door: PinDoor, staffId: string): void {
  const { failed, lockouts } = rowOf(doors, door, staffId)
  write(doors, tx, door, staffId, { failed: Math.max(0, failed - 1), lockouts, lockedMs: null })
}

/** Another PIN: every door begins anew. */
function openAll(doors: Doors, tx: Tx, staffId: string): void {
  for (const door of DOORS) beginAnew(doors, tx, door, staffId)
}

/** Opens a door; the next lockout is as long as it would have been. */
function lift(doors: Doors, tx: Tx, door: PinDoor, staffId: string): void {
  write(doors, tx, door, staffId, { failed: 0, lockouts: rowOf(doors, door, staffId).lockouts, lockedMs: null })
}

/**
 * Counts wrong PINs on the disk and keeps the locks. A lock goes by the monotonic clock while the program runs, and
 * over a restart by how long the machine has been up: whoever sets the clock wins no guess. After a reboot only the
 * time since then has passed for certain.
 */
export const createPinDoors = (doors: Doors) =>
  bound(doors, {
    lockedMs,
    lock,
    beginAnew,
    misses: (of: Doors, door: PinDoor, staffId: string): number => rowOf(of, door, staffId).failed,
    count,
    takeBack,
    openAll,
    lift,
  })
