import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Acts, Order, playLanes, Skews } from './random-lanes.fixture.ts'

const isWhole = process.env['MILEPOST_CAMPAIGN'] === '1'

test('for random seeds lanes end with the same catalog, and the seed is reported when they do not', async () => {
  const played = await fc.check(fc.asyncProperty(Acts, Order, Skews, playLanes), { numRuns: isWhole ? 1_500 : 60 })
  expect(fc.defaultReportMessage(played)).toBeUndefined()
}, 3_600_000)
