import type { Clock } from '../../core/clock.ts'

/** Intended duration of a slice in ms, which a scan may have to wait for. */
const AIM_MS = 8
const LEAST = 10
/**
 * Maximum number of items in a slice. After a slice of unchanged items, which take a hundredth of the time of changed
 * ones, the adapted size would be too large for a slice of changed items.
 */
const ROWS_AT_ONCE = 100

/** Decides how many items a commit has by the duration of the last one, so that scans are not delayed. */
export function createSlices({ monotonic }: Pick<Clock, 'monotonic'>) {
  let size = LEAST
  return {
    size: (): number => size,
    /**
     * Runs the work on `count` items, and adapts the size of the next slice; after work that throws it is the smallest
     * one.
     */
    run(count: number, work: () => void): void {
      size = LEAST
      const from = monotonic()
      work()
      const fits = (count * AIM_MS) / (monotonic() - from)
      size = Math.min(ROWS_AT_ONCE, Math.max(LEAST, Math.floor(Math.min(2 * count, fits))))
    },
  }
}
