import type { Answer } from '../../../../backend/core/central/transport.ts'
import { answerOf } from './answers.ts'
import type { SeededRng } from '../rng.ts'
import type { Timeline } from './event-queue.ts'

/** What is wrong with the centre at a time. */
export type Weather =
  | { readonly kind: 'up'; readonly slower: number }
  /** Nobody answers: each call takes its whole time limit. */
  | { readonly kind: 'silent' }
  /** No connection comes to stand. */
  | { readonly kind: 'refused' }
  /** What stands before the services says that they are closed. */
  | { readonly kind: 'closed' }

/** Fixed before the first run; docs/fleet.md says why each. */
export interface CentreSize {
  /** Calls that are worked on at once. */
  readonly workers: number
  readonly meanServiceMs: number
  /** Calls that may wait for a worker: a 503 comes to the next. */
  readonly queueLimit: number
  /** Calls a second that can be turned away at all: whatever comes beyond is not answered. */
  readonly frontPerSecond: number
  readonly retryAfterSeconds: number
}

/** Of one client: what comes beyond is answered 429. */
export const CLIENT_LIMIT = { perSecond: 10, burst: 20, retryAfterSeconds: 5 } as const
/** Spread of the logarithm of a service time: the slowest of a hundred take five times the usual. */
const SIGMA = 0.7
/** From a lane to the centre and back. */
const ROUND_TRIP_MS = 30

const SILENT: Answer = { kind: 'unknown', reason: 'no answer' }
const REFUSED: Answer = { kind: 'never-sent', reason: 'ECONNREFUSED' }

/** A lane as the centre knows it: what its limit has left. */
export interface Client {
  allowance: number
  allowanceAt: number
}

export interface Arrival {
  readonly client: Client
  readonly timeoutMs: number
  /** What the centre does for it; null: it moves nothing. */
  readonly execute: (() => void) | null
  /** What the centre answers when it has worked on it. */
  readonly answer: Answer
  readonly answered: (answer: Answer) => void
}

export interface Centre {
  send(arrival: Arrival): void
  set(weather: Weather): void
  /** Calls a second that it can work on now. */
  capacity(): number
  readonly counts: { offered: number; turnedAway: number; worked: number; wasted: number }
}

/**
 * A centre with a bounded queue before its workers. It executes what it works on, whether or not anybody still waits.
 */
export function createCentre(timeline: Timeline, rng: SeededRng, size: CentreSize): Centre {
  const counts = { offered: 0, turnedAway: 0, worked: 0, wasted: 0 }
  const turnedAway = answerOf(503, null, size.retryAfterSeconds)
  const tooMany = answerOf(429, null, CLIENT_LIMIT.retryAfterSeconds)
  const waiting: { arrival: Arrival; deadline: number }[] = []
  let waitingFrom = 0
  let weather: Weather = { kind: 'up', slower: 1 }
  let busy = 0
  const front = { left: size.frontPerSecond, at: 0 }

  const serviceMs = (): number => {
    const slower = weather.kind === 'up' ? weather.slower : 1
    // Box and Muller's: the logarithm of a service time is normal.
    const normal = Math.sqrt(-2 * Math.log(1 - rng.fraction())) * Math.cos(2 * Math.PI * rng.fraction())
    return slower * size.meanServiceMs * Math.exp(SIGMA * normal - (SIGMA * SIGMA) / 2)
  }

  function work(arrival: Arrival, deadline: number): void {
    busy += 1
    const takesMs = serviceMs()
    const isInTime = timeline.now + takesMs <= deadline
    if (!isInTime) {
      counts.wasted += 1
      timeline.plan(deadline - timeline.now, () => {
        arrival.answered(SILENT)
      })
    }
    timeline.plan(takesMs, () => {
      busy -= 1
      counts.worked += 1
      arrival.execute?.()
      const next = waiting[waitingFrom]
      if (next !== undefined) {
        waitingFrom += 1
        if (waitingFrom === waiting.length) waitingFrom = waiting.length = 0
        work(next.arrival, next.deadline)
      }
      if (isInTime) arrival.answered(arrival.answer)
    })
  }

  function isWithin(bucket: { left: number; at: number }, perSecond: number, burst: number): boolean {
    bucket.left = Math.min(burst, bucket.left + ((timeline.now - bucket.at) / 1_000) * perSecond)
    bucket.at = timeline.now
    if (bucket.left < 1) return false
    bucket.left -= 1
    return true
  }

  function isAllowed(client: Client): boolean {
    const bucket = { left: client.allowance, at: client.allowanceAt }
    const allowed = isWithin(bucket, CLIENT_LIMIT.perSecond, CLIENT_LIMIT.burst)
    client.allowance = bucket.left
    client.allowanceAt = bucket.at
    return allowed
  }

  function arrive(arrival: Arrival, deadline: number): void {
    counts.offered += 1
    const silence = (): void => {
      timeline.plan(deadline - timeline.now, () => {
        arrival.answered(SILENT)
      })
    }
    if (weather.kind === 'silent') return silence()
    if (!isWithin(front, size.frontPerSecond, size.frontPerSecond)) return silence()
    const isFull = busy >= size.workers && waiting.length - waitingFrom >= size.queueLimit
    const refusal = !isAllowed(arrival.client) ? tooMany : isFull || weather.kind === 'closed' ? turnedAway : null
    if (refusal !== null) {
      counts.turnedAway += 1
      return arrival.answered(refusal)
    }
    if (busy < size.workers) work(arrival, deadline)
    else waiting.push({ arrival, deadline })
  }

  return {
    counts,
    set(now) {
      weather = now
    },
    capacity: () => (weather.kind === 'up' ? (size.workers * 1_000) / size.meanServiceMs / weather.slower : 0),
    send(arrival) {
      const deadline = timeline.now + arrival.timeoutMs
      timeline.plan(ROUND_TRIP_MS, () => {
        if (weather.kind !== 'refused') return arrive(arrival, deadline)
        counts.offered += 1
        arrival.answered(REFUSED)
      })
    },
  }
}
