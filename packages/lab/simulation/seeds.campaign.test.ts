import { expect, test } from 'vitest'
import { DAY, isWholeCampaign } from '../testing/campaign.ts'
import { brokenBy } from './differential-run.ts'

const PARTS = 10
const SEEDS = isWholeCampaign ? 200 : 6
/** Each day has seeds of its own, so that a hundred days play 6,000. The first forty seeds are every day's. */
const FIRST = 41 + (DAY % 100) * PARTS * SEEDS

// In parts, so that one that fails names its seeds. The limit is against a seed that never ends, not a measure of
// speed: `npm run lab sim` measures that.
test.each(Array.from({ length: PARTS }, (_, part) => FIRST + part * SEEDS))(
  `${SEEDS} seeds keep every invariant from seed %i`,
  { timeout: 240_000 },
  async (from) => {
    expect(await brokenBy(from, SEEDS)).toEqual([])
  },
)
