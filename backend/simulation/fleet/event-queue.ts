import type { Clock } from '../../clock.ts'

/**
 * Time of a fleet: what is planned happens in the order of its time, and of its planning where the times are the same.
 * A binary heap over arrays, and no promises: a day of ten thousand lanes is some fifty million happenings.
 */
export interface Timeline extends Pick<Clock, 'monotonic' | 'after'> {
  readonly now: number
  plan(ms: number, work: () => void): void
  /** Lets time pass until this moment, in ms since the beginning. */
  runUntil(end: number): void
}

export function createTimeline(): Timeline {
  const times: number[] = []
  const orders: number[] = []
  const works: (() => void)[] = []
  let now = 0
  let order = 0

  const isBefore = (at: number, other: number): boolean => {
    const [left = 0, right = 0] = [times[at], times[other]]
    return left < right || (left === right && (orders[at] ?? 0) < (orders[other] ?? 0))
  }

  function place(at: number, from: { time: number; order: number; work: () => void }): void {
    times[at] = from.time
    orders[at] = from.order
    works[at] = from.work
  }

  function swap(one: number, other: number): void {
    const [time = 0, turn = 0, work = nothing] = [times[one], orders[one], works[one]]
    place(one, { time: times[other] ?? 0, order: orders[other] ?? 0, work: works[other] ?? nothing })
    place(other, { time, order: turn, work })
  }

  function plan(ms: number, work: () => void): void {
    let at = times.length
    place(at, { time: now + Math.max(0, ms), order: (order += 1), work })
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(at, parent)) break
      swap(at, parent)
      at = parent
    }
  }

  function dropFirst(): void {
    const last = times.length - 1
    swap(0, last)
    times.pop()
    orders.pop()
    works.pop()
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= last) return
      if (child + 1 < last && isBefore(child + 1, child)) child += 1
      if (!isBefore(child, at)) return
      swap(at, child)
      at = child
    }
  }

  return {
    get now() {
      return now
    },
    monotonic: () => now,
    plan,
    after(ms, work) {
      let isCalledOff = false
      plan(ms, () => {
        if (!isCalledOff) work()
      })
      return () => {
        isCalledOff = true
      }
    },
    runUntil(end) {
      for (;;) {
        const [time, work] = [times[0], works[0]]
        if (time === undefined || work === undefined || time > end) break
        dropFirst()
        now = time
        work()
      }
      now = end
    },
  }
}

const nothing = (): void => undefined
