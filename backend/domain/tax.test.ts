import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cents } from '../../contracts/money.ts'
import { REGION_TAXES, Region, TaxCategory } from '../../contracts/regions.ts'
import { taxBasket, taxCodesOf, taxesOf } from './tax.ts'

const line = (amount: number, taxCategory: TaxCategory = 'standard') => ({ amountCents: cents(amount), taxCategory })
const amounts = (taxed: ReturnType<typeof taxBasket>) => Object.fromEntries(taxed.map(({ code, amountCents }) => [code, amountCents]))

describe('the taxes of a store', () => {
  it('are those of its region when the profile states none', () => {
    expect(taxesOf(undefined, 'QC')).toEqual([{ code: 'GST', ratePpm: 50_000 }, { code: 'QST', ratePpm: 99_750 }])
  })
  it('are those of the profile when it states any, exact to a hundredth of a basis point', () => {
    expect(taxesOf([{ code: 'GST', percent: 5 }, { code: 'QST', percent: 9.975 }], 'ON')).toEqual([{ code: 'GST', ratePpm: 50_000 }, { code: 'QST', ratePpm: 99_750 }])
  })
  it('are none when the profile says so', () => {
    expect(taxBasket([line(1000)], taxesOf([], 'ON'))).toEqual([])
  })
})

describe('tax of a basket', () => {
  it('is taken once on the sum, not line by line', () => {
    // Three lines of 0.10 at 13 %: 0.013 each would round to 0.01 three times; the sum's tax is 0.039.
    expect(amounts(taxBasket([line(10), line(10), line(10)], REGION_TAXES.ON))).toEqual({ HST: 4 })
  })
  it('rounds a half up: 10 % of 0.05', () => {
    expect(taxBasket([line(5)], [{ code: 'HST', ratePpm: 100_000 }])[0]?.amountCents).toBe(1)
  })
  it('rounds the half of a return on its magnitude, so that a return gives back what was taken', () => {
    expect(taxBasket([line(-5)], [{ code: 'HST', ratePpm: 100_000 }])[0]?.amountCents).toBe(-1)
  })
  it('knows 9.975 % exactly', () => {
    expect(amounts(taxBasket([line(10_000)], REGION_TAXES.QC))).toEqual({ GST: 500, QST: 998 })
    expect(amounts(taxBasket([line(4_000)], REGION_TAXES.QC))).toEqual({ GST: 200, QST: 399 })
  })
  it('leaves the provincial tax off what is taxed federally only, and every tax off what is zero-rated', () => {
    const lines = [line(1000), line(2000, 'federal-only'), line(4000, 'zero-rated')]
    expect(taxBasket(lines, REGION_TAXES.BC)).toEqual([
      { code: 'GST', amountCents: 150, baseCents: 3000 },
      { code: 'PST', amountCents: 70, baseCents: 1000 },
    ])
    expect(amounts(taxBasket(lines, REGION_TAXES.QC))).toEqual({ GST: 150, QST: 100 })
    expect(amounts(taxBasket(lines, REGION_TAXES.ON))).toEqual({ HST: 390 })
  })
  it('names the codes that a category attracts', () => {
    expect(taxCodesOf('standard', REGION_TAXES.QC)).toEqual(['GST', 'QST'])
    expect(taxCodesOf('federal-only', REGION_TAXES.QC)).toEqual(['GST'])
    expect(taxCodesOf('federal-only', REGION_TAXES.ON)).toEqual(['HST'])
    expect(taxCodesOf('zero-rated', REGION_TAXES.QC)).toEqual([])
  })

  const lines = fc.array(fc.record({ amountCents: fc.integer({ min: -5_000_000, max: 5_000_000 }).map(cents), taxCategory: fc.constantFrom(...TaxCategory.options) }), { maxLength: 40 })
  const region = fc.constantFrom(...Region.options)

  it('is the nearest cent to the exact tax, halves away from zero, never negative zero', () => {
    fc.assert(fc.property(lines, fc.integer({ min: 0, max: 500_000 }), (basket, ratePpm) => {
      for (const { amountCents, baseCents } of taxBasket(basket, [{ code: 'PST', ratePpm }])) {
        const exact = BigInt(baseCents) * BigInt(ratePpm)
        const error = BigInt(amountCents) * 1_000_000n - exact
        const magnitudeError = exact < 0n ? -error : error
        expect(magnitudeError > -500_000n && magnitudeError <= 500_000n).toBe(true)
        expect(Object.is(amountCents, -0)).toBe(false)
      }
    }))
  })
  it('of a returned basket is the opposite of that of the basket', () => {
    fc.assert(fc.property(lines, region, (basket, where) => {
      const sold = taxBasket(basket, REGION_TAXES[where])
      const returned = taxBasket(basket.map((entry) => ({ ...entry, amountCents: cents(0 - entry.amountCents) })), REGION_TAXES[where])
      expect(returned.map(({ amountCents }) => 0 - amountCents)).toEqual(sold.map(({ amountCents }) => amountCents))
    }))
  })
  it('is rounded once, on the sum: a basket rung in many parts is taxed like the whole, in every region', () => {
    fc.assert(fc.property(lines, region, fc.integer({ min: 2, max: 7 }), (basket, where, pieces) => {
      const parts = basket.flatMap((entry) => {
        const piece = Math.trunc(entry.amountCents / pieces)
        return [...Array.from({ length: pieces - 1 }, () => line(piece, entry.taxCategory)), line(entry.amountCents - piece * (pieces - 1), entry.taxCategory)]
      })
      expect(taxBasket(parts, REGION_TAXES[where])).toEqual(taxBasket(basket, REGION_TAXES[where]))
    }))
  })
  it('is each tax of the region on what attracts it, by a sum made by hand', () => {
    const federal = new Set(['GST', 'HST'])
    fc.assert(fc.property(lines, region, (basket, where) => {
      const sum = (...categories: TaxCategory[]): bigint => basket.filter(({ taxCategory }) => categories.includes(taxCategory)).reduce((total, { amountCents }) => total + BigInt(amountCents), 0n)
      const taxed = taxBasket(basket, REGION_TAXES[where])
      expect(taxed.map(({ code }) => code)).toEqual(REGION_TAXES[where].map(({ code }) => code))
      taxed.forEach(({ code, amountCents }, index) => {
        const base = federal.has(code) ? sum('standard', 'federal-only') : sum('standard')
        const exact = base * BigInt(REGION_TAXES[where][index]?.ratePpm ?? 0)
        // Half away from zero, in decimal digits.
        const magnitude = exact < 0n ? -exact : exact
        const rounded = magnitude / 1_000_000n + (magnitude % 1_000_000n >= 500_000n ? 1n : 0n)
        expect(BigInt(amountCents)).toBe(exact < 0n ? -rounded : rounded)
      })
    }))
  })
  it('does not depend on the order of ringing', () => {
    fc.assert(fc.property(lines, region, (basket, where) => {
      expect(taxBasket(basket.toReversed(), REGION_TAXES[where])).toEqual(taxBasket(basket, REGION_TAXES[where]))
    }))
  })
})
