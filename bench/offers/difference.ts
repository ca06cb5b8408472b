import { percentile } from '../statistics.ts'

/** Samples of the same work with something and without it, taken one after the other. */
export interface Pair {
  readonly with: readonly number[]
  readonly without: readonly number[]
}

export interface Difference {
  /** With minus without, over all samples. */
  readonly value: number
  /**
   * What the same samples show where there is nothing to show: in 95 of 100 drawings by lot of which half of each pair
   * was the one with it, the difference is no larger than this, either way.
   */
  readonly chance: number
  /** With minus without, pair by pair. */
  readonly pairs: readonly number[]
}

const DRAWINGS = 2_000
const CONFIDENCE = 95

const sorted = (samples: readonly number[]): number[] => samples.toSorted((one, other) => one - other)

/**
 * How a percentile differs. Halves of pairs are exchanged as a whole, since the samples of one share what the machine
 * did meanwhile. Throws a RangeError for no samples. `draw`: a number from 0 up to 1, as of Math.random.
 */
export function differenceOf(pairs: readonly Pair[], percent: number, draw = drawing()): Difference {
  const between = (pooled: readonly Pair[]): number =>
    percentile(sorted(pooled.flatMap((pair) => pair.with)), percent) -
    percentile(sorted(pooled.flatMap((pair) => pair.without)), percent)
  const byLot = (): Pair[] => pairs.map((pair) => (draw() < 0.5 ? pair : { with: pair.without, without: pair.with }))
  const lots = Array.from({ length: DRAWINGS }, () => Math.abs(between(byLot())))
  return {
    value: between(pairs),
    chance: percentile(sorted(lots), CONFIDENCE),
    pairs: pairs.map((pair) => between([pair])),
  }
}

/** The same numbers in every run, so that the same samples give the same answer (a linear congruence modulo 2^32). */
function drawing(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
