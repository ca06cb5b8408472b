import { expect, test } from 'vitest'
import { isWholeCampaign } from '../testing/campaign.ts'
import { uncovered } from './days-coverage.ts'
import { DAYS_OF_A_SEED, playDays } from './days.ts'

/**
 * Number of seeds: 400 in a nightly campaign, which are ten thousand days. Seeds below 101 are used by every test run.
 */
const SEEDS = isWholeCampaign ? 400 : 4
const FROM = 101
const coverage = new Map<string, number>()

test.each(Array.from({ length: SEEDS }, (_, index) => FROM + index))(
  `${DAYS_OF_A_SEED} simulated days keep every invariant: npm run lab -- sim --days ${DAYS_OF_A_SEED} --seed %i`,
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
