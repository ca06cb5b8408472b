import { uptime } from 'node:os'
import type { Clock } from '../core/clock.ts'
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

export type PinDoors = ReturnType<typeof createPinDoors>

/**
 * Counts wrong PINs on the disk and keeps the locks. A lock goes by the monotonic clock while the program runs, and
 * over a restart by how long the machine has been up: whoever sets the clock wins no guess. After a reboot only the
 * time since then has passed for certain.
 */
export function createPinDoors({
  rows,
  clock,
  uptimeMs = () => Math.round(uptime() * 1000),
}: {
  readonly rows: PinDoorRepository
  readonly clock: Clock
  readonly uptimeMs?: (() => number) | undefined
}) {
  /** On the monotonic clock of this run. */
  const lockedUntil = new Map<string, number>()

  const nameOf = (door: PinDoor, staffId: string): string => `${door} ${staffId}`
  const rowOf = (door: PinDoor, staffId: string): PinDoorRow =>
    rows.find(door, staffId) ?? { failed: 0, lockouts: 0, lockedMs: null, writtenAtUptimeMs: null }

  function write(
    tx: Tx,
    door: PinDoor,
    staffId: string,
    { failed, lockouts, lockedMs }: { failed: number; lockouts: number; lockedMs: number | null },
  ): void {
    rows.put(tx, door, staffId, {
      failed,
      lockouts,
      lockedMs,
      writtenAtUptimeMs: lockedMs === null ? null : uptimeMs(),
    })
    if (lockedMs === null) lockedUntil.delete(nameOf(door, staffId))
    else lockedUntil.set(nameOf(door, staffId), clock.monotonic() + lockedMs)
  }

  /** What is certain to have passed since an uptime was noted: after a reboot, what the machine has been up since. */
  const passedSince = (then: number): number => (uptimeMs() >= then ? uptimeMs() - then : uptimeMs())

  /** How long the door stays shut, in milliseconds; 0 while it is open. */
  function lockedMs(door: PinDoor, staffId: string): number {
    const known = lockedUntil.get(nameOf(door, staffId))
    if (known !== undefined) return Math.max(0, Math.ceil(known - clock.monotonic()))
    const { lockedMs: left, writtenAtUptimeMs: then } = rowOf(door, staffId)
    if (left === null) return 0
    const ms = Math.max(0, left - (then === null ? 0 : passedSince(then)))
    lockedUntil.set(nameOf(door, staffId), clock.monotonic() + ms)
    return ms
  }

  /** Locks for five minutes, then ten, twenty … up to an hour. Answers for how long. */
  function lock(tx: Tx, door: PinDoor, staffId: string): number {
    const { lockouts } = rowOf(door, staffId)
    const ms = Math.min(FIRST_LOCKOUT_MS * 2 ** lockouts, LONGEST_LOCKOUT_MS)
    write(tx, door, staffId, { failed: 0, lockouts: lockouts + 1, lockedMs: ms })
    return ms
  }

  /** A good PIN: this door, and no other, begins anew. */
  function beginAnew(tx: Tx, door: PinDoor, staffId: string): void {
    rows.remove(tx, door, staffId)
    lockedUntil.delete(nameOf(door, staffId))
  }

  return {
    lockedMs,
    lock,
    beginAnew,
    misses: (door: PinDoor, staffId: string): number => rowOf(door, staffId).failed,
    /**
     * Counts a try before it is checked: neither a restart nor many calls at once win a guess. Answers how many it is.
     */
    count(tx: Tx, door: PinDoor, staffId: string): number {
      const { failed, lockouts } = rowOf(door, staffId)
      write(tx, door, staffId, { failed: failed + 1, lockouts, lockedMs: null })
      return failed + 1
    },
    /** The try that was counted was a good one: it was no miss. */
    takeBack(tx: Tx, door: PinDoor, staffId: string): void {
      const { failed, lockouts } = rowOf(door, staffId)
      write(tx, door, staffId, { failed: Math.max(0, failed - 1), lockouts, lockedMs: null })
    },
    /** Another PIN: every door begins anew. */
    openAll(tx: Tx, staffId: string): void {
      for (const door of DOORS) beginAnew(tx, door, staffId)
    },
    /** Opens a door; the next lockout is as long as it would have been. */
    lift(tx: Tx, door: PinDoor, staffId: string): void {
      write(tx, door, staffId, { failed: 0, lockouts: rowOf(door, staffId).lockouts, lockedMs: null })
    },
  }
}
