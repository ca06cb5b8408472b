import { describe, expect, test } from 'vitest'
import { uncovered } from './days-coverage.ts'
import { playDays } from './days.ts'

describe('simulated days of a lane', () => {
  test('have the same trace every time for the same seed', async () => {
    const [first, again] = [
      await playDays(3, { days: 4, keepTrace: true }),
      await playDays(3, { days: 4, keepTrace: true }),
    ]
    expect(first.trace.length).toBeGreaterThan(50)
    expect(again.trace).toEqual(first.trace)
  })

  test('keep each row in one shift and one Z report, with correct sums, for thirty days', async () => {
    const coverage = new Map<string, number>()
    for (const seed of [1, 2]) {
      const { violations, ...played } = await playDays(seed, { days: 15 })
      expect(violations, `npm run lab -- sim --days 15 --seed ${seed}`).toEqual([])
      for (const [name, count] of played.coverage) coverage.set(name, (coverage.get(name) ?? 0) + count)
    }
    expect(coverage.get('day')).toBe(30)
    // Only frequent situations are expected here; days.campaign.test.ts plays enough days for the rarer ones.
    const often = ['Z', 'sale', 'return', 'redemption', 'drop', 'sale between count and Z', 'kill before a commit']
    expect(uncovered(coverage).filter((name) => often.includes(name))).toEqual([])
  })
})
