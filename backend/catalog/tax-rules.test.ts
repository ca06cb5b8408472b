import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { basketTaxRulesOf } from '../../contracts/core/region-taxes.ts'
import { cents } from '../../contracts/core/money.ts'
import { Region, TaxCategory, TaxRule } from '../../contracts/core/regions.ts'
import { valueOfReturned } from '../payments/returns/return-rules.ts'
import { type BasketLine, totalBasket, without } from '../sales/sale/basket.ts'
import { shareDiscounts } from '../sales/sale/discounts.ts'
import { ruledLines } from '../sales/sale/sale-parts.ts'
import { parseCsv } from './editions/csv.ts'
import { relievedCategory } from './tax-rules.ts'
import { exempt, taxBasket, taxCodesOf, taxesOf } from './tax.ts'

const TREATMENTS: Readonly<Record<string, Pick<BasketLine, 'taxCategory' | 'taxRule'>>> = {
  T: { taxCategory: 'standard' },
  G: { taxCategory: 'federal-only' },
  Z: { taxCategory: 'zero-rated' },
  PF: { taxCategory: 'standard', taxRule: 'prepared-food' },
  HB: { taxCategory: 'standard', taxRule: 'dispensed-drink' },
  BV: { taxCategory: 'standard', taxRule: 'packaged-drink' },
  SB: { taxCategory: 'standard', taxRule: 'baked-serving' },
}
/** Taxes for which the examples and the program have different names. */
const NAMES: Readonly<Record<string, string>> = { FED5: 'HST-FEDERAL', RST: 'PST' }

interface Expected {
  readonly lines: Record<string, number>
  readonly tax: Record<string, number>
  readonly alt?: readonly Partial<Expected>[]
}
interface Example {
  readonly id: string
  readonly region: string
  readonly items: readonly { readonly id: string; readonly p: number; readonly q: number; readonly t: string }[]
  readonly coupons: readonly { readonly k: 'store' | 'mfr'; readonly v: number }[]
  readonly date: string
  readonly expected: Expected
}

const line = (number: number, quantity: number, unit: number, more: Partial<BasketLine> = {}): BasketLine => ({
  number,
  sku: `S${number}`,
  name: {},
  quantity,
  unitPriceCents: cents(unit),
  taxCategory: 'standard',
  departmentId: 'bakery',
  categoryId: null,
  voided: false,
  ...more,
})
const reduced = (of: BasketLine, off: number): BasketLine =>
  off === 0 ? of : { ...of, discount: { cents: cents(off), pieces: of.quantity } }

const examples: (Example & { readonly area: string })[] = []
for (const { fields } of parseCsv(
  readFileSync(path.join(import.meta.dirname, '../sales/pricing/examples.csv'), 'utf8'),
)) {
  const [id = '', area = '', region = '', input = '', expected = ''] = fields
  if (area === 'area') continue
  const given = JSON.parse(input) as Partial<Example> & { rates?: object; incl?: boolean }
  const wanted = JSON.parse(expected) as Expected
  const hasFee = given.items?.some((item) => 'fee' in item) ?? false
  if (!given.items || !wanted.tax || given.rates || given.incl || hasFee || region === 'any') continue
  const { items, coupons = [], date = '2026-11-30' } = given
  examples.push({ id, area, region, items, coupons, date, expected: wanted })
}

/**
 * Returns the lines of an example: in the area `tax` reduced by its store coupons, in the others with the net amounts
 * that the file expects.
 */
function linesOf({ area, items, coupons, expected }: (typeof examples)[number]): BasketLine[] {
  const lines = items.map(({ id, p, q, t }, at) => ({ ...line(at + 1, q, p ?? 0), sku: id, ...TREATMENTS[t] }))
  if (area !== 'tax')
    return lines.map((one) =>
      line(one.number, 1, expected.lines[one.sku] ?? 0, {
        ...one,
        quantity: 1,
        unitPriceCents: cents(expected.lines[one.sku] ?? 0),
      }),
    )
  const discounts = coupons.map(({ v }, at) => ({
    number: at + 1,
    reach: { kind: 'sale' } as const,
    off: { kind: 'amount', cents: cents(v) } as const,
    minimumCents: cents(0),
    source: 'coupon' as const,
  }))
  const shares = shareDiscounts(
    lines.map((one) => ({ ...one, regularPriceCents: null })),
    discounts,
  )
  return lines.map((one) =>
    reduced(
      one,
      shares.reduce((sum, share) => (share.line === one.number ? sum + share.amountCents : sum), 0),
    ),
  )
}

const taxedIn = (region: Region, lines: readonly BasketLine[], day = '2026-11-30') => {
  const { taxes } = totalBasket(ruledLines(lines, basketTaxRulesOf(region)), taxesOf(undefined, region, day), [])
  return Object.fromEntries(taxes.flatMap(({ code, amountCents }) => (amountCents === 0 ? [] : [[code, amountCents]])))
}
const named = (tax: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(tax).flatMap(([name, amount]) => (amount === 0 ? [] : [[NAMES[name] ?? name, amount]])),
  )

describe('a worked example', () => {
  test.each(examples.map((example) => [example.id, example] as const))(
    'named %s has the expected taxes',
    (_id, example) => {
      expect(taxedIn(Region.parse(example.region), linesOf(example), example.date)).toEqual(named(example.expected.tax))
    },
  )
  test('is read from the areas tax, deposit and coupon of the file, in the expected number', () => {
    const count = (area: string) => examples.filter((example) => example.area === area).length
    expect([count('tax'), count('deposit'), count('coupon')]).toEqual([38, 17, 13])
  })
})

