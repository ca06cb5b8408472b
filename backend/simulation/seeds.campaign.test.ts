import { expect, test } from 'vitest'
import { isWholeCampaign } from '../testing/campaign.ts'
import { brokenBy } from './differential-run.ts'

/** In ten parts, so that one that fails tells where to look. The first forty seeds are every day's. */
const SEEDS = isWholeCampaign ? 200 : 20

// The limit is against a seed that never ends, not a measure of speed: `npm run sim` tells that.
test.each(Array.from({ length: 10 }, (_, part) => 41 + part * SEEDS))(
  `${SEEDS} seeds keep every invariant from seed %i`,
  { timeout: 240_000 },
  async (from) => {
    expect(await brokenBy(from, SEEDS)).toEqual([])
  },
)
