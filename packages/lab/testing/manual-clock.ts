import { testClock } from '../../../backend/core/http/testing.ts'

interface Wait {
  readonly due: number
  readonly work: () => void
}

/**
 * A test clock whose timers fire, earliest first, only while `advance` passes their due time. Timers shorter than
 * `from` run in real time.
 */
export function manualClock(startIso?: string, { from = 0 }: { from?: number } = {}) {
  const clock = testClock(startIso)
  let passed = 0
  let waits: Wait[] = []
  const pass = (ms: number): void => {
    clock.advance(ms)
    passed += ms
  }
  return {
    ...clock,
    after(ms: number, work: () => void): () => void {
      if (ms < from) return clock.after(ms, work)
      const wait = { due: passed + ms, work }
      waits.push(wait)
      return () => {
        waits = waits.filter((other) => other !== wait)
      }
    },
    advance(ms: number): void {
      const end = passed + ms
      for (;;) {
        const [next] = waits.filter(({ due }) => due <= end).toSorted((one, other) => one.due - other.due)
        if (!next) break
        waits = waits.filter((other) => other !== next)
        pass(next.due - passed)
        next.work()
      }
      pass(end - passed)
    },
    waits: (): number[] => waits.map(({ due }) => due - passed),
  }
}
