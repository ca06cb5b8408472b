import { momentOf, timeSince, type Moment } from '../core/clock.ts'
import type { Ctx } from '../core/context.ts'
import { ProblemError } from '../core/problem.ts'

/**
 * Maximum difference in ms that may arise between wall clock and monotonic clock during a lease. A larger one means
 * that the machine slept, which stops the monotonic clock, or that the clock was set. The server waits longer than this
 * (`lanes/leases.ts`).
 */
const JUMP_MS = 30_000

/** Default duration of a lease: a server that fails on a Saturday evening can be repaired on Monday. */
const LEASE_HOURS = 48

/**
 * Time for which this lane may pay with voucher value that it stores
 * (docs/decisions/0029-stored-value-moves-and-is-leased.md). In memory only, so that a restart ends it. It counts from
 * when a heartbeat was sent, not from its answer.
 */
export function createLease({ clock, log, profile }: Ctx) {
  /** Time in ms for which the value may be spent after the last confirmed heartbeat. */
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
    moment,
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
 * Returns the error of an action that a restored store refuses until these lanes have sent their facts again; its
 * details name the lanes. '' is a lane that the store does not know; servers of the previous release name none.
 */
export const lanesAwaited = (code: Awaiting, lanes: readonly string[] = []): ProblemError =>
  new ProblemError(
    code,
    lanes.map((lane) => ({ path: 'awaited', message: lane })),
  )
