import { expect, test } from 'vitest'
import { isWholeCampaign } from '../testing/campaign.ts'
import { uncovered } from './days-coverage.ts'
import { DAYS_OF_A_SEED, playDays } from './days.ts'

/** Number of seeds: 400 in a nightly campaign, which are ten thousand days. */
const SEEDS = isWholeCampaign ? 400 : 4
const FROM = 101
const coverage = new Map<string, number>()

test.each(Array.from({ length: SEEDS }, (_, index) => FROM + index))(
  `${DAYS_OF_A_SEED} simulated days hold every invariant: npm run lab -- sim --days ${DAYS_OF_A_SEED} --seed %i`,
  async (seed) => {
    const outcome = await playDays(seed)
    for (const [name, count] of outcome.coverage) coverage.set(name, (coverage.get(name) ?? 0) + count)
    expect(outcome.violations).toEqual([])
    expect(outcome.days).toBe(DAYS_OF_A_SEED)
  },
)

test('the simulated days of a campaign cover all required situations', () => {
  expect(uncovered(coverage)).toEqual([])
})

test('simulated days have the same trace every time for the same seed', async () => {
  const [first, again] = [
    await playDays(3, { days: 4, recordTrace: true }),
    await playDays(3, { days: 4, recordTrace: true }),
  ]
  expect(first.trace.length).toBeGreaterThan(50)
  expect(again.trace).toEqual(first.trace)
})
