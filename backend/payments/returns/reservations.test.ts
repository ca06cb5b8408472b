import { expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, buy, returnPieces, quoteOf } from '../../../packages/lab/testing/return-steps.ts'
import { reservationStates, commandOf, ONE, returnsOf } from '../../../packages/lab/testing/store-reservations.ts'
import { lanesOf } from '../../../packages/lab/testing/store-lanes.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'

const central = useCentral()
const store = useStore('01', '02', '07', '08')
const { open, whenSynced, holds, answered } = lanesOf(central, store)

test('a return whose reservation gets no answer refunds nothing, and releases the reservation later', async ({
  skip,
}) => {
  const one = await open(skip, '01')
  const two = await open(skip, '02')
  const sale = await buy(one, [[APPLES, 1]], { cash: true })
  await whenSynced(one)
  const command = commandOf(sale, await answered(() => quoteOf(two, sale, ONE)))
  store.freeze()
  const began = performance.now()
  expect(await two.refused('POST', '/api/returns', command)).toBe('return-store-away')
  expect(performance.now() - began, 'nobody waits longer for the store').toBeLessThan(3_000)
  expect(reservationStates(two)).toEqual(['releasing'])
  store.thaw()
  await holds(returnsOf(sale), [{ state: 'released' }])
  await whenSynced(one)
  expect((await answered(() => returnPieces(one, sale, [1, 1]))).totals.totalCents).toBe(699)
  await holds(`${returnsOf(sale)} DESC LIMIT 1`, [{ state: 'returned' }])
})

test('two lanes return the same goods at the same time: one succeeds, and the other receives the reason', async ({
  skip,
}) => {
  const one = await open(skip, '07')
  const two = await open(skip, '08')
  for (let times = 1; times <= 5; times += 1) {
    const sale = await buy(one, [[APPLES, 1]], { cash: true })
    await whenSynced(one)
    await answered(async () => {
      const [here, there] = [await quoteOf(one, sale, ONE), await quoteOf(two, sale, ONE)]
      const answers = await Promise.all([
        one.call('POST', '/api/returns', commandOf(sale, here)),
        two.call('POST', '/api/returns', commandOf(sale, there)),
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.find(({ status }) => status !== 200)?.body.code).toMatch(/^return-(changed|exceeds-sold)$/)
    })
    expect(
      [...reservationStates(one), ...reservationStates(two)].filter((state) => state === 'committed'),
    ).toHaveLength(times)
  }
})
