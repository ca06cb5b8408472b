import { fullJitter, retryAfterOf, spread } from '../../core/central/waits.ts'
import type { Answer } from '../../core/central/transport.ts'
import type { Settlement } from './settlement.ts'

/**
 * When the queue may send. Pure: every function returns another pace. Times are of the monotonic clock, in ms;
 * `fraction` is a random number in [0, 1).
 */
export interface Pace {
  /** Sends in a row that the service did not take. */
  readonly failures: number
  /** The service turned a call away with Retry-After, and calls have waited ever since. */
  readonly isTurnedAway: boolean
  /** No call leaves before. */
  readonly notBefore: number
  /** The end of the longest Retry-After: no answer to another call shortens it. */
  readonly askedUntil: number
}

/** The result of a send. `retryAfterMs`: the Retry-After of the service. */
export type Heard = { readonly kind: 'taken' } | { readonly kind: 'not-taken'; readonly retryAfterMs: number | null }

/** What an answer says of the service. `now`: wall time, epoch ms. */
export const heardOf = (next: Settlement['next'], answer: Answer, now: number): Heard =>
  next === 'no-central' ? { kind: 'not-taken', retryAfterMs: retryAfterOf(answer, now) } : { kind: 'taken' }

export interface Moment {
  readonly now: number
  readonly fraction: number
  /** Collectors whose calls wait or are in flight. */
  readonly waiting: number
}

export interface PaceRules {
  /** How many calls may be in flight. */
  places(pace: Pace): number
  /** A call leaves. */
  sent(pace: Pace, moment: Moment): Pace
  heard(pace: Pace, heard: Heard, moment: Moment): Pace
}

/** Calls in flight, and so many after the service turned one away: it has more calls than it can take. */
const MOST_IN_FLIGHT = 8
const MOST_WHEN_TURNED_AWAY = 3
const BACKOFF = { baseMs: 1_000, capMs: 60_000 } as const
/** A manager expects so few calls to leave within seconds of a recovery: the lane tries one in this time. */
const SMALL_BACKLOG = 50
const TRY_MS = 5_000

export const FIRST_PACE: Pace = { failures: 0, isTurnedAway: false, notBefore: -Infinity, askedUntil: -Infinity }

/** From one try to the next. */
const pauseMs = ({ failures }: Pace, { fraction, waiting }: Moment): number =>
  waiting > SMALL_BACKLOG ? fullJitter(BACKOFF, failures, fraction) : spread(TRY_MS, fraction)

function notTaken(before: Pace, retryAfterMs: number | null, moment: Moment): Pace {
  const { now, fraction } = moment
  const pace = { ...before, failures: before.failures + 1 }
  if (retryAfterMs === null) {
    // The next try is planned when a call leaves: a timeout must not hide that the service is back.
    const ownWait = before.failures > 0 ? before.notBefore : now + fullJitter(BACKOFF, 1, fraction)
    return { ...pace, notBefore: Math.max(ownWait, pace.askedUntil) }
  }
  // Full jitter after the wait that was asked for: lanes that were turned away together do not return together.
  const askedUntil = Math.max(pace.askedUntil, now + retryAfterMs * (1 + fraction))
  return { ...pace, isTurnedAway: true, askedUntil, notBefore: askedUntil }
}

/**
 * While the service does not take calls, the lane tries one at intervals, and never before the service's Retry-After.
 * The first call that is taken releases the rest, up to a cap in flight.
 */
export const PACE: PaceRules = {
  places: ({ isTurnedAway }) => (isTurnedAway ? MOST_WHEN_TURNED_AWAY : MOST_IN_FLIGHT),
  sent: (pace, moment) => (pace.failures === 0 ? pace : { ...pace, notBefore: moment.now + pauseMs(pace, moment) }),
  heard(pace, heard, moment) {
    if (heard.kind === 'not-taken') return notTaken(pace, heard.retryAfterMs, moment)
    const isTurnedAway = pace.isTurnedAway && moment.waiting > 1
    // A call that left at the same time may have been turned away.
    if (moment.now < pace.askedUntil) return { ...pace, isTurnedAway }
    return { ...FIRST_PACE, isTurnedAway }
  },
}
