import type { Clock } from '../../../backend/core/clock.ts'

interface Planned {
  readonly at: number
  readonly order: number
  readonly work: () => void
  calledOff: boolean
}

/**
 * Simulated time, which passes only while all work waits. Planned work runs in the order of its time, and at equal
 * times in the order in which it was planned. Between two pieces of work all pending promises are resolved.
 */
export interface World {
  /** Milliseconds of simulated time since the start; never decreases. */
  readonly now: number
  plan(ms: number, work: () => void): () => void
  sleep(ms: number): Promise<void>
  /** Creates a clock for one run of the program. Planned work is dropped once `alive` returns false. */
  clock(alive: () => boolean): Clock
  jump(ms: number): void
  readonly jumped: number
  /**
   * Lets simulated time pass until `holds` returns true or `withinMs` is over; returns whether `holds` returned true.
   */
  until(holds: () => boolean, withinMs: number): Promise<boolean>
}

/** Creates a simulated world. `startsAt`: the wall-clock time at the start, in epoch milliseconds. */
export function createWorld(startsAt: number): World {
  const heap: Planned[] = []
  let now = 0
  let order = 0
  let jumped = 0

  const before = (left: Planned, right: Planned): boolean =>
    left.at < right.at || (left.at === right.at && left.order < right.order)

  function push(planned: Planned): void {
    let at = heap.push(planned) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent]
      if (!above || !before(planned, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = planned
  }

  function pop(): Planned | undefined {
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last || heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      const left = heap[child]
      if (!left) break
      const right = heap[child + 1]
      if (right && before(right, left)) child += 1
      const below = heap[child]
      if (!below || !before(below, last)) break
      heap[at] = below
      at = child
    }
    heap[at] = last
    return first
  }

  function plan(ms: number, work: () => void): () => void {
    const planned: Planned = { at: now + Math.max(0, ms), order: (order += 1), work, calledOff: false }
    push(planned)
    return () => {
      planned.calledOff = true
    }
  }

  const nextTick = (): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(resolve)
    })

  return {
    get now() {
      return now
    },
    get jumped() {
      return jumped
    },
    plan,
    sleep: (ms) =>
      new Promise((wake) => {
        plan(ms, wake)
      }),
    clock: (alive) => ({
      now: () => startsAt + Math.round(now) + jumped,
      monotonic: () => now,
      after: (ms, work) =>
        plan(ms, () => {
          if (alive()) work()
        }),
    }),
    jump(ms) {
      jumped += ms
    },
    async until(holds, withinMs) {
      const end = now + withinMs
      await nextTick()
      while (!holds()) {
        const next = pop()
        if (!next) return holds()
        if (next.calledOff) continue
        if (next.at > end) {
          push(next)
          now = end
          return holds()
        }
        now = Math.max(now, next.at)
        next.work()
        await nextTick()
      }
      return true
    },
  }
}
