import { expect, test } from 'vitest'
import { HeldContent } from '../../../contracts/store/holds.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { testContext } from '../../../packages/lab/testing/lane-context.ts'
import { type CouponTaking, couponTakingOf } from '../sale-changes/coupons.ts'
import { type Sales, salesOf } from '../sales.ts'
import { contentOf, differencesOf, pricedToday } from './content.ts'

const central = useCentral()
const name = { 'en-CA': 'Bananas', 'fr-CA': 'Bananes' }
const measure = { unit: 'kg', netThousandths: 1_000, unitPriceCents: 199, source: 'scale' } as const
const HELD = {
  sku: 'BANANA',
  name: { 'en-CA': 'Bananas, 1.000 kg at $1.99/kg', 'fr-CA': 'Bananes, 1,000 kg à 1,99 $/kg' },
  quantity: 1,
  unitPriceCents: 199,
  regularPriceCents: null,
  taxCategory: 'zero-rated',
  departmentId: 'produce',
  categoryId: null,
  note: null,
  minimumAge: null,
  voided: 0,
  measure: { ...measure, name },
}
const content = HeldContent.parse({
  lines: [HELD],
  discounts: [],
  note: null,
  exemption: null,
  ageChecked: null,
  member: null,
})

function laneWith(unitPriceCents: number, known: object) {
  const ctx = testContext({})
  const line = { ...HELD, name, unitPriceCents, measure: { ...measure, ...known } }
  salesOf.provide(ctx, { lineToday: () => ({ line, isPriced: true }) } as unknown as Sales)
  couponTakingOf.provide(ctx, { grantOf: () => undefined } as unknown as CouponTaking)
  return pricedToday(ctx, content)
}

test('a weighed line of another lane keeps its weight, at the price per kilogram of today or as held', () => {
  const same = laneWith(199, {})
  expect(differencesOf(same)).toEqual([])
  expect(same.today.lines).toMatchObject([{ name, voided: 0, measure: { netThousandths: 1_000, name } }])
  const dearer = laneWith(249, { unitPriceCents: 249 })
  expect(differencesOf(dearer)).toEqual(['price'])
  expect(dearer.today.lines).toMatchObject([{ unitPriceCents: 249, voided: 0, measure: { unitPriceCents: 249 } }])
  expect(dearer.held.lines).toMatchObject([
    { unitPriceCents: 199, regularPriceCents: 249, measure: { unitPriceCents: 199, netThousandths: 1_000 } },
  ])
})

test('the stored name of a weighed line contains its weight, for lanes of the previous release', async () => {
  const head = 'sku,barcode,name_en,name_fr,price,tax_category,department,category,sold_by\n'
  const lane = await openTerminalHarness(central, {
    catalog: `${head}BANANA,,Bananas,Bananes,1.99,zero-rated,produce,,kg`,
    staffId: 'sam',
  })
  const weighing = { from: 'typed', grossThousandths: 1_000 }
  const { body } = await lane.call('POST', '/api/sales/current/lines', { sku: 'BANANA', quantity: 1, weighing })
  expect(body.sale.lines).toMatchObject([{ name, measure: { netThousandths: 1_000 } }])
  const [row] = lane.read<{ names: string; measure: string }>('SELECT names, measure FROM sale_line')
  expect(JSON.parse(row?.names ?? '')).toEqual(HELD.name)
  const parts = {
    sale: { note: null, exemption: null, buyers: null, ageChecked: null, memberLast4: null },
    discounts: [],
  }
  const line = { ...HELD, name, measure: { ...measure, source: 'typed' as const }, number: 1, chargeOf: null }
  const written = contentOf({ ...parts, lines: [line] } as unknown as Parameters<typeof contentOf>[0])
  expect(written.lines).toMatchObject([{ name: HELD.name, measure: { name, netThousandths: 1_000 } }])
})
