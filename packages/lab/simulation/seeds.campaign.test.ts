import { expect, test } from 'vitest'
import { DAY, isWholeCampaign } from '../testing/campaign.ts'
import { brokenBy } from './differential-run.ts'

const GROUPS = 10
const SEEDS = isWholeCampaign ? 200 : 6
/**
 * First seed of the campaign. On each of a hundred days it plays other seeds; the short runs of these days play 6,000
 * in total. The first forty seeds belong to the daily tests.
 */
const FIRST = 41 + (DAY % 100) * GROUPS * SEEDS

// The seeds are played in shares, so that a failure names its seeds. The timeout stops a seed that does not end; it
// does not measure speed.
test.each(Array.from({ length: GROUPS }, (_, group) => FIRST + group * SEEDS))(
  `${SEEDS} simulated seeds hold every invariant, beginning with seed %i`,
  { timeout: 240_000 },
  async (from) => {
    expect(await brokenBy(from, SEEDS)).toEqual([])
  },
)
