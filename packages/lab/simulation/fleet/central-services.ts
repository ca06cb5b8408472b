import type { Answer } from '../../../../backend/core/central/transport.ts'
import { answerOf } from './answers.ts'
import type { SeededRng } from '../rng.ts'
import type { Timeline } from './event-queue.ts'

export type Condition =
  | { readonly kind: 'up'; readonly slower: number }
  /** The services give no response: each call takes its whole timeout. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'refused' }
  /** The gateway before the services responds that they are closed. */
  | { readonly kind: 'closed' }

/** Size of the central services, chosen before the first run; docs/fleet.md has the reasons. */
export interface CentreSize {
  readonly workers: number
  readonly meanServiceMs: number
  /** Number of calls that may wait for a worker; further calls get 503. */
  readonly queueLimit: number
  /** Number of calls per second that get any response, also a rejection; further calls get none. */
  readonly frontPerSecond: number
  readonly retryAfterSeconds: number
}

/** Rate limit per client; calls beyond it get 429. */
export const CLIENT_LIMIT = { perSecond: 10, burst: 20, retryAfterSeconds: 5 } as const
/** Standard deviation of the logarithm of a service time: the slowest percent takes five times the median or more. */
const SIGMA = 0.7
const ROUND_TRIP_MS = 30

const SILENT: Answer = { kind: 'unknown', reason: 'no answer' }
const REFUSED: Answer = { kind: 'never-sent', reason: 'ECONNREFUSED' }

export interface Client {
  allowance: number
  allowanceAt: number
}

export interface Arrival {
  readonly client: Client
  readonly timeoutMs: number
  /** Applies the effect of the call; null: the call has no effect. */
  readonly execute: (() => void) | null
  readonly answer: Answer
  readonly answered: (answer: Answer) => void
}

export interface Centre {
  send(arrival: Arrival): void
  set(condition: Condition): void
  capacity(): number
  readonly counts: { offered: number; rejected: number; worked: number; wasted: number }
}

/**
 * Creates central services with a bounded queue and workers. A call is processed even after its client has timed out.
 */
export function createCentre(timeline: Timeline, rng: SeededRng, size: CentreSize): Centre {
  const counts = { offered: 0, rejected: 0, worked: 0, wasted: 0 }
  const rejected = answerOf(503, null, size.retryAfterSeconds)
  const tooMany = answerOf(429, null, CLIENT_LIMIT.retryAfterSeconds)
  const waiting: { arrival: Arrival; deadline: number }[] = []
  let waitingFrom = 0
  let condition: Condition = { kind: 'up', slower: 1 }
  let busy = 0
  const front = { left: size.frontPerSecond, at: 0 }

  const serviceMs = (): number => {
    const slower = condition.kind === 'up' ? condition.slower : 1
    // Service times are log-normal; the normal value comes from the Box–Muller transform.
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
    if (condition.kind === 'silent') return silence()
    if (!isWithin(front, size.frontPerSecond, size.frontPerSecond)) return silence()
    const isFull = busy >= size.workers && waiting.length - waitingFrom >= size.queueLimit
    const refusal = !isAllowed(arrival.client) ? tooMany : isFull || condition.kind === 'closed' ? rejected : null
    if (refusal !== null) {
      counts.rejected += 1
      return arrival.answered(refusal)
    }
    if (busy < size.workers) work(arrival, deadline)
    else waiting.push({ arrival, deadline })
  }

  return {
    counts,
    set(now) {
      condition = now
    },
    capacity: () => (condition.kind === 'up' ? (size.workers * 1_000) / size.meanServiceMs / condition.slower : 0),
    send(arrival) {
      const deadline = timeline.now + arrival.timeoutMs
      timeline.plan(ROUND_TRIP_MS, () => {
        if (condition.kind !== 'refused') return arrive(arrival, deadline)
        counts.offered += 1
        arrival.answered(REFUSED)
      })
    },
  }
}
