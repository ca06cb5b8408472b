import { expect, test } from 'vitest'
import { APPLE, BREAD, hear, openTwo, priceAt } from './lanes.fixture.ts'

const HOUR = 3_600_000
const profileAt = (price: string): string[] => [APPLE, BREAD, `C,,Cheese,Fromage,${price},standard,x,`]

test('an import that counts is sold from also where it is what the lane sold from before', async () => {
  const [one, two] = await openTwo()
  await two.begin(profileAt('3.00'))
  one.runs(HOUR)
  await one.import(profileAt('4.00'))
  // Lane 01 comes to the profile by itself later: for all it counts from when lane 02 took it over.
  one.runs(3 * HOUR)
  await one.begin(profileAt('3.00'))
  await hear(one, two)
  for (const lane of [one, two]) expect(priceAt(lane, 'C')).toBe(400)
  expect(one.sync.state()).toBeNull()
  expect(two.digest()).toBe(one.digest())
})
