import { expect, test } from 'vitest'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { APPLES, buy, returnPieces, quoteOf } from '../../packages/lab/testing/return-steps.ts'
import { reservationStates, commandOf, ONE, returnsOf } from '../../packages/lab/testing/store-reservations.ts'
import { lanesOf } from '../../packages/lab/testing/store-lanes.ts'
import { useStore } from '../../packages/lab/testing/store.ts'

const central = useCentral()
const store = useStore('01', '02')
const { open, whenSynced, answered, holds } = lanesOf(central, store)

/**
 * The store's database is dumped (pg_dump) while a lane whose request had no answer is off; the next morning the lane
 * gives the reservation back.
 */
test('a lane gives a reservation back again when a restored store counts it as open', async ({ skip }) => {
  const one = await open(skip, '01', { staffId: 'sam' })
  const two = await open(skip, '02', { staffId: 'sam' })
  const sale = await buy(one, [[APPLES, 1]], { cash: true })
  await whenSynced(one)
  const rung = await one.ring(APPLES)
  await one.call('POST', `/api/sales/${rung.id}/hold`, { version: rung.version, name: 'Grey cap' })
  const held = `SELECT state FROM held_sale WHERE sale = '${rung.id}'`
  await holds(held, [{ state: 'waiting' }])
  // Simultaneous calls leave several connections open. A frozen server completes no TLS handshake of a new one.
  const [quoted] = await Promise.all(Array.from({ length: 6 }, () => answered(() => quoteOf(two, sale, ONE))))
  if (quoted === undefined) throw new Error('the store server answered each quote')
  const command = commandOf(sale, quoted)
  store.freeze()
  const unanswered = await Promise.all([
    two.refused('POST', '/api/returns', command),
    two.refused('POST', `/api/sales/${rung.id}/resume`, { version: 0 }),
  ])
  expect(unanswered).toEqual(['return-store-away', 'held-sale-away'])
  await two.close()
  store.thaw()
  await holds(returnsOf(sale), [{ state: 'claimed' }])
  await holds(held, [{ state: 'claimed' }])
  await store.backUp()
  const again = await open(skip, '02', { staffId: 'sam', folder: two.folder })
  await holds(returnsOf(sale), [{ state: 'released' }])
  await holds(held, [{ state: 'waiting' }])
  expect(reservationStates(again)).toEqual(['released'])

  await store.restoreBackup()
  await holds(returnsOf(sale), [{ state: 'released' }])
  await holds(held, [{ state: 'waiting' }])
  await Promise.all([whenSynced(one), whenSynced(again)])
  expect((await answered(() => returnPieces(one, sale, [1, 1]))).totals.totalCents).toBe(699)
  await answered(async () =>
    expect((await again.call('POST', `/api/sales/${rung.id}/resume`, { version: 0 })).status).toBe(200),
  )
})
