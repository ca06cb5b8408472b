import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cents } from '../../contracts/core/money.ts'
import { PROVINCE_TAKES_NOTHING_ON, Region, TaxCategory, type TaxCode } from '../../contracts/core/regions.ts'
import { exempt, taxBasket, taxCodesOf, taxesOf, type StoreTax } from './tax.ts'
import { rateOn, REGION_TAXES } from '../../contracts/core/region-taxes.ts'

const at = (code: TaxCode, ratePpm: number): StoreTax => ({ code, ratePpm, on: new Set(TaxCategory.options) })
const ratesOf = (taxes: readonly StoreTax[]) => taxes.map(({ code, ratePpm }) => [code, ratePpm])
const line = (amount: number, taxCategory: TaxCategory = 'standard') => ({ amountCents: cents(amount), taxCategory })
const amounts = (taxed: ReturnType<typeof taxBasket>) =>
  Object.fromEntries(taxed.map(({ code, amountCents }) => [code, amountCents]))

describe("the list of a store's taxes", () => {
  it('has the taxes of the region when the profile defines none', () => {
    expect(ratesOf(taxesOf(undefined, 'QC'))).toEqual([
      ['GST', 50_000],
      ['QST', 99_750],
    ])
  })
  it('has the taxes that the profile defines, exact to a hundredth of a basis point', () => {
    expect(
      ratesOf(
        taxesOf(
          [
            { code: 'GST', percent: 5 },
            { code: 'QST', percent: 9.975 },
          ],
          'ON',
        ),
      ),
    ).toEqual([
      ['GST', 50_000],
      ['QST', 99_750],
    ])
  })
  it('is empty when the profile defines an empty list', () => {
    expect(taxBasket([line(1000)], taxesOf([], 'ON'))).toEqual([])
  })
})

describe('an exempt sale', () => {
  const base = (region: Region, relief: 'all' | 'provincial') =>
    Object.fromEntries(
      taxBasket(
        [line(1000), line(500, 'book'), line(300, 'zero-rated')],
        exempt(taxesOf(undefined, region), relief),
      ).map(({ code, baseCents }) => [code, baseCents]),
    )
  it('has no tax at all, or only the federal tax', () => {
    expect(base('ON', 'all')).toEqual({ HST: 0, 'HST-FEDERAL': 0 })
    expect(base('ON', 'provincial')).toEqual({ HST: 0, 'HST-FEDERAL': 1500 })
    expect(base('QC', 'provincial')).toEqual({ GST: 1500, QST: 0 })
    expect(base('QC', 'all')).toEqual({ GST: 0, QST: 0 })
  })
})

