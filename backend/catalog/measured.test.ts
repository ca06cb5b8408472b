import { expect, test } from 'vitest'
import type { Item } from '../../contracts/catalog/catalog.ts'
import { cents } from '../../contracts/core/money.ts'
import { measuredItem, priceOfWeight } from './measured.ts'

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

test('the price by weight is the price per kilogram times the weight, with half cents rounded up', () => {
  expect(
    [
      [1_000, 1_999],
      [437, 1_999],
      [500, 1_999],
      [1, 499],
      [1, 500],
      [99_999, 100_000],
    ].map(([grams, price]) => priceOfWeight(grams ?? 0, cents(price ?? 0))),
  ).toEqual([1_999, 874, 1_000, 0, 1, 9_999_900])
})

test('a line sold by weight names the weight and the price per kilogram, in printable characters', () => {
  expect(measuredItem(cheese, { kind: 'weight', grams: 437 })).toEqual({
    ...cheese,
    name: { 'en-CA': 'Cheddar, 0.437 kg at $19.99/kg', 'fr-CA': 'Cheddar, 0,437 kg à 19,99 $/kg' },
    priceCents: 874,
  })
})

test('a weighed piece costs the price on its label', () => {
  expect(measuredItem(cheese, { kind: 'price', cents: cents(875) })).toEqual({ ...cheese, priceCents: 875 })
})
