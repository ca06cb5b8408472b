import { expect, test } from 'vitest'
import { HeldSales } from '../../contracts/api/held-sales.ts'
import { useCentral } from '../testing/central.ts'
import { APPLES, buy, giveBack, quoteOf } from '../testing/returning.ts'
import { commandOf, ONE } from '../testing/store-claims.ts'
import { lanesOf } from '../testing/store-lanes.ts'
import { useStore } from '../testing/store.ts'

const central = useCentral()
const store = useStore('01', '02')
const { open, settled, answered, holds } = lanesOf(central, store)
/** The database says of itself what it said in another place: it was put back. */
const PUT_BACK = "UPDATE database_identity SET identity = 'of the lost one'"
const NOBODYS = 'N101XXXX00000001AAAA'

test('whoever returns or resumes while a restored store waits for a lane is told to start the lanes', async ({
  skip,
}) => {
  const one = await open(skip, '01')
  const two = await open(skip, '02')
  const sale = await buy(one, [[APPLES, 2]], { cash: true })
  const rung = await one.ring(APPLES)
  await one.call('POST', `/api/sales/${rung.id}/hold`, { version: rung.version })
  await holds('SELECT state FROM held_sale', [{ state: 'waiting' }])
  for (const lane of [one, two]) await settled(lane)
  const listed = async () => HeldSales.parse((await one.call('GET', '/api/sales/held')).body).sales
  const resume = (version: number) => one.call('POST', `/api/sales/${rung.id}/resume`, { version })
  const returnable = (id: string) => one.refused('GET', `/api/sales/${id}/returnable`)
  await answered(async () => expect(await returnable(NOBODYS)).toBe('receipt-unknown'))
  await two.close()

  await store.query(PUT_BACK)
  await answered(async () => {
    const quote = await quoteOf(one, sale, ONE)
    const { body } = await one.call('POST', '/api/returns', commandOf(sale, quote))
    expect(body).toMatchObject({ code: 'return-lanes-awaited', details: [{ path: 'lanes', message: '02' }] })
  })
  await answered(async () => expect(await returnable(NOBODYS)).toBe('return-lanes-awaited'))
  await answered(async () => expect(await listed()).toMatchObject([{ id: rung.id, where: 'awaited' }]))
  await answered(async () => expect((await resume(0)).body).toMatchObject({ code: 'held-lanes-awaited' }))

  await open(skip, '02', { folder: two.folder })
  await answered(async () => expect(await listed()).toMatchObject([{ where: 'store' }]))
  expect((await answered(() => giveBack(one, sale, [1, 1]))).totals.totalCents).toBe(699)
  await answered(async () => expect((await resume(0)).status).toBe(200))
})
