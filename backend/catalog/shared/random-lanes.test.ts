import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Acts, Order, playLanes, Skews } from './random-lanes.fixture.ts'

test('lanes that edit and import apart sell one catalog in the end, in whatever order they hear', async () => {
  const played = await fc.check(fc.asyncProperty(Acts, Order, Skews, playLanes), { numRuns: 6, seed: 20_261_126 })
  expect(fc.defaultReportMessage(played)).toBeUndefined()
}, 60_000)
