import PQueue from 'p-queue'

/**
 * Order in which waiting work of a collector runs: first `live`, for which a customer waits (redemptions); then `now`;
 * then `queued`.
 */
export type Urgency = 'live' | 'now' | 'queued'

/**
 * One call in flight per collector, over issue, return, redeem and reverse: "while a transaction for a collector is
 * processing, a parallel transaction for the same collector is an error" (specification 3 §4.2 rule 5). A redemption
 * overtakes queued work, never work in flight.
 */
export interface KeyedMutex {
  run<Result>(collector: string, urgency: Urgency, work: () => Promise<Result>): Promise<Result>
  busy(collector: string): boolean
  idle(): boolean
  isLive(): boolean
  onIdle(listener: () => void): void
}

const PRIORITY = { live: 2, now: 1, queued: 0 } as const satisfies Record<Urgency, number>

export function createKeyedMutex(): KeyedMutex {
  const queues = new Map<string, PQueue>()
  const listeners: (() => void)[] = []
  let live = 0

  function queueOf(collector: string): PQueue {
    const open = queues.get(collector)
    if (open) return open
    const queue = new PQueue({ concurrency: 1 })
    // `idle` is emitted in the tick in which the last work ends, so that no work can be added before the queue is
    // removed.
    queue.addEventListener('idle', () => queues.delete(collector))
    queues.set(collector, queue)
    return queue
  }

  return {
    async run(collector, urgency, work) {
      if (urgency === 'live') live += 1
      try {
        return await queueOf(collector).add(work, { priority: PRIORITY[urgency] })
      } finally {
        if (urgency === 'live') live -= 1
        if (urgency === 'live' && live === 0) for (const listener of listeners) listener()
      }
    },
    busy: (collector) => queues.has(collector),
    idle: () => queues.size === 0,
    isLive: () => live > 0,
    onIdle: (listener) => {
      listeners.push(listener)
    },
  }
}