describe('baked servings', () => {
  const muffin = (number: number, quantity: number, voided = false): BasketLine =>
    line(number, quantity, 150, { taxRule: 'baked-serving', voided })

  test('are zero-rated from six on in every region; void lines do not count', () => {
    for (const region of Region.options) {
      expect([region, taxedIn(region, [muffin(1, 4), muffin(2, 2)])]).toEqual([region, {}])
      expect([region, taxedIn(region, [muffin(1, 5), muffin(2, 1, true)])]).not.toEqual([region, {}])
    }
  })
  test('do not count as prepared food when they are zero-rated', () => {
    expect(taxedIn('ON', [muffin(1, 6), line(2, 1, 150, { taxRule: 'packaged-drink' })])).toEqual({ HST: 20 })
    expect(taxedIn('ON', [muffin(1, 1), line(2, 1, 150, { taxRule: 'packaged-drink' })])).toEqual({ 'HST-FEDERAL': 15 })
  })
  test('stay tax-free when one of six is returned', () => {
    const taxes = taxesOf(undefined, 'ON')
    const sold = ruledLines([muffin(1, 6)], basketTaxRulesOf('ON'))
    const value = valueOfReturned(sold, without(sold, [{ number: 1, quantity: 1 }]), taxes)
    expect([value.subtotalCents, value.totalCents]).toEqual([150, 150])
  })
})

describe('an item without federal tax', () => {
  test('has the PST or QST of its category, if any, and no GST or HST', () => {
    const codes = (region: Region, taxCategory: TaxCategory) =>
      taxCodesOf({ taxCategory, taxRule: 'no-federal-tax' }, taxesOf(undefined, region))
    expect([codes('QC', 'standard'), codes('QC', 'book'), codes('ON', 'standard'), codes('ON', 'book')]).toEqual([
      ['QST'],
      [],
      [],
      [],
    ])
    expect([codes('SK', 'children-wear'), codes('BC', 'children-wear'), codes('AB', 'standard')]).toEqual([
      ['PST'],
      [],
      [],
    ])
  })
})

describe('rates with a start date', () => {
  test('apply from their first day on when the profile defines them', () => {
    const profile = [{ code: 'HST' as const, percent: 15, changes: [{ from: '2027-04-01', percent: 14.5 }] }]
    const rate = (day: string) => taxesOf(profile, 'NB', day)[0]?.ratePpm
    expect([rate('2027-03-31'), rate('2027-04-01')]).toEqual([150_000, 145_000])
  })
})

const anyLine = fc.record({
  quantity: fc.integer({ min: 1, max: 7 }),
  unit: fc.integer({ min: 0, max: 600 }),
  taxCategory: fc.constantFrom(...TaxCategory.options),
  taxRule: fc.option(fc.constantFrom(...TaxRule.options)),
  relief: fc.constantFrom(null, 'all' as const, 'provincial' as const),
  voided: fc.boolean(),
})
const anyLines = fc.array(anyLine, { maxLength: 8 }).map((all) =>
  all.map(({ quantity, unit, relief, ...more }, at) =>
    line(at + 1, quantity, unit, {
      ...more,
      taxCategory: relievedCategory(more.taxCategory, relief),
      ...(relief ? { exemption: { relief, reason: 'first-nations', certificate: '1' } } : {}),
    }),
  ),
)
const anyRegion = fc.constantFrom(...Region.options)
const paidTax = (lines: readonly BasketLine[], region: Region) =>
  totalBasket(lines, taxesOf(undefined, region), []).totalCents

describe('the taxes of any basket', () => {
  test('do not depend on the order of scans', () => {
    fc.assert(
      fc.property(anyLines, anyRegion, (lines, region) => {
        expect(taxedIn(region, lines.toReversed())).toEqual(taxedIn(region, lines))
      }),
    )
  })
  test('are never raised by the tax rules of items', () => {
    fc.assert(
      fc.property(anyLines, anyRegion, (lines, region) => {
        const ruled = ruledLines(lines, basketTaxRulesOf(region))
        // HST and its federal part are rounded separately, which may add a cent in total.
        expect(paidTax(ruled, region)).toBeLessThanOrEqual(paidTax(lines, region) + 1)
      }),
    )
  })
  test('are refunded exactly when everything is returned piece by piece, in any order', () => {
    fc.assert(
      fc.property(anyLines, anyRegion, fc.infiniteStream(fc.nat()), (lines, region, random) => {
        const taxes = taxesOf(undefined, region)
        const sold = ruledLines(lines, basketTaxRulesOf(region))
        let left: BasketLine[] = without(sold, [])
        let refunded = 0
        while (left.length > 0) {
          const number = left[(random.next().value ?? 0) % left.length]?.number ?? 0
          const after = without(left, [{ number, quantity: 1 }])
          refunded += valueOfReturned(left, after, taxes).totalCents
          left = after
        }
        expect(refunded).toBe(totalBasket(sold, taxes, []).totalCents)
      }),
    )
  })
  test('are the same for a line with its own exemption as for an exempt sale of that line alone', () => {
    fc.assert(
      fc.property(anyRegion, fc.constantFrom(...TaxCategory.options), (region, taxCategory) => {
        const taxes = taxesOf(undefined, region)
        for (const relief of ['all', 'provincial'] as const) {
          const alone = taxBasket(
            [{ amountCents: cents(1_000), taxCategory: relievedCategory(taxCategory, relief) }],
            taxes,
          )
          const sale = taxBasket([{ amountCents: cents(1_000), taxCategory }], exempt(taxes, relief))
          expect(alone).toEqual(sale)
        }
      }),
    )
  })
})
