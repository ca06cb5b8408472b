import { fullJitter, retryAfterOf, spread } from '../../core/central/waits.ts'
import type { Answer } from '../../core/central/transport.ts'
import type { Settlement } from './settlement.ts'

/**
 * Decides when the queue may send. Pure functions. Times are monotonic, in ms; `fraction` is a random number in [0, 1).
 */
export interface Pace {
  /** Consecutive sends that the service did not accept. */
  readonly failures: number
  /** The service rejected a call with Retry-After, and calls have been waiting since. */
  readonly isThrottled: boolean
  /** Earliest time of the next send. */
  readonly notBefore: number
  /** The end of the longest Retry-After, which no answer to another call shortens. */
  readonly retryNotBefore: number
}

/** The outcome of a send. `retryAfterMs`: the service's Retry-After. */
export type SendResult =
  | { readonly kind: 'taken' }
  | { readonly kind: 'not-taken'; readonly retryAfterMs: number | null }

/** Derives the availability of the service from an answer. `now`: wall time, epoch ms. */
export const sendResultOf = (next: Settlement['next'], answer: Answer, now: number): SendResult =>
  next === 'no-central' ? { kind: 'not-taken', retryAfterMs: retryAfterOf(answer, now) } : { kind: 'taken' }

export interface Moment {
  readonly now: number
  readonly fraction: number
  /** Collectors with calls that wait or are in flight. */
  readonly waiting: number
}

export interface PaceRules {
  /** The maximum number of calls in flight. */
  places(pace: Pace): number
  sent(pace: Pace, moment: Moment): Pace
  recordResult(pace: Pace, heard: SendResult, moment: Moment): Pace
}

/** Calls in flight, normally and after the service rejected one with Retry-After because of load. */
const MAX_IN_FLIGHT = 8
const MAX_WHEN_THROTTLED = 3
const BACKOFF = { baseMs: 1_000, capMs: 60_000 } as const
/**
 * A manager expects a backlog this small to leave within seconds of a recovery, so the lane probes at this interval.
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
    // Keep the planned time of the next try: a timeout must not delay the discovery that the service is back.
    const ownPauseMs = before.failures > 0 ? before.notBefore : now + fullJitter(BACKOFF, 1, fraction)
    return { ...pace, notBefore: Math.max(ownPauseMs, pace.retryNotBefore) }
  }
  // Full jitter after the Retry-After, so that throttled lanes do not return together.
  const retryNotBefore = Math.max(pace.retryNotBefore, now + retryAfterMs * (1 + fraction))
  return { ...pace, isThrottled: true, retryNotBefore, notBefore: retryNotBefore }
}

/**
 * While the service accepts no calls, the lane probes with one at intervals, never before the service's Retry-After.
 * The first accepted call releases the others, up to the maximum in flight.
 */
export const PACE: PaceRules = {
  places: ({ isThrottled }) => (isThrottled ? MAX_WHEN_THROTTLED : MAX_IN_FLIGHT),
  sent: (pace, moment) => (pace.failures === 0 ? pace : { ...pace, notBefore: moment.now + pauseMs(pace, moment) }),
  recordResult(pace, result, moment) {
    if (result.kind === 'not-taken') return withFailure(pace, result.retryAfterMs, moment)
    const isThrottled = pace.isThrottled && moment.waiting > 1
    // A call sent at the same time may have been rejected.
    if (moment.now < pace.retryNotBefore) return { ...pace, isThrottled }
    return { ...FIRST_PACE, isThrottled }
  },
}