describe('the tax of a basket', () => {
  it('is calculated once on the sum, not line by line', () => {
    // Three lines of 0.10 at 13 %: 0.013 per line would be rounded to 0.01 three times; the tax of the sum is 0.039.
    expect(amounts(taxBasket([line(10), line(10), line(10)], taxesOf(undefined, 'ON')))).toEqual({
      HST: 4,
      'HST-FEDERAL': 0,
    })
  })
  it('rounds half a cent up: 10 % of 0.05', () => {
    expect(taxBasket([line(5)], [at('HST', 100_000)])[0]?.amountCents).toBe(1)
  })
  it('rounds half a cent of a return by magnitude, so that a return refunds the tax of the sale', () => {
    expect(taxBasket([line(-5)], [at('HST', 100_000)])[0]?.amountCents).toBe(-1)
  })
  it('calculates 9.975 % exactly', () => {
    expect(amounts(taxBasket([line(10_000)], taxesOf(undefined, 'QC')))).toEqual({ GST: 500, QST: 998 })
    expect(amounts(taxBasket([line(4_000)], taxesOf(undefined, 'QC')))).toEqual({ GST: 200, QST: 399 })
  })
  it('omits the provincial tax for federal-only items, and every tax for zero-rated items', () => {
    const lines = [line(1000), line(2000, 'federal-only'), line(4000, 'zero-rated')]
    expect(taxBasket(lines, taxesOf(undefined, 'BC'))).toEqual([
      { code: 'GST', amountCents: 150, baseCents: 3000 },
      { code: 'PST', amountCents: 70, baseCents: 1000 },
    ])
    expect(amounts(taxBasket(lines, taxesOf(undefined, 'QC')))).toEqual({ GST: 150, QST: 100 })
    expect(amounts(taxBasket(lines, taxesOf(undefined, 'ON')))).toEqual({ HST: 130, 'HST-FEDERAL': 100 })
  })
  it.each([
    [
      'a book',
      'book',
      {
        BC: ['GST'],
        AB: ['GST'],
        SK: ['GST'],
        MB: ['GST'],
        ON: ['HST-FEDERAL'],
        QC: ['GST'],
        NB: ['HST-FEDERAL'],
        NS: ['HST-FEDERAL'],
        PE: ['HST-FEDERAL'],
        NL: ['HST-FEDERAL'],
        YT: ['GST'],
      },
    ],
    [
      'children’s wear',
      'children-wear',
      {
        BC: ['GST'],
        AB: ['GST'],
        SK: ['GST', 'PST'],
        MB: ['GST'],
        ON: ['HST-FEDERAL'],
        QC: ['GST', 'QST'],
        NB: ['HST'],
        NS: ['HST-FEDERAL'],
        PE: ['HST-FEDERAL'],
        NL: ['HST'],
        YT: ['GST'],
      },
    ],
    [
      'diapers',
      'diapers',
      { ON: ['HST-FEDERAL'], QC: ['GST'], NB: ['HST'], NS: ['HST-FEDERAL'], PE: ['HST'], NL: ['HST'] },
    ],
  ] as const)('has for %s only the taxes that each region charges on it', (_what, category, expected) => {
    for (const [region, codes] of Object.entries(expected))
      expect([region, taxCodesOf({ taxCategory: category }, taxesOf(undefined, Region.parse(region)))]).toEqual([
        region,
        codes,
      ])
  })
  it('is five percent for a book in Ontario, even if the profile defines the HST itself', () => {
    for (const taxes of [taxesOf(undefined, 'ON'), taxesOf([{ code: 'HST', percent: 13 }], 'ON')]) {
      expect(taxBasket([line(1899, 'book'), line(1000)], taxes)).toEqual([
        { code: 'HST', amountCents: 130, baseCents: 1000 },
        { code: 'HST-FEDERAL', amountCents: 95, baseCents: 1899 },
      ])
    }
  })
  it('has the federal tax once and a provincial tax at most once, in every region and category', () => {
    for (const region of Region.options)
      for (const category of TaxCategory.options) {
        const codes = taxCodesOf({ taxCategory: category }, taxesOf(undefined, region))
        const federal = codes.filter((code) => code === 'GST' || code === 'HST' || code === 'HST-FEDERAL')
        const provincial = codes.filter((code) => code === 'HST' || code === 'PST' || code === 'QST')
        expect([region, category, federal.length]).toEqual([region, category, category === 'zero-rated' ? 0 : 1])
        const relieved: readonly TaxCategory[] = PROVINCE_TAKES_NOTHING_ON[region]
        const provinces =
          category === 'federal-only' || category === 'zero-rated' || relieved.includes(category)
            ? 0
            : REGION_TAXES[region].filter(({ code }) => code !== 'GST').length
        expect([region, category, provincial.length]).toEqual([region, category, provinces])
      }
  })
  it('includes the taxes that apply to the category of an item', () => {
    expect(taxCodesOf({ taxCategory: 'standard' }, taxesOf(undefined, 'QC'))).toEqual(['GST', 'QST'])
    expect(taxCodesOf({ taxCategory: 'federal-only' }, taxesOf(undefined, 'QC'))).toEqual(['GST'])
    expect(taxCodesOf({ taxCategory: 'federal-only' }, taxesOf(undefined, 'ON'))).toEqual(['HST-FEDERAL'])
    expect(taxCodesOf({ taxCategory: 'zero-rated' }, taxesOf(undefined, 'QC'))).toEqual([])
  })

  const lines = fc.array(
    fc.record({
      amountCents: fc.integer({ min: -5_000_000, max: 5_000_000 }).map(cents),
      taxCategory: fc.constantFrom(...TaxCategory.options),
    }),
    { maxLength: 40 },
  )
  const region = fc.constantFrom(...Region.options)

  it('is the nearest cent to the exact tax, with halves rounded by magnitude, never negative zero', () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 0, max: 500_000 }), (basket, ratePpm) => {
        for (const { amountCents, baseCents } of taxBasket(basket, [at('PST', ratePpm)])) {
          const exact = BigInt(baseCents) * BigInt(ratePpm)
          const error = BigInt(amountCents) * 1_000_000n - exact
          const magnitudeError = exact < 0n ? -error : error
          expect(magnitudeError > -500_000n && magnitudeError <= 500_000n).toBe(true)
          expect(Object.is(amountCents, -0)).toBe(false)
        }
      }),
    )
  })
  it('is the same amount with the other sign when the same basket is returned', () => {
    fc.assert(
      fc.property(lines, region, (basket, where) => {
        const sold = taxBasket(basket, taxesOf(undefined, where))
        const returned = taxBasket(
          basket.map((entry) => ({ ...entry, amountCents: cents(0 - entry.amountCents) })),
          taxesOf(undefined, where),
        )
        expect(returned.map(({ amountCents }) => 0 - amountCents)).toEqual(sold.map(({ amountCents }) => amountCents))
      }),
    )
  })
  it('does not depend on how lines are split, because it is rounded once on the sum', () => {
    fc.assert(
      fc.property(lines, region, fc.integer({ min: 2, max: 7 }), (basket, where, pieces) => {
        const parts = basket.flatMap((entry) => {
          const piece = Math.trunc(entry.amountCents / pieces)
          return [
            ...Array.from({ length: pieces - 1 }, () => line(piece, entry.taxCategory)),
            line(entry.amountCents - piece * (pieces - 1), entry.taxCategory),
          ]
        })
        const taxes = taxesOf(undefined, where)
        expect(taxBasket(parts, taxes)).toEqual(taxBasket(basket, taxes))
      }),
    )
  })
  it('equals an independent calculation of each tax of the region', () => {
    fc.assert(
      fc.property(lines, region, (basket, where) => {
        const sum = (...categories: TaxCategory[]): bigint =>
          basket
            .filter(({ taxCategory }) => categories.includes(taxCategory))
            .reduce((total, { amountCents }) => total + BigInt(amountCents), 0n)
        const relieved: readonly TaxCategory[] = ['federal-only', ...PROVINCE_TAKES_NOTHING_ON[where]]
        const taxable = TaxCategory.options.filter((category) => category !== 'zero-rated')
        const bases = {
          GST: taxable,
          HST: taxable.filter((category) => !relieved.includes(category)),
          'HST-FEDERAL': relieved,
          PST: taxable.filter((category) => !relieved.includes(category)),
          QST: taxable.filter((category) => !relieved.includes(category)),
        }
        const rates: Record<string, number> = {
          ...Object.fromEntries(REGION_TAXES[where].map((rate) => [rate.code, rateOn(rate, '2026-11-30').ratePpm])),
          'HST-FEDERAL': 50_000,
        }
        const taxed = taxBasket(basket, taxesOf(undefined, where))
        expect(taxed.map(({ code }) => code).filter((code) => code !== 'HST-FEDERAL')).toEqual(
          REGION_TAXES[where].map(({ code }) => code),
        )
        taxed.forEach(({ code, amountCents }) => {
          const exact = sum(...bases[code]) * BigInt(rates[code] ?? 0)
          // Rounds half a cent by magnitude, in decimal digits.
          const magnitude = exact < 0n ? -exact : exact
          const rounded = magnitude / 1_000_000n + (magnitude % 1_000_000n >= 500_000n ? 1n : 0n)
          expect(BigInt(amountCents)).toBe(exact < 0n ? -rounded : rounded)
        })
      }),
    )
  })
  it('does not depend on the order in which the items were rung', () => {
    fc.assert(
      fc.property(lines, region, (basket, where) => {
        expect(taxBasket(basket.toReversed(), taxesOf(undefined, where))).toEqual(
          taxBasket(basket, taxesOf(undefined, where)),
        )
      }),
    )
  })
})
