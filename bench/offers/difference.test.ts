import { describe, expect, it } from 'vitest'
import { differenceOf, type Pair } from './difference.ts'

const spread = (from: number): number[] => Array.from({ length: 20 }, (_, index) => from + index)

describe('a percentile with something and without it', () => {
  it('differs by what it costs, pair by pair and over all', () => {
    const pairs: Pair[] = Array.from({ length: 10 }, () => ({ with: spread(13), without: spread(10) }))
    expect(differenceOf(pairs, 95)).toMatchObject({ value: 3, pairs: Array.from({ length: 10 }, () => 3) })
  })

  it('is told from chance where every pair shows it', () => {
    const pairs: Pair[] = Array.from({ length: 10 }, () => ({ with: spread(40), without: spread(10) }))
    const { value, chance } = differenceOf(pairs, 50)
    expect(value).toBe(30)
    expect(chance).toBeLessThan(value)
  })

  it('is not told from chance where one slow moment of the machine made it', () => {
    const pairs: Pair[] = Array.from({ length: 10 }, (_, index) => ({
      with: spread(index === 4 ? 500 : 10),
      without: spread(10),
    }))
    const { value, chance } = differenceOf(pairs, 99)
    expect(value).toBeGreaterThan(400)
    expect(chance).toBeGreaterThanOrEqual(value)
  })

  it('needs samples', () => {
    expect(() => differenceOf([], 95)).toThrow(RangeError)
  })
})
