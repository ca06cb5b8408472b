import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Item } from '../../contracts/catalog/catalog.ts'
import { cents } from '../../contracts/core/money.ts'
import {
  type MeasureUnit,
  parseThousandths,
  formatThousandths,
  priceOfMeasure,
} from '../../contracts/catalog/measure-units.ts'
import { isMeasured, measuredItem, measuredNames, measureText, withMeasure } from './measured.ts'

const cheese: Item = {
  sku: 'CH',
  barcode: null,
  name: { 'en-CA': 'Cheddar', 'fr-CA': 'Cheddar' },
  priceCents: cents(1999),
  openPrice: null,
  taxCategory: 'zero-rated',
  departmentId: 'dairy',
  categoryId: null,
}

test.each<[MeasureUnit, number, number, number]>([
  ['kg', 1_000, 1_999, 1_999],
  ['kg', 437, 1_999, 874],
  ['kg', 500, 1_999, 1_000],
  ['kg', 1, 499, 0],
  ['kg', 1, 500, 1],
  ['kg', 99_999, 100_000, 9_999_900],
  ['100g', 345, 129, 445],
  ['lb', 2_350, 149, 350],
  ['m', 2_500, 1_299, 3_248],
  ['L', 750, 333, 250],
])(
  'the price of a quantity in %s rounds half a cent up: %i thousandths at %i cents',
  (unit, quantity, price, amount) => {
    expect(priceOfMeasure(quantity, unit, price)).toBe(amount)
  },
)

test('a quantity whose amount is above the maximum of a line has no price', () => {
  expect(priceOfMeasure(999_999, 'kg', 99_999_999)).toBeNull()
  expect(() =>
    withMeasure({ ...cheese, priceCents: cents(99_999_999) }, { netThousandths: 2_000, source: 'typed' }),
  ).toThrow('measure-out-of-bounds')
})

test('a price never decreases with the quantity, and differs from the exact amount by half a cent at most', () => {
  const units = fc.constantFrom<MeasureUnit>('kg', '100g', 'lb', 'm', 'L')
  fc.assert(
    fc.property(
      units,
      fc.integer({ min: 1, max: 99_998 }),
      fc.integer({ min: 0, max: 99_999 }),
      (unit, quantity, price) => {
        const amount = priceOfMeasure(quantity, unit, price) ?? -1
        const per = unit === '100g' ? 100 : 1_000
        expect(Math.abs(2 * amount * per - 2 * quantity * price)).toBeLessThanOrEqual(per)
        expect(priceOfMeasure(quantity + 1, unit, price)).toBeGreaterThanOrEqual(amount)
      },
    ),
  )
})

test('a typed quantity may have a decimal point or comma, and no more decimals than its unit', () => {
  expect(['1', '1.5', '1,235', ' 0.020 ', '999.999'].map((text) => parseThousandths(text, 3))).toEqual([
    1_000, 1_500, 1_235, 20, 999_999,
  ])
  for (const text of ['', '.5', '1.', '1.2345', '-1', '1e3', '1 000', '1000', 'kg'])
    expect(parseThousandths(text, 3), text).toBeUndefined()
  expect(parseThousandths('1.235', 2)).toBeUndefined()
})

test('a formatted quantity is read as the same quantity', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 0, max: 3 }), (quantity, decimals) => {
      expect(parseThousandths(formatThousandths(quantity, decimals, ','), 3)).toBe(quantity)
    }),
  )
})

test('a line sold by weight has weight and unit price in their own fields; its stored name contains them too', () => {
  const rung = measuredItem(cheese, { kind: 'weight', grams: 437 }, true)
  const measure = { unit: 'kg', netThousandths: 437, unitPriceCents: cents(1_999), source: 'label' } as const
  expect(rung).toEqual({ ...cheese, priceCents: 874, measure })
  const stored = measuredNames(rung.name, measure)
  expect(stored).toEqual({ 'en-CA': 'Cheddar, 0.437 kg at $19.99/kg', 'fr-CA': 'Cheddar, 0,437 kg à 19,99 $/kg' })
  expect(isMeasured({ name: stored, measure: null })).toBe(true)
  expect(isMeasured({ name: cheese.name, measure: null })).toBe(false)
})

test('the text of a measure names its tare, and each unit of price', () => {
  const text = (unit: MeasureUnit, tareThousandths?: number): string[] =>
    (['en-CA', 'fr-CA'] as const).map((locale) =>
      measureText(
        {
          unit,
          netThousandths: 1_500,
          unitPriceCents: cents(1_299),
          source: 'typed',
          ...(tareThousandths === undefined ? {} : { tareThousandths }),
        },
        locale,
      ),
    )
  expect(text('kg', 12)).toEqual([
    '1.500 kg net at $12.99/kg, tare 0.012 kg',
    '1,500 kg net à 12,99 $/kg, tare 0,012 kg',
  ])
  expect(text('100g')).toEqual(['1.500 kg at $12.99/100 g', '1,500 kg à 12,99 $/100 g'])
  expect(text('lb')).toEqual(['1.500 lb at $12.99/lb', '1,500 lb à 12,99 $/lb'])
  expect(text('m')).toEqual(['1.50 m at $12.99/m', '1,50 m à 12,99 $/m'])
  expect(text('L')).toEqual(['1.50 L at $12.99/L', '1,50 L à 12,99 $/L'])
})

test('a weighed piece costs the price on its label, and its weight is calculated for reports', () => {
  const label = { kind: 'price', cents: cents(300) } as const
  expect(measuredItem({ ...cheese, priceCents: cents(150) }, label, true)).toMatchObject({
    priceCents: 300,
    measure: { netThousandths: 2_000, source: 'price-label' },
  })
  expect(measuredItem(cheese, label, false)).toEqual({ ...cheese, priceCents: 300 })
})

test('an item priced per pound is priced by the pounds on its label, otherwise by the grams on it', () => {
  const ham: Item = { ...cheese, soldBy: 'kg', unit: 'lb', priceCents: cents(149) }
  const inPounds = { kind: 'weight', grams: 1_066, poundThousandths: 2_350 } as const
  expect(measuredItem(ham, inPounds, true)).toMatchObject({ priceCents: 350, measure: { netThousandths: 2_350 } })
  expect(measuredItem(ham, { kind: 'weight', grams: 1_000 }, true).measure?.netThousandths).toBe(2_205)
})
