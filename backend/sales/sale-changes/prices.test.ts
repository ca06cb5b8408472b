import { describe, expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { saleActions, SAM } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { DETERGENT } from '../../../packages/lab/testing/return-steps.ts'

const central = useCentral()

describe('a changed price', () => {
  test('needs a supervisor’s approval; the line and the audit trail have the regular price', async () => {
    const harness = await openTerminalHarness(central)
    const { price, trail } = saleActions(harness)
    await harness.ring(DETERGENT)
    expect(await price(1, 1799)).toMatchObject({ code: 'approval-required', details: [{ message: 'price' }] })
    const { sale } = await price(1, 1799, { approval: SAM })
    expect(sale.lines[0]).toMatchObject({ unitPriceCents: 1799, regularPriceCents: 1999, amountCents: 1799 })
    expect(trail().at(-1)).toMatchObject({
      kind: 'price-changed',
      line: 1,
      before: 1999,
      after: 1799,
      reason: 'price-match',
      approvedBy: 'sam',
    })
    expect(await price(1, 1799, { approval: SAM })).toMatchObject({ code: 'price-same' })
    expect((await price(1, null)).sale.lines[0]).toMatchObject({ unitPriceCents: 1999, regularPriceCents: null })
  })
})

describe('an item with an open price', () => {
  const catalog =
    'sku,barcode,name_en,name_fr,price,tax_category,department,category,open_price\nO1,0628451101000,Cut ' +
    'flowers,Fleurs coupées,0.00,standard,garden,,1.00-200.00\nF1,,Pencil,Crayon,1.00,standard,paper,,'
  test('requires a price within its bounds when it is rung', async () => {
    const harness = await openTerminalHarness(central, { catalog })
    const ring = async (sku: string, priceCents?: number) =>
      (
        await harness.call('POST', '/api/sales/current/lines', {
          sku,
          ...(priceCents === undefined ? {} : { priceCents }),
        })
      ).body
    expect(await ring('O1')).toMatchObject({ code: 'price-required' })
    for (const cents of [99, 20_001]) expect(await ring('O1', cents)).toMatchObject({ code: 'price-out-of-bounds' })
    expect(await harness.current()).toBeNull()
    expect((await ring('O1', 2550)).sale.lines).toMatchObject([
      { sku: 'O1', unitPriceCents: 2550, regularPriceCents: null },
    ])
    expect((await ring('O1', 3000)).sale.lines.map(({ amountCents }) => amountCents)).toEqual([2550, 3000])
    expect((await ring('F1', 5)).sale.lines.at(-1)?.unitPriceCents, 'a price of the catalog is the catalog’s').toBe(100)
  })
})
