import { expect, test } from 'vitest'
import { cents } from '../../../contracts/core/money.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { buy, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { lanesOf } from '../../../packages/lab/testing/store-lanes.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'

const central = useCentral()
const store = useStore('01', '02')
const { open, whenSynced, answered } = lanesOf(central, store)
const catalog = `sku,barcode,name_en,name_fr,price,tax_category,department,category,deposits
POP12,,Pop 12,Boisson 12,6.99,standard,drinks,,ab-small x 12
SOAP,,Soap,Savon,20.00,standard,care,,`

test('a return at another lane refunds the deposit that was paid, and the amount that empties paid', async ({
  skip,
}) => {
  const change = { catalog, region: 'AB', staffId: 'sam' } as const
  const one = await open(skip, '01', change)
  const two = await open(skip, '02', change)
  await one.call('POST', '/api/sales/current/empties', { empties: [{ id: 'ab-large', count: 20 }] })
  const sale = await buy(one, [['POP12', 2]], { cash: true })
  expect(sale).toMatchObject({ state: 'completed', totals: { totalCents: 1_208 } })
  await whenSynced(one)
  const charge = { ...small, cents: cents(20) }
  await two.call('POST', '/api/catalog/charges', { how: 'change', charge })
  const first = await answered(() => returnPieces(two, sale, [2, 1]))
  const second = await answered(() => returnPieces(two, sale, [2, 1]))
  expect(first.lines).toMatchObject([{ sku: 'POP12' }, { sku: 'milepost:deposit', amountCents: 120 }])
  expect(first.totals.totalCents + second.totals.totalCents).toBe(1_708)
})

const small = {
  id: 'ab-small',
  kind: 'deposit' as const,
  names: { 'en-CA': 'Deposit', 'fr-CA': 'Consigne' },
  changes: [],
}
