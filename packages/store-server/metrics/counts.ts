import { createLogCounts } from '../../../contracts/core/log-fields.ts'
import {
  COUNTED_FACTS,
  SERVER_FEATURES,
  STORE_METRICS,
  type Decision,
  type PushRefusal,
  type ServerDropped,
} from '../../../contracts/store/metrics.ts'
import { createMetrics } from '../../delivery/metrics-registry.ts'

export interface AnsweredCall {
  readonly feature: string | null
  readonly status: number
  readonly seconds: number
  /** Whether the request waits for an event (long polling), so that its duration has no meaning. */
  readonly isHeld: boolean
  /** Whether a full queue rejected the request; that is not a failure, because the client retries. */
  readonly isBusy: boolean
}

export interface AppliedPush {
  /** Kinds of the facts that were new in this push, one entry per fact. */
  readonly fresh: readonly string[]
  readonly quarantined: readonly string[]
  readonly repeated: number
}

/** Route groups whose answers a cashier waits for. */
const AT_COUNTER: readonly string[] = ['vouchers', 'turns', 'holds', 'receipts']

const member = (names: readonly string[], text: string): string => (names.includes(text) ? text : 'other')

export type StoreCounts = ReturnType<typeof createStoreCounts>

/** Counters of a running server. Labels have fixed values and never contain input of a lane. */
export function createStoreCounts() {
  const metrics = createMetrics(STORE_METRICS)
  let readers = 0
  return {
    metrics,
    log: createLogCounts(),
    readers: (): number => readers,

    answered({ feature, status, seconds, isHeld, isBusy }: AnsweredCall): void {
      const outcome = status >= 500 && !isBusy ? 'failed' : status >= 400 ? 'refused' : 'answered'
      metrics.add('requests', { part: member(SERVER_FEATURES, feature ?? ''), status: outcome })
      if (!isHeld)
        metrics.observe('latency', { waits: AT_COUNTER.includes(feature ?? '') ? 'counter' : 'nobody' }, seconds)
    },
    decided(what: Decision, isGranted: boolean): void {
      metrics.add('decisions', { what, outcome: isGranted ? 'granted' : 'refused' })
    },
    enrolled(isGranted: boolean): void {
      metrics.add('enrolments', { outcome: isGranted ? 'granted' : 'refused' })
    },
    served(what: (typeof STORE_METRICS.updates.labels.what)[number]): void {
      metrics.add('updates', { what })
    },

    pushed({ fresh, quarantined, repeated }: AppliedPush): void {
      for (const kind of fresh) metrics.add('facts', { kind: member(COUNTED_FACTS, kind) })
      for (const kind of quarantined) metrics.add('aside', { kind: member(COUNTED_FACTS, kind) })
      metrics.add('repeated', {}, repeated)
    },
    pushRefused(reason: PushRefusal): void {
      metrics.add('pushesRefused', { reason })
    },
    pushTook(seconds: number): void {
      metrics.observe('pushes', {}, seconds)
    },
    registersDiffered(kinds: number): void {
      metrics.add('registersDiffered', {}, kinds)
    },
    reading(by: 1 | -1): void {
      readers += by
    },

    onQuery(seconds: number): void {
      metrics.observe('queries', {}, seconds)
    },
    dropped(what: ServerDropped, count = 1): void {
      metrics.add('dropped', { what }, count)
    },
  }
}
