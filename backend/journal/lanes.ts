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

interface Waiting {
  readonly urgency: 'now' | 'queued'
  readonly start: () => void
}

export function createLanes(): Lanes {
  const lanes = new Map<string, Waiting[]>()

  function next(collector: string): void {
    const waiting = lanes.get(collector)
    if (!waiting) return
    const urgent = waiting.findIndex((entry) => entry.urgency === 'now')
    const [entry] = waiting.splice(Math.max(urgent, 0), 1)
    if (entry) entry.start()
    else lanes.delete(collector)
  }

  return {
    async run(collector, urgency, work) {
      const waiting = lanes.get(collector)
      // mutant: lane-unlocked
      if (waiting) await new Promise<void>((start) => waiting.push({ urgency, start }))
      else lanes.set(collector, [])
      try {
        return await work()
      } finally {
        next(collector)
      }
    },
    busy: (collector) => lanes.has(collector),
    idle: () => lanes.size === 0,
  }
}
