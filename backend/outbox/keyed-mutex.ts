import PQueue from 'p-queue'

/**
 * One call in flight per collector, over issue, return, redeem and reverse: "while a transaction for a collector is
 * processing, a parallel transaction for the same collector is an error" (specification 3 §4.2 rule 5).
 * A redemption overtakes waiting work, never work in flight.
 */
export interface KeyedMutex {
  run<Result>(collector: string, urgency: 'now' | 'queued', work: () => Promise<Result>): Promise<Result>
  busy(collector: string): boolean
  /** True when no call of any collector is in flight. */
  idle(): boolean
}

const PRIORITY = { now: 1, queued: 0 } as const

export function createKeyedMutex(): KeyedMutex {
  const queues = new Map<string, PQueue>()

  function queueOf(collector: string): PQueue {
    const open = queues.get(collector)
    if (open) return open
    const queue = new PQueue({ concurrency: 1 })
    // Told in the same turn in which the last work leaves: nobody can still join it.
    queue.addEventListener('idle', () => queues.delete(collector))
    queues.set(collector, queue)
    return queue
  }

  return {
    async run(collector, urgency, work) {
      // mutant: mutex-unlocked
      return await queueOf(collector).add(work, { priority: PRIORITY[urgency] })
    },
    busy: (collector) => queues.has(collector),
    idle: () => queues.size === 0,
  }
}
