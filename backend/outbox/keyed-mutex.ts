import PQueue from 'p-queue'

/**
 * One call in flight per collector, over issue, return, redeem and reverse: "while a transaction for a collector is
 * processing, a parallel transaction for the same collector is an error" (specification 3 §4.2 rule 5).
 * A redemption overtakes waiting work, never work in flight.
 */
export interface Lanes {
  run<Result>(collector: string, urgency: 'now' | 'queued', work: () => Promise<Result>): Promise<Result>
  busy(collector: string): boolean
  /** True when no call of any collector is in flight. */
  idle(): boolean
}

const PRIORITY = { now: 1, queued: 0 } as const

export function createLanes(): Lanes {
  const lanes = new Map<string, PQueue>()

  function laneOf(collector: string): PQueue {
    const open = lanes.get(collector)
    if (open) return open
    const lane = new PQueue({ concurrency: 1 })
    // Told in the same turn in which the last work leaves: nobody can still join it.
    lane.addEventListener('idle', () => lanes.delete(collector))
    lanes.set(collector, lane)
    return lane
  }

  return {
    async run(collector, urgency, work) {
      // mutant: lane-unlocked
      return await laneOf(collector).add(work, { priority: PRIORITY[urgency] })
    },
    busy: (collector) => lanes.has(collector),
    idle: () => lanes.size === 0,
  }
}
