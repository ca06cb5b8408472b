import { describe, expect, test } from 'vitest'
import { Region, type TaxCategory } from '../../../contracts/core/regions.ts'
import { cents } from '../../../contracts/core/money.ts'
import { taxesOf } from '../../catalog/tax.ts'
import { cashTender } from '../../payments/tender-types/cash.ts'
import { type BasketLine, cashDueOf, totalBasket } from '../sale/basket.ts'
import { shareDiscounts } from '../sale/discounts.ts'
import { coveredByCoupons } from '../sale/paid-coupons.ts'
import { type ExampleItem, type ExamplePromotion, examplesOf, linesOf, promotionsOf } from './examples.fixture.ts'
import { indexPromotions } from './promotion-index.ts'
import { applyPromotions } from './promotions.ts'

interface Input {
  readonly items: readonly (ExampleItem & { readonly t: keyof typeof CATEGORIES })[]
  readonly promos?: readonly ExamplePromotion[]
  readonly coupons?: readonly { readonly k: 'store' | 'mfr'; readonly v: number }[]
  readonly incl?: boolean
}
interface Expected {
  readonly lines: Record<string, number>
  readonly disc: number
  readonly sub?: number
  readonly tax?: Record<string, number>
  readonly tender_coupon?: number
  readonly total: number
  readonly cash: number
  readonly alt?: readonly object[]
}

const CATEGORIES = { T: 'standard', G: 'book', Z: 'zero-rated' } as const satisfies Record<string, TaxCategory>
const NAMES: Readonly<Record<string, string>> = { FED5: 'HST-FEDERAL' }

/** Prices a basket as the program does: promotions, store coupons, taxes, then manufacturers' coupons as payments. */
function priced({ items, promos = [], coupons = [], incl = false }: Input, region: string): Expected {
  const lines = linesOf(items)
  const promoted = applyPromotions(lines, indexPromotions(promotionsOf(promos)), {
    members: false,
    staff: false,
    seniors: false,
  }).map(({ line, amountCents }, at) => ({
    number: at + 1,
    reach: { kind: 'line', number: line } as const,
    off: { kind: 'amount', cents: amountCents } as const,
    minimumCents: cents(0),
    source: 'promotion' as const,
  }))
  const store = coupons.flatMap(({ k, v }, at) =>
    k === 'mfr'
      ? []
      : [
          {
            number: 1_000 + at,
            reach: { kind: 'sale' } as const,
            off: { kind: 'amount', cents: cents(v) } as const,
            minimumCents: cents(0),
            source: 'coupon' as const,
          },
        ],
  )
  const basket = lines.map((line): BasketLine => ({
    number: line.number,
    sku: line.sku,
    name: { 'en-CA': line.sku, 'fr-CA': line.sku },
    quantity: line.quantity,
    unitPriceCents: cents(line.unitCents),
    taxCategory: CATEGORIES[items[line.number - 1]?.t ?? 'Z'],
    departmentId: 'grocery',
    categoryId: null,
    voided: false,
  }))
  const shares = shareDiscounts(
    basket.map((line) => ({ ...line, regularPriceCents: null })),
    [...promoted, ...store],
  )
  const reduced = basket.map((line) => {
    const off = shares.reduce((sum, share) => (share.line === line.number ? sum + share.amountCents : sum), 0)
    return off === 0 ? line : { ...line, discount: { cents: cents(off), pieces: line.quantity } }
  })
  // Prices of the program are without tax. A tax-included price is what the customer pays, so no tax is added.
  const isTaxed = !incl && region !== 'any'
  const { subtotalCents, taxes, totalCents } = totalBasket(
    reduced,
    isTaxed ? taxesOf(undefined, Region.parse(region), '2026-11-30') : [],
    [],
  )
  let due: number = totalCents
  const manufacturers = coupons.filter(({ k }) => k === 'mfr')
  const needs = manufacturers.map(() => ({ reach: { kind: 'all' } as const, units: 1 }))
  for (const [at, price] of coveredByCoupons(reduced, needs).entries())
    due -= Math.min(manufacturers[at]?.v ?? 0, price, due)
  return {
    lines: Object.fromEntries(
      reduced.map((line) => [line.sku, line.quantity * line.unitPriceCents - (line.discount?.cents ?? 0)]),
    ),
    disc: shares.reduce((sum, { amountCents }) => sum + amountCents, 0),
    ...(incl ? {} : { sub: subtotalCents }),
    tax: Object.fromEntries(taxes.map(({ code, amountCents }) => [code, amountCents])),
    ...(due === totalCents ? {} : { tender_coupon: totalCents - due }),
    total: due,
    cash: cashDueOf(cents(due)),
  }
}

const nonZero = (tax: Record<string, number> = {}) =>
  Object.fromEntries(
    Object.entries(tax).flatMap(([name, amount]) => (amount === 0 ? [] : [[NAMES[name] ?? name, amount]])),
  )

const withoutZeroTaxes = (result: Expected): Expected => ({ ...result, tax: nonZero(result.tax) })

const coupons = examplesOf<Input, Expected>('coupon')

describe('a worked example of coupons', () => {
  test.each(coupons.map((example) => [example.id, example] as const))(
    'named %s gives the lines, taxes and amounts due that examples.csv expects',
    (_id, { input, region, expected }) => {
      const { alt: _alt, ...wanted } = expected
      const { sub: _sub, tax: _tax, ...withTax } = wanted
      expect(withoutZeroTaxes(priced(input, region))).toEqual(
        input.incl ? { ...withTax, tax: {} } : withoutZeroTaxes(wanted),
      )
    },
  )
  test('is read from each of the 16 rows of examples.csv', () => {
    expect(coupons).toHaveLength(16)
  })
})

type Calculation =
  | { readonly calc: 'cash'; readonly totals: readonly number[] }
  | { readonly calc: 'change'; readonly total: number; readonly given: number }
  | { readonly calc: 'changeround'; readonly change: readonly number[] }
  | { readonly calc: 'mixed'; readonly total: number; readonly card: number }
  | { readonly calc: 'net'; readonly buy: number; readonly back: number }

const inCash = (amount: number): number => cashDueOf(cents(amount))

function calculated(given: Calculation): object {
  switch (given.calc) {
    case 'cash':
      return { cash: given.totals.map(inCash) }
    case 'change': {
      const paid = cashTender(cents(given.total), cents(given.given))
      return { pay: (paid?.tenderedCents ?? 0) - (paid?.changeCents ?? 0), change: paid?.changeCents }
    }
    case 'changeround':
      return { change: given.change.map(inCash) }
    case 'mixed': {
      const due = given.total - given.card
      const paid = cashTender(cents(due), cents(inCash(due)))
      return { card: given.card, due, due_cash: inCash(due), rounding: paid?.roundingCents }
    }
    case 'net':
      return { net: given.buy - given.back, cash: inCash(given.buy - given.back) }
  }
}

const roundings = examplesOf<Input | Calculation, Expected>('rounding')

describe('a worked example of cash rounding', () => {
  test.each(roundings.map((example) => [example.id, example] as const))(
    'named %s gives the amounts that examples.csv expects',
    (_id, { input, region, expected }) => {
      expect('calc' in input ? calculated(input) : withoutZeroTaxes(priced(input, region))).toEqual(expected)
    },
  )
  test('is read from each of the 10 rows of examples.csv', () => {
    expect(roundings).toHaveLength(10)
  })
})
