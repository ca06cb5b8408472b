import { momentOf, timeSince, type Moment } from '../core/clock.ts'
import type { Ctx } from '../core/context.ts'
import { ProblemError } from '../core/problem.ts'

/**
 * Maximum drift in ms between wall clock and monotonic clock during a lease. More drift means that the machine slept,
 * during which the monotonic clock stops, or that the clock was set. The server waits longer than this
 * (`lanes/leases.ts`).
 */
const JUMP_MS = 30_000

/** Duration of a lease: it covers a server that fails on a Saturday evening and is repaired on Monday. */
const LEASE_HOURS = 48

/**
 * Lease of the voucher value held at this lane (docs/decisions/0029-stored-value-moves-and-is-leased.md). It is kept in
 * memory only, so that a restart ends it, and counts from the time at which a heartbeat was sent, not from its answer.
 */
export function createLease({ clock, log, profile }: Ctx) {
  /** How long voucher value held at this lane may be spent after the last confirmed heartbeat. */
  const leaseMs = (profile.store.voucherLeaseHours ?? LEASE_HOURS) * 3_600_000
  let since: Moment | null = null
  const moment = (): Moment => momentOf(clock)

  const isOver = (from: Moment): boolean =>
    clock.monotonic() - from.monotonicMs >= leaseMs || Math.abs(clock.now() - timeSince(clock, from)) > JUMP_MS

  function end(): void {
    if (since !== null) log.warn({}, 'voucher value at this lane is frozen until the store confirms a heartbeat')
    since = null
  }

  return {
    leaseMs,
    /** Current moment; read it before sending a heartbeat. */
    moment,
    /** Records that the server confirmed the heartbeat sent at this moment. */
    confirm(sent: Moment): void {
      if (!isOver(sent)) since = sent
    },
    end,
    isHeld(): boolean {
      if (since !== null && isOver(since)) end()
      return since !== null
    },
  }
}

type Awaiting = 'held-sale-lanes-awaited' | 'return-lanes-awaited' | 'voucher-lanes-awaited'

/**
 * Refuses an action at a restored store until these lanes have pushed their facts since the backup; the message names
 * the lanes. '' is a lane that the store does not know; servers of the previous release name none.
 */
export const lanesAwaited = (code: Awaiting, lanes: readonly string[] = []): ProblemError =>
  new ProblemError(
    code,
    lanes.map((lane) => ({ path: 'awaited', message: lane })),
  )
