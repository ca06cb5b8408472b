import { expect, test } from 'vitest'
import { DAY, isWholeCampaign } from '../testing/campaign.ts'
import { brokenBy } from './differential-run.ts'

const PARTS = 10
const SEEDS = isWholeCampaign ? 200 : 6
/** Other seeds each day: a hundred days play 6,000. The first forty seeds belong to the daily tests. */
const FIRST = 41 + (DAY % 100) * PARTS * SEEDS

// In shares, so that a failure names its seeds. The timeout stops an endless seed; it does not measure speed.
test.each(Array.from({ length: PARTS }, (_, part) => FIRST + part * SEEDS))(
  `${SEEDS} seeds keep every invariant from seed %i`,
  { timeout: 240_000 },
  async (from) => {
    expect(await brokenBy(from, SEEDS)).toEqual([])
  },
)
