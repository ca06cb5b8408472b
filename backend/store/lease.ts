import { momentOf, timeSince, type Moment } from '../core/clock.ts'
import type { Ctx } from '../core/context.ts'
import { ProblemError } from '../core/problem.ts'

/**
 * How far wall clock and monotonic clock may drift apart under one lease. More is a sleep of the machine, during which
 * the monotonic clock stands still, or a clock that was set. The server waits longer than this (`lanes/leases.ts`).
 */
const JUMP_MS = 30_000

/** Long enough for a server that fails on a Saturday evening and is repaired on Monday. */
const LEASE_HOURS = 48

/**
 * The lease of the value that lies at this lane (decision 29). It is in memory only, so that a restart ends it, and
 * counts from when a heartbeat was sent, never from when its answer came.
 */
export function createLease({ clock, log, profile }: Ctx) {
  /** How long value that lies at this lane may be paid with after the last confirmed heartbeat. */
  const leaseMs = (profile.store.voucherLeaseHours ?? LEASE_HOURS) * 3_600_000
  let since: Moment | null = null
  const moment = (): Moment => momentOf(clock)

  const isOver = (from: Moment): boolean =>
    clock.monotonic() - from.monotonicMs >= leaseMs || Math.abs(clock.now() - timeSince(clock, from)) > JUMP_MS

  function end(): void {
    if (since !== null) log.warn({}, 'value at this lane is frozen until the store confirms a heartbeat')
    since = null
  }

  return {
    leaseMs,
    /** To be read before a heartbeat is sent. */
    moment,
    /** The server has confirmed a heartbeat that was sent then. */
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
 * The store's data was restored, and nothing of this kind is done before these lanes have told what they did since: its
 * words name them. '' is a lane that the store does not know, and a server of the release before names none.
 */
export const lanesAwaited = (code: Awaiting, lanes: readonly string[] = []): ProblemError =>
  new ProblemError(
    code,
    lanes.map((lane) => ({ path: 'awaited', message: lane })),
  )
