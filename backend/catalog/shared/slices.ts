import type { Clock } from '../../core/clock.ts'

/** What a slice is to take, in milliseconds: a scan that comes right behind its start waits so long. */
const AIM_MS = 8
const LEAST = 10
/** Items that stand as they should take a hundredth of those that do not, and the next slice may have only such. */
const ROWS_AT_ONCE = 100

/** How many items are put over the catalog in one commit: as many as the last one shows to fit, and no scan notices. */
export function createSlices({ monotonic }: Pick<Clock, 'monotonic'>) {
  let size = LEAST
  return {
    size: (): number => size,
    /** Does the work of so many items, and sizes the next slice by it; at least after work that throws. */
    run(count: number, work: () => void): void {
      size = LEAST
      const from = monotonic()
      work()
      const fits = (count * AIM_MS) / (monotonic() - from)
      size = Math.min(ROWS_AT_ONCE, Math.max(LEAST, Math.floor(Math.min(2 * count, fits))))
    },
  }
}
