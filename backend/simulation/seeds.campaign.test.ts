import { expect, test } from 'vitest'
import { isWholeCampaign } from '../testing/campaign.ts'
import { brokenBy } from './differential-run.ts'

const PARTS = 10
const SEEDS = isWholeCampaign ? 200 : 10
const DAY_MS = 86_400_000
/** Each day has seeds of its own, so that fifty days play 5,000. The first forty seeds are every day's. */
const FIRST = 41 + (Math.floor(Date.now() / DAY_MS) % 50) * PARTS * SEEDS

// In parts, so that one that fails names its seeds. The limit is against a seed that never ends, not a measure of
// speed: `npm run sim` measures that.
test.each(Array.from({ length: PARTS }, (_, part) => FIRST + part * SEEDS))(
  `${SEEDS} seeds keep every invariant from seed %i`,
  { timeout: 240_000 },
  async (from) => {
    expect(await brokenBy(from, SEEDS)).toEqual([])
  },
)
