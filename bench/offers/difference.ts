import { percentile } from '../statistics.ts'

export interface Pair {
  readonly with: readonly number[]
  readonly without: readonly number[]
}

export interface Difference {
  readonly value: number
  /**
   * The difference that chance alone gives: the 95th percentile of absolute differences when the halves of each pair
   * are exchanged at random (permutation test).
   */
  readonly chance: number
  readonly pairs: readonly number[]
}

const DRAWINGS = 2_000
const CONFIDENCE = 95

const sorted = (samples: readonly number[]): number[] => samples.toSorted((one, other) => one - other)

/**
 * Returns the difference of a percentile with and without a feature. The halves of a pair are exchanged as a whole,
 * because its samples share the state of the machine. Throws a RangeError without samples. `draw`: returns a random
 * number in [0, 1), like Math.random.
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

/**
 * Returns the same random sequence in every run, so that the same samples give the same result (linear congruential
 * generator modulo 2^32).
 */
function drawing(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
