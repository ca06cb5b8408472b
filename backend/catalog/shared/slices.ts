import type { Clock } from '../../core/clock.ts'

/** Target duration of a slice in milliseconds: the longest delay of a scan. */
const AIM_MS = 8
const LEAST = 10
/** Unchanged items take a hundredth of the time of changed ones, and the next slice may have only changed ones. */
const ROWS_AT_ONCE = 100

/** Number of items per commit: as many as fit by the last one, so that scans are not delayed. */
export function createSlices({ monotonic }: Pick<Clock, 'monotonic'>) {
  let size = LEAST
  return {
    size: (): number => size,
    /** Does the work of a number of items, and adapts the next slice; the smallest one after work that throws. */
    run(count: number, work: () => void): void {
      size = LEAST
      const from = monotonic()
      work()
      const fits = (count * AIM_MS) / (monotonic() - from)
      size = Math.min(ROWS_AT_ONCE, Math.max(LEAST, Math.floor(Math.min(2 * count, fits))))
    },
  }
}
