import { expect, test, vi } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, buy, returnPieces, quoteOf } from '../../../packages/lab/testing/return-steps.ts'
import { ONE, returnsOf } from '../../../packages/lab/testing/store-reservations.ts'
import { lanesOf } from '../../../packages/lab/testing/store-lanes.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'

const central = useCentral()
const store = useStore('01', '02')
const { open, whenSynced, answered, holds } = lanesOf(central, store)
const LATER = { timeout: 30_000, interval: 50 }

const rejectFacts = async () => {
  await store.query(`CREATE FUNCTION takes_none() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$`)
  await store.query('CREATE TRIGGER takes_none BEFORE INSERT ON fact EXECUTE FUNCTION takes_none()')
}
const acceptFacts = () => store.query('DROP TRIGGER takes_none ON fact')

test('goods whose return the restored store database lost cannot be returned again', async ({ skip }) => {
  const one = await open(skip, '01')
  const two = await open(skip, '02')
  await buy(one, [[APPLES, 1]], { cash: true })
  await Promise.all([whenSynced(one), whenSynced(two)])
  await rejectFacts()
  await store.backUp()
  await acceptFacts()
  const sale = await buy(one, [[APPLES, 1]], { cash: true })
  await whenSynced(one)
  await answered(() => returnPieces(two, sale, [1, 1]))
  await holds(returnsOf(sale), [{ state: 'returned' }])
  await whenSynced(two)

  await store.restoreBackup()
  await vi.waitFor(async () => {
    const { body } = await one.call('GET', '/api/store')
    expect(body['untold']).toBeGreaterThan(0)
  }, LATER)
  const asked = { saleId: sale.id, lines: ONE }
  expect(['return-not-told', 'return-store-away']).toContain(await one.refused('POST', '/api/returns/quote', asked))
  await acceptFacts()
  await Promise.all([whenSynced(one), whenSynced(two)])
  await vi.waitFor(
    async () => expect(await one.refused('POST', '/api/returns/quote', asked)).toBe('return-exceeds-sold'),
    LATER,
  )
  expect(one.read('SELECT id FROM sale_return')).toEqual([])
  const refunded = await buy(one, [[APPLES, 1]], { cash: true })
  await whenSynced(one)
  await answered(() => quoteOf(two, refunded, ONE))
})
