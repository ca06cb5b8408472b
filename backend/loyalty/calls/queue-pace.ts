import { fullJitter, retryAfterOf, spread } from '../../core/central/waits.ts'
import type { Answer } from '../../core/central/transport.ts'
import type { IssueSettlement } from './settlement.ts'

/**
 * Decides when the queue of issuance calls may send. The functions are pure. Times are monotonic, in ms; `fraction` is
 * a random number in [0, 1).
 */
export interface Pace {
  readonly failures: number
  /** True after the service rejected a call with Retry-After, until no call waits any more. */
  readonly isThrottled: boolean
  readonly notBefore: number
  /**
   * End of the longest Retry-After with its random component. No call is sent before it, regardless of the answers to
   * other calls.
   */
  readonly retryNotBefore: number
}

export type SendResult =
  | { readonly kind: 'taken' }
  | { readonly kind: 'not-taken'; readonly retryAfterMs: number | null }

/**
 * Whether the service accepted a call for processing, by its answer. `now`: wall time in epoch ms, for a Retry-After
 * with a date.
 */
export const sendResultOf = (next: IssueSettlement['next'], answer: Answer, now: number): SendResult =>
  next === 'no-central' ? { kind: 'not-taken', retryAfterMs: retryAfterOf(answer, now) } : { kind: 'taken' }

export interface Moment {
  readonly now: number
  readonly fraction: number
  readonly waiting: number
}

export interface PaceRules {
  places(pace: Pace): number
  sent(pace: Pace, moment: Moment): Pace
  recordResult(pace: Pace, result: SendResult, moment: Moment): Pace
}

/**
 * Maximum number of calls in flight: normally, and after the service rejected a call with Retry-After because of load.
 */
const MAX_IN_FLIGHT = 8
const MAX_WHEN_THROTTLED = 3
const BACKOFF = { baseMs: 1_000, capMs: 60_000 } as const
/**
 * Maximum number of collectors with waiting calls for which the lane probes every few seconds, so that the calls are
 * sent within seconds of a recovery.
 */
const SMALL_BACKLOG = 50
const TRY_MS = 5_000

export const FIRST_PACE: Pace = { failures: 0, isThrottled: false, notBefore: -Infinity, retryNotBefore: -Infinity }

const pauseMs = ({ failures }: Pace, { fraction, waiting }: Moment): number =>
  waiting > SMALL_BACKLOG ? fullJitter(BACKOFF, failures, fraction) : spread(TRY_MS, fraction)

function withFailure(before: Pace, retryAfterMs: number | null, moment: Moment): Pace {
  const { now, fraction } = moment
  const pace = { ...before, failures: before.failures + 1 }
  if (retryAfterMs === null) {
    // Keep the planned time of the next attempt: a late timeout must not postpone the probe that finds the service
    // available again.
    const ownPauseMs = before.failures > 0 ? before.notBefore : now + fullJitter(BACKOFF, 1, fraction)
    return { ...pace, notBefore: Math.max(ownPauseMs, pace.retryNotBefore) }
  }
  // Add up to the same time again at random, so that throttled lanes do not send at the same time.
  const retryNotBefore = Math.max(pace.retryNotBefore, now + retryAfterMs * (1 + fraction))
  return { ...pace, isThrottled: true, retryNotBefore, notBefore: retryNotBefore }
}

/**
 * While the service accepts no calls, the lane probes with one call at intervals, never before the service's
 * Retry-After. The first accepted call releases the other calls, up to the maximum in flight.
 */
export const PACE: PaceRules = {
  places: ({ isThrottled }) => (isThrottled ? MAX_WHEN_THROTTLED : MAX_IN_FLIGHT),
  sent: (pace, moment) => (pace.failures === 0 ? pace : { ...pace, notBefore: moment.now + pauseMs(pace, moment) }),
  recordResult(pace, result, moment) {
    if (result.kind === 'not-taken') return withFailure(pace, result.retryAfterMs, moment)
    const isThrottled = pace.isThrottled && moment.waiting > 1
    // Keep waiting: a call that was sent at the same time may have been rejected with a Retry-After.
    if (moment.now < pace.retryNotBefore) return { ...pace, isThrottled }
    return { ...FIRST_PACE, isThrottled }
  },
}
