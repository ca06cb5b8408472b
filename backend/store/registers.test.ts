import { expect, test, vi } from 'vitest'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { lanesOf } from '../../packages/lab/testing/store-lanes.ts'
import { useStore } from '../../packages/lab/testing/store.ts'

const central = useCentral()
const store = useStore('01', '02')
const { open } = lanesOf(central, store)
const LATER = { timeout: 60_000, interval: 50 }
const COUPON = { code: 'SPRING', name: { 'en-CA': 'Spring', 'fr-CA': 'Printemps' }, percent: 10 }
const LOST = { ...COUPON, code: 'LOST' }
const differed = () =>
  store
    .log()
    .flatMap(({ msg, lane, kinds }) =>
      msg === 'registers of a lane differ from those of the store' ? [{ lane, kinds }] : [],
    )

test('a change that one lane lacks is detected and read again; one that the store server lost is sent again', async ({
  skip,
}) => {
  const one = await open(skip, '01', { staffId: 'sam' })
  let two = await open(skip, '02', { staffId: 'sam' })
  const couponsOf = async (lane: typeof two) => (await lane.call('GET', '/api/catalog/coupons')).body
  expect((await one.call('POST', '/api/catalog/coupons', { how: 'add', coupon: COUPON })).status).toBe(200)
  const both = { coupons: [{ coupon: COUPON, from: 'lane' }] }
  await vi.waitFor(async () => expect(await couponsOf(two)).toMatchObject(both), LATER)

  // All values are equal, so no change is read again.
  await two.close()
  two = await open(skip, '02', { staffId: 'sam', folder: two.folder })
  await two.close()
  expect(differed()).toEqual([])

  // The store's database lacks a change while lane 02 reads later ones, as after a restore of that database.
  expect((await one.call('POST', '/api/catalog/coupons', { how: 'add', coupon: LOST })).status).toBe(200)
  await vi.waitFor(
    async () => expect(await store.query("SELECT 1 FROM change_register WHERE subject = 'LOST'")).toHaveLength(1),
    LATER,
  )
  const lost = "kind = 'coupon' AND subject = 'LOST'"
  await store.query(`CREATE TABLE saved AS SELECT * FROM change_register WHERE ${lost}`)
  await store.query(`DELETE FROM change_register WHERE ${lost}`)
  await store.query(`UPDATE fact SET kind = 'hidden' WHERE kind = 'coupon' AND body ->> 'subject' = 'LOST'`)
  two = await open(skip, '02', { staffId: 'sam', folder: two.folder })
  const next = { ...COUPON, code: 'NEXT' }
  expect((await one.call('POST', '/api/catalog/coupons', { how: 'add', coupon: next })).status).toBe(200)
  const coupons = () =>
    two.read<{ subject: string }>("SELECT subject FROM store_register WHERE kind = 'coupon' ORDER BY subject")
  await vi.waitFor(() => expect(coupons()).toEqual([{ subject: 'NEXT' }, { subject: 'SPRING' }]), LATER)
  await two.close()
  await store.query("UPDATE fact SET kind = 'coupon' WHERE kind = 'hidden'")
  await store.query('INSERT INTO change_register SELECT * FROM saved')
  expect(differed()).toEqual([])
  two = await open(skip, '02', { staffId: 'sam', folder: two.folder })
  await vi.waitFor(() => expect(differed()).toEqual([{ lane: '02', kinds: ['coupon'] }]), LATER)
  await vi.waitFor(
    () => expect(two.read("SELECT lane FROM store_register WHERE subject = 'LOST'")).toEqual([{ lane: '01' }]),
    LATER,
  )

  // The store loses a change, and lane 02 sends it again.
  await two.close()
  await store.query("DELETE FROM change_register WHERE subject = 'LOST'")
  two = await open(skip, '02', { staffId: 'sam', folder: two.folder })
  await vi.waitFor(async () => {
    expect(await store.query("SELECT lane, subject FROM change_register WHERE subject = 'LOST'")).toEqual([
      { lane: '02', subject: 'LOST' },
    ])
  }, LATER)
  await vi.waitFor(
    () => expect(one.read("SELECT lane FROM store_register WHERE subject = 'LOST'")).toEqual([{ lane: '02' }]),
    LATER,
  )
}, 90_000)
