import { describe, expect, it } from 'vitest'
import { differenceOf, type Pair } from './difference.ts'

const spread = (from: number): number[] => Array.from({ length: 20 }, (_, index) => from + index)

describe('the difference of a percentile with and without a feature', () => {
  it('equals the time that the feature adds, for each pair of runs and over all samples', () => {
    const pairs: Pair[] = Array.from({ length: 10 }, () => ({ with: spread(13), without: spread(10) }))
    expect(differenceOf(pairs, 95)).toMatchObject({ value: 3, pairs: Array.from({ length: 10 }, () => 3) })
  })

  it('is larger than the difference by chance if every pair of runs shows it', () => {
    const pairs: Pair[] = Array.from({ length: 10 }, () => ({ with: spread(40), without: spread(10) }))
    const { value, chance } = differenceOf(pairs, 50)
    expect(value).toBe(30)
    expect(chance).toBeLessThan(value)
  })

  it('is not larger than the difference by chance if only one pair of runs shows it', () => {
    const pairs: Pair[] = Array.from({ length: 10 }, (_, index) => ({
      with: spread(index === 4 ? 500 : 10),
      without: spread(10),
    }))
    const { value, chance } = differenceOf(pairs, 99)
    expect(value).toBeGreaterThan(400)
    expect(chance).toBeGreaterThanOrEqual(value)
  })

  it('cannot be computed without a pair of runs', () => {
    expect(() => differenceOf([], 95)).toThrow(RangeError)
  })
})
