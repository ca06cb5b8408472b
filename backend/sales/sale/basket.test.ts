import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SaleLine, SaleTotals } from '../../../contracts/sales/sales.ts'
import { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { cents } from '../../../contracts/core/money.ts'
import { Region, TaxCategory } from '../../../contracts/core/regions.ts'
import { cashDueOf, saleLineOf, totalBasket, type BasketLine } from './basket.ts'
import { taxesOf } from '../../catalog/tax.ts'

const line = (unitPriceCents: number, more: Partial<BasketLine> = {}): BasketLine => ({
  number: 1,
  sku: 'SKU-1',
  name: { 'en-CA': 'Garden hose', 'fr-CA': 'Boyau d’arrosage' },
  quantity: 1,
  unitPriceCents: cents(unitPriceCents),
  taxCategory: 'standard',
  departmentId: 'garden',
  categoryId: null,
  voided: false,
  ...more,
})

describe('totals of a basket', () => {
  it('add the region’s taxes, deduct the tenders and round the cash due', () => {
    const totals = totalBasket(
      [line(1299, { quantity: 2 }), line(549, { taxCategory: 'zero-rated' })],
      taxesOf(undefined, 'ON'),
      [{ kind: 'miles', amountCents: cents(3000) }],
    )
    // The subtotal is 25.98 + 5.49 = 31.47, and the tax 13 % of 25.98 = 3.3774.
    expect(totals).toEqual({
      subtotalCents: 3147,
      taxes: [{ code: 'HST', amountCents: 338 }],
      totalCents: 3485,
      tenderedCents: 3000,
      dueCents: 485,
      cashDueCents: 485,
    })
  })
  it('ignore a void line', () => {
    expect(totalBasket([line(1000), line(5000, { voided: true })], taxesOf(undefined, 'AB'), []).totalCents).toBe(1050)
  })
  it('are zero for an empty basket, with every tax of the region', () => {
    expect(totalBasket([], taxesOf(undefined, 'QC'), [])).toEqual({
      subtotalCents: 0,
      taxes: [
        { code: 'GST', amountCents: 0 },
        { code: 'QST', amountCents: 0 },
      ],
      totalCents: 0,
      tenderedCents: 0,
      dueCents: 0,
      cashDueCents: 0,
    })
  })
  it('have a negative amount due when more was tendered than the sale is worth now', () => {
    expect(
      totalBasket([line(1000)], taxesOf(undefined, 'AB'), [{ kind: 'miles', amountCents: cents(2000) }]).dueCents,
    ).toBe(-950)
  })
  it('add up, conform to the contract, and ignore void lines, for any basket', () => {
    const lines = fc.array(
      fc.record({
        quantity: fc.integer({ min: -999, max: 999 }),
        unitPriceCents: fc.integer({ min: 0, max: 999_999 }),
        taxCategory: fc.constantFrom(...TaxCategory.options),
        voided: fc.boolean(),
      }),
      { maxLength: 30 },
    )
    const tenders = fc.array(
      fc.record({
        kind: fc.constantFrom(...TenderKind.options),
        amountCents: fc.integer({ min: 0, max: 100_000 }).map(cents),
      }),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(lines, fc.constantFrom(...Region.options), tenders, (rung, region, paid) => {
        const basket = rung.map((entry, index) =>
          line(entry.unitPriceCents, { ...entry, unitPriceCents: cents(entry.unitPriceCents), number: index + 1 }),
        )
        const totals = totalBasket(basket, taxesOf(undefined, region), paid)
        expect(SaleTotals.safeParse(totals).success).toBe(true)
        expect(totals.totalCents).toBe(
          totals.taxes.reduce<number>((sum, tax) => sum + tax.amountCents, totals.subtotalCents),
        )
        expect(totals.dueCents + totals.tenderedCents).toBe(totals.totalCents)
        expect(Math.abs(totals.cashDueCents - totals.dueCents)).toBeLessThanOrEqual(2)
        expect(totals.cashDueCents % 5 === 0).toBe(true)
        expect(JSON.stringify(totals)).toBe(
          JSON.stringify(
            totalBasket(
              basket.filter((entry) => !entry.voided),
              taxesOf(undefined, region),
              paid,
            ),
          ),
        )
        for (const value of [totals.subtotalCents, totals.totalCents, totals.dueCents, totals.cashDueCents])
          expect(Object.is(value, -0)).toBe(false)
      }),
    )
  })
})

describe('cash due', () => {
  it.each([
    [4331, 4330],
    [4332, 4330],
    [4333, 4335],
    [4334, 4335],
    [4335, 4335],
    [4336, 4335],
    [4337, 4335],
    [4338, 4340],
    [1, 0],
    [2, 0],
    [3, 5],
    [-1, 0],
    [-3, -5],
    [0, 0],
  ])('is rounded to five cents: from %i cents to %i', (due, rounded) => {
    expect(cashDueOf(cents(due))).toBe(rounded)
  })
})

describe('a line for the local API', () => {
  it('has its amount and tax codes, and conforms to the contract', () => {
    const shown = saleLineOf(line(125, { quantity: 3, taxCategory: 'federal-only' }), taxesOf(undefined, 'QC'))
    expect(shown).toMatchObject({ amountCents: 375, taxCodes: ['GST'], voided: false })
    expect(SaleLine.safeParse(shown).success).toBe(true)
  })
  it('has an amount of zero when void', () => {
    expect(saleLineOf(line(125, { quantity: 3, voided: true }), taxesOf(undefined, 'QC')).amountCents).toBe(0)
  })
})
