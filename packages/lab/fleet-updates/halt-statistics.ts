import { stopsWave } from '../../delivery/updates/choose.ts'
import { chanceOf } from './rng.ts'

export interface Odds {
  readonly runs: number
  readonly halted: number
  readonly medianReported: number | null
}

/**
 * Counts in how many of `runs` runs the controller’s rule halts a wave in which the new version fails on `badPercent`
 * percent of the lanes. The lanes report in random order.
 */
export function oddsOfHalt(lanes: number, badPercent: number, runs: number): Odds {
  const reported: number[] = []
  for (let run = 0; run < runs; run += 1) {
    let running = 0
    let left = 0
    let waiting = lanes
    let bad = Math.round((lanes * badPercent) / 100)
    while (waiting > 0 && !stopsWave({ running, left })) {
      // The next report comes from a random lane that has not reported yet.
      const isBad = chanceOf(run, 'odds', badPercent, waiting) * waiting < bad
      if (isBad) left += 1
      else running += 1
      if (isBad) bad -= 1
      waiting -= 1
    }
    if (stopsWave({ running, left })) reported.push(running + left)
  }
  const sorted = reported.toSorted((one, other) => one - other)
  return { runs, halted: sorted.length, medianReported: sorted[Math.floor(sorted.length / 2)] ?? null }
}
