import { expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { buy, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import { lanesOf } from '../../../packages/lab/testing/store-lanes.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'

const central = useCentral()
const store = useStore('01', '02')
const { open, whenSynced, answered } = lanesOf(central, store)
const CATALOG = `sku,barcode,name_en,name_fr,price,tax_category,department,category,tax_rule
MUFFIN,,Muffin,Muffin,1.50,standard,household,,baked-serving
TOY,,Toy,Jouet,10.00,standard,household,,no-federal-tax
SOAP,,Soap,Savon,20.00,standard,household,,`

test('a return at another lane refunds the taxes that were paid, under tax rules and exemptions of lines', async ({
  skip,
}) => {
  const change = { catalog: CATALOG, region: 'QC', staffId: 'sam' } as const
  const one = await open(skip, '01', change)
  const two = await open(skip, '02', change)
  const { send } = saleActions(one)
  await one.ring('MUFFIN', 6)
  await one.ring('TOY')
  await one.ring('SOAP')
  const exemption = { relief: 'provincial', reason: 'first-nations', certificate: 'FN-1' }
  await send('PUT', '/exemption', { line: 3, exemption })
  const sale = await buy(one, [['SOAP', 1]], { cash: true })
  expect(sale.lines.map(({ taxCodes }) => taxCodes)).toEqual([[], ['QST'], ['GST'], ['GST', 'QST']])
  await whenSynced(one)
  const answers = []
  for (const number of [1, 2, 3, 4])
    answers.push(await answered(() => returnPieces(two, sale, [number, number === 1 ? 5 : 1])))
  // QST of 30.00 less that of 20.00 is 2.99 - 2.00 = 0.99 for the toy, a cent less than QST of its price alone.
  expect(answers.map(({ totals }) => totals.totalCents)).toEqual([750, 1_099, 2_100, 2_300])
  expect(answers[1]?.lines[0]?.taxCodes).toEqual(['QST'])
  const last = await answered(() => returnPieces(two, sale, [1, 1]))
  expect(last.totals.totalCents).toBe(150)
  expect(sale.totals.totalCents).toBe(6_399)
})
