import { expect, test } from 'vitest'
import { createMemoryFiles } from '../../../packages/lab/testing/catalog-lane.ts'
import type { CatalogNames } from '../../core/profile/profile-checks.ts'
import { APPLE, BREAD, deliverFacts, openLane, openTwo, price, priceAt } from './lanes.fixture.ts'

const fails = (): never => {
  throw new Error('it was looked at')
}
const HOUR = 3_600_000
const DATE = 'D,,Date,Datte,5.00,standard,x,'
const profileAt = (price: string): string[] => [APPLE, BREAD, `C,,Cheese,Fromage,${price},standard,x,`]

test('a profile that a lane applies late replaces no import made after another lane applied it first', async () => {
  const [one, two] = await openTwo()
  await two.begin(profileAt('3.00'))
  one.setAhead(HOUR)
  await one.import(profileAt('4.00'))
  // Lane 01 applies the profile later by itself. For all lanes it counts from when lane 02 applied it.
  one.setAhead(3 * HOUR)
  await one.begin(profileAt('3.00'))
  await deliverFacts(one, two)
  for (const lane of [one, two]) expect(priceAt(lane, 'C')).toBe(400)
  expect(one.sync.state()).toBeNull()
  expect(two.digest()).toBe(one.digest())
})

test('a lane that missed a profile and applies the next one keeps price changes made since', async () => {
  const [one, two] = await openTwo()
  one.setAhead(HOUR)
  await one.begin(profileAt('2.50'))
  one.setAhead(2 * HOUR)
  await one.begin(profileAt('3.00'))
  one.setAhead(3 * HOUR)
  price(one, 'C', 777)
  two.setAhead(4 * HOUR)
  expect(await two.begin(profileAt('3.00'))).toEqual({ imported: 3 })
  await deliverFacts(one, two)
  for (const lane of [one, two]) expect(priceAt(lane, 'C')).toBe(777)
})

test('a lane imports a profile’s catalog from its own bundle if no other lane’s file has arrived', async () => {
  const files = createMemoryFiles()
  const empty: typeof files = { ...files, fetch: async () => null }
  const begins = [APPLE, BREAD]
  const [one, two] = [
    await openLane(1, { files, profileRows: begins }),
    await openLane(2, { files: empty, profileRows: begins }),
  ]
  one.setAhead(HOUR)
  await one.begin([...profileAt('3.00'), DATE])
  price(one, 'C', 350)
  two.takeMany(one.sentFacts())
  two.setAhead(2 * HOUR)
  expect(await two.idle()).toBe(false)
  expect(priceAt(two, 'D')).toBeUndefined()
  expect(await two.begin([...profileAt('3.00'), DATE])).toEqual({ imported: 4 })
  await two.idle()
  // Lane 02 now has the profile's prices, with the changes made at lane 01 since.
  expect([priceAt(two, 'C'), priceAt(two, 'D')]).toEqual([350, 500])
  expect(await two.begin([...profileAt('3.00'), DATE])).toEqual({ unchanged: true })
  await deliverFacts(one, two)
  for (const lane of [one, two]) expect(priceAt(lane, 'C')).toBe(350)
  expect(two.digest()).toBe(one.digest())
})

test('a profile that names items its catalog lacks is refused, but later changes prevent no start', async () => {
  const [one, two] = await openTwo()
  const checkNames = ({ hasSku }: CatalogNames): void => {
    if (!hasSku('D')) throw new Error('D is not there')
  }
  await expect(one.begin(profileAt('3.00'), { checkNames })).rejects.toThrow('D is not there')
  expect(one.sentFacts()).toEqual([])
  expect(await one.begin([APPLE, BREAD], { checkNames: () => undefined })).toEqual({ unchanged: true })
  expect(await one.begin([...profileAt('3.00'), DATE], { checkNames })).toEqual({ imported: 4 })
  // The names of the lane's own profile are checked at each start; other lanes' changes do not prevent a start.
  await expect(one.begin([...profileAt('3.00'), DATE], { checkNames: fails })).rejects.toThrow('looked at')
  await deliverFacts(one, two)
  price(two, 'D', 1)
  await deliverFacts(one, two)
  expect(await one.begin([...profileAt('3.00'), DATE], { checkNames: fails })).toEqual({ unchanged: true })
})

test('a requested return to the previous profile counts for all lanes, a lane’s own fallback does not', async () => {
  const [one, two] = await openTwo()
  one.db.prepare("INSERT INTO store_key (id, key_sealed) VALUES (1, x'00')").run()
  one.setAhead(HOUR)
  await one.begin(profileAt('3.00'))
  await deliverFacts(one, two)
  one.setAhead(2 * HOUR)
  // The names of the previous profile are not checked against the newer catalog, now or at the next start.
  const before = { isFallback: true, checkNames: fails }
  expect(await one.begin([APPLE, BREAD], before)).toEqual({ unchanged: true })
  expect(await one.begin([APPLE, BREAD], { checkNames: fails })).toEqual({ unchanged: true })
  price(two, 'A', 150)
  await deliverFacts(one, two)
  for (const lane of [one, two]) expect([priceAt(lane, 'A'), priceAt(lane, 'C')]).toEqual([150, 300])
  one.setAhead(3 * HOUR)
  await one.begin(profileAt('4.00'))
  expect(await one.begin([APPLE, BREAD])).toEqual({ imported: 2 })
  await deliverFacts(one, two)
  for (const lane of [one, two]) expect(priceAt(lane, 'C')).toBeUndefined()
})

test('a lane that falls back to any previous profile starts with the existing catalog', async () => {
  const [one] = await openTwo()
  one.db.prepare("INSERT INTO store_key (id, key_sealed) VALUES (1, x'00')").run()
  expect(await one.begin([APPLE], { isFallback: true, checkNames: fails })).toEqual({ unchanged: true })
  expect(await one.begin([APPLE], { isFallback: true, checkNames: fails })).toEqual({ unchanged: true })
  expect(priceAt(one, 'B')).toBe(200)
  expect(one.sentFacts()).toEqual([])
})
