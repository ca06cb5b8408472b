import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { percentile, summarise } from './statistics.ts'

const oneTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

describe('percentile', () => {
  it('returns the sample of the nearest rank', () => {
    expect(percentile(oneTo(100), 50)).toBe(50)
    expect(percentile(oneTo(100), 95)).toBe(95)
    expect(percentile(oneTo(100), 99)).toBe(99)
    expect(percentile(oneTo(200), 99)).toBe(198)
    expect(percentile(oneTo(5), 50)).toBe(3)
    expect(percentile(oneTo(4), 50)).toBe(2)
  })

  it('returns the largest sample if there are too few samples for the percentage', () => {
    expect(percentile(oneTo(20), 99)).toBe(20)
    expect(percentile([7], 50)).toBe(7)
    expect(percentile([7], 99)).toBe(7)
  })

  it('has no rounding error for percentages such as 99.9', () => {
    expect(percentile(oneTo(1_000), 99.9)).toBe(999)
    expect(percentile(oneTo(10_000), 99.99)).toBe(9_999)
    expect(percentile(oneTo(1_000), 0.1)).toBe(1)
  })

  it('throws without samples or with an invalid percentage', () => {
    expect(() => percentile([], 50)).toThrow('no samples')
    expect(() => percentile(oneTo(3), 0)).toThrow(RangeError)
    expect(() => percentile(oneTo(3), 101)).toThrow(RangeError)
    expect(() => percentile(oneTo(3), Number.NaN)).toThrow(RangeError)
  })

  it('returns the smallest sample that is at least as large as the given percentage of all samples', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 100 }),
        (samples, percent) => {
          const sorted = [...samples].sort((a, b) => a - b)
          const value = percentile(sorted, percent)
          const notAbove = sorted.filter((sample) => sample <= value).length
          const below = sorted.filter((sample) => sample < value).length
          expect(samples).toContain(value)
          expect(notAbove * 100).toBeGreaterThanOrEqual(percent * sorted.length)
          expect(below * 100).toBeLessThan(percent * sorted.length)
        },
      ),
    )
  })
})

describe('summarise', () => {
  it('sorts samples as numbers and does not change the given list', () => {
    const samples = [10, 9, 100, 1, 2]
    expect(summarise(samples)).toEqual({ samples: 5, min: 1, p50: 9, p95: 100, p99: 100, max: 100, mean: 24.4 })
    expect(samples).toEqual([10, 9, 100, 1, 2])
  })

  it('throws without samples and on a sample that is not a finite number', () => {
    expect(() => summarise([])).toThrow('no samples')
    expect(() => summarise([1, Number.NaN])).toThrow('not a sample')
    expect(() => summarise([1, Number.POSITIVE_INFINITY])).toThrow('not a sample')
  })
})
