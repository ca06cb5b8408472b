import { fullJitter, retryAfterOf, spread } from '../../core/central/waits.ts'
import type { Answer } from '../../core/central/transport.ts'
import type { IssueSettlement } from './settlement.ts'

/**
 * Decides when the queue of issuance calls may send. The functions are pure. Times are monotonic, in ms; `fraction` is
 * a random number in [0, 1).
 */
export interface Pace {
  /** Number of consecutive sends that the service did not accept. */
  readonly failures: number
  /** True if the service rejected a call with Retry-After, and calls have waited ever since. */
  readonly isThrottled: boolean
  /** Earliest time of the next send. */
  readonly notBefore: number
  /** The end of the longest Retry-After. No answer to another call makes it earlier. */
  readonly retryNotBefore: number
}

/** The outcome of a send for the pace of the queue. `retryAfterMs`: the service's Retry-After. */
export type SendResult =
  | { readonly kind: 'taken' }
  | { readonly kind: 'not-taken'; readonly retryAfterMs: number | null }

/** Derives from an answer whether the service accepts calls. `now`: wall time, epoch ms. */
export const sendResultOf = (next: IssueSettlement['next'], answer: Answer, now: number): SendResult =>
  next === 'no-central' ? { kind: 'not-taken', retryAfterMs: retryAfterOf(answer, now) } : { kind: 'taken' }

export interface Moment {
  readonly now: number
  readonly fraction: number
  /** Number of collectors with calls that wait or are in flight. */
  readonly waiting: number
}

export interface PaceRules {
  /** Returns the maximum number of calls in flight. */
  places(pace: Pace): number
  sent(pace: Pace, moment: Moment): Pace
  recordResult(pace: Pace, heard: SendResult, moment: Moment): Pace
}

/**
 * Maximum number of calls in flight: normally, and after the service rejected a call with Retry-After because of load.
 */
const MAX_IN_FLIGHT = 8
const MAX_WHEN_THROTTLED = 3
const BACKOFF = { baseMs: 1_000, capMs: 60_000 } as const
/**
 * Number of waiting calls up to which the lane probes at a fixed interval, so that they leave within seconds of a
 * recovery, as a manager expects.
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
    // Keep the planned time of the next attempt: a timeout must not delay the discovery that the service is available
    // again.
    const ownPauseMs = before.failures > 0 ? before.notBefore : now + fullJitter(BACKOFF, 1, fraction)
    return { ...pace, notBefore: Math.max(ownPauseMs, pace.retryNotBefore) }
  }
  // Add a random pause to the Retry-After, so that throttled lanes do not send at the same time.
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
    // Keep waiting: the service may have rejected another call, sent at the same time, with a Retry-After.
    if (moment.now < pace.retryNotBefore) return { ...pace, isThrottled }
    return { ...FIRST_PACE, isThrottled }
  },
}
