import { expect, test } from 'vitest'
import { isWholeCampaign } from '../testing/campaign.ts'
import { neverMet } from './days-coverage.ts'
import { DAYS_OF_A_SEED, playDays } from './days.ts'

/** Ten thousand days in a whole campaign; the days of every test run are of seeds before these. */
const SEEDS = isWholeCampaign ? 400 : 4
const FROM = 101
const coverage = new Map<string, number>()

test.each(Array.from({ length: SEEDS }, (_, index) => FROM + index))(
  `${DAYS_OF_A_SEED} days keep every invariant: npm run lab -- sim --days ${DAYS_OF_A_SEED} --seed %i`,
  async (seed) => {
    const outcome = await playDays(seed)
    for (const [name, count] of outcome.coverage) coverage.set(name, (coverage.get(name) ?? 0) + count)
    expect(outcome.violations).toEqual([])
    expect(outcome.days).toBe(DAYS_OF_A_SEED)
  },
)

test('and nothing that days must meet never happened', () => {
  expect(neverMet(coverage)).toEqual([])
})
