import { testClock } from '../../../backend/core/http/testing.ts'

interface Wait {
  readonly due: number
  readonly work: () => void
}

/**
 * A test clock whose waits end in the time that `advance` lets pass, the earliest first, and never by themselves. Waits
 * that are shorter than `from` take their own time.
 */
export function heldClock(startIso?: string, { from = 0 }: { from?: number } = {}) {
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
    /** How long each of those that wait has still to wait. */
    waits: (): number[] => waits.map(({ due }) => due - passed),
  }
}
