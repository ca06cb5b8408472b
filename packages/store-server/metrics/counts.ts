import { createLogCounts } from '../../../contracts/core/log-fields.ts'
import {
  COUNTED_FACTS,
  SERVER_PARTS,
  STORE_METRICS,
  type Decision,
  type PushRefusal,
  type ServerDropped,
} from '../../../contracts/store/metrics.ts'
import { createMetrics } from '../../delivery/metrics-registry.ts'

/** A call that was answered. */
export interface AnsweredCall {
  /** Whose route it is, by the name of the feature; null: there is none. */
  readonly part: string | null
  readonly status: number
  readonly seconds: number
  /** Held back until there is news: how long it took says nothing. */
  readonly isHeld: boolean
  /** There was no room for it at this moment, and nothing failed: the lane comes again. */
  readonly isBusy: boolean
}

/** A push of facts that was applied. */
export interface AppliedPush {
  /** Kinds of what was new, each fact once. */
  readonly fresh: readonly string[]
  /** Kinds of what could not be read. */
  readonly aside: readonly string[]
  readonly repeated: number
}

/** Whoever stands at a counter waits for these. */
const AT_COUNTER: readonly string[] = ['vouchers', 'turns', 'holds', 'receipts']

const member = (names: readonly string[], text: string): string => (names.includes(text) ? text : 'other')

export type StoreCounts = ReturnType<typeof createStoreCounts>

/** What a server counts while it serves. Every label is one of a list: what a lane says is none. */
export function createStoreCounts() {
  const metrics = createMetrics(STORE_METRICS)
  let readers = 0
  return {
    metrics,
    /** Lines of the log, by level. */
    log: createLogCounts(),
    readers: (): number => readers,

    answered({ part, status, seconds, isHeld, isBusy }: AnsweredCall): void {
      const outcome = status >= 500 && !isBusy ? 'failed' : status >= 400 ? 'refused' : 'answered'
      metrics.add('requests', { part: member(SERVER_PARTS, part ?? ''), status: outcome })
      if (!isHeld)
        metrics.observe('latency', { waits: AT_COUNTER.includes(part ?? '') ? 'counter' : 'nobody' }, seconds)
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

    pushed({ fresh, aside, repeated }: AppliedPush): void {
      for (const kind of fresh) metrics.add('facts', { kind: member(COUNTED_FACTS, kind) })
      for (const kind of aside) metrics.add('aside', { kind: member(COUNTED_FACTS, kind) })
      metrics.add('repeated', {}, repeated)
    },
    pushRefused(reason: PushRefusal): void {
      metrics.add('pushesRefused', { reason })
    },
    pushTook(seconds: number): void {
      metrics.observe('pushes', {}, seconds)
    },
    /** Kinds of a lane whose registers are not as the store has them. */
    registersDiffered(kinds: number): void {
      metrics.add('registersDiffered', {}, kinds)
    },
    /** Readers that begin to wait, or end it. */
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
