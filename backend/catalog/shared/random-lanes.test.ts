import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Acts, Order, playLanes, Skews } from './random-lanes.fixture.ts'

test('lanes end with the same catalog after disconnected edits and imports, in any order of delivery', async () => {
  const played = await fc.check(fc.asyncProperty(Acts, Order, Skews, playLanes), { numRuns: 6, seed: 20_261_126 })
  expect(fc.defaultReportMessage(played)).toBeUndefined()
}, 60_000)
