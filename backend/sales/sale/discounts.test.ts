import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GIFT_CARD_SKU } from '../../../contracts/catalog/goods.ts'
import type { DiscountScope, DiscountAmount } from '../../../contracts/sales/sale-changes.ts'
import { cents } from '../../../contracts/core/money.ts'
import {
  needsSupervisor,
  reachedBy,
  shareDiscounts,
  spread,
  type DiscountableLine,
  type GrantedDiscount,
} from './discounts.ts'

const line = (number: number, unitPriceCents: number, more: Partial<DiscountableLine> = {}): DiscountableLine => ({
  number,
  sku: `K${number}`,
  departmentId: 'd',
  quantity: 1,
  unitPriceCents: cents(unitPriceCents),
  regularPriceCents: null,
  voided: false,
  ...more,
})
const SALE: DiscountScope = { kind: 'sale' }
const percent = (share: number): DiscountAmount => ({ kind: 'percent', ppm: share * 10_000 })
const amount = (value: number): DiscountAmount => ({ kind: 'amount', cents: cents(value) })
const discount = (
  number: number,
  off: DiscountAmount,
  reach: DiscountScope = SALE,
  more: Partial<GrantedDiscount> = {},
): GrantedDiscount => ({ number, reach, off, minimumCents: cents(0), source: 'cashier', ...more })
const taken = (lines: readonly DiscountableLine[], ...discounts: GrantedDiscount[]) =>
  shareDiscounts(lines, discounts).map((share) => [share.discount, share.line, share.amountCents])

describe('the amount of a discount', () => {
  test('excludes gift cards for any scope, because a gift card is worth its price', () => {
    const card = line(2, 5000, { sku: GIFT_CARD_SKU })
    for (const reach of [
      SALE,
      { kind: 'line', number: 2 },
      { kind: 'item', sku: GIFT_CARD_SKU },
      { kind: 'department', departmentId: 'd' },
    ] satisfies DiscountScope[]) {
      expect(
        taken([line(1, 1000), card], discount(1, amount(500), reach)).filter(([, number]) => number === 2),
      ).toEqual([])
    }
  })

  test('rounds a percentage of a line half up', () => {
    expect(taken([line(1, 333, { quantity: 3 })], discount(1, percent(10), { kind: 'line', number: 1 }))).toEqual([
      [1, 1, 100],
    ])
    expect(taken([line(1, 5)], discount(1, percent(10), { kind: 'line', number: 1 }))).toEqual([[1, 1, 1]])
  })
  test('does not depend, for equal goods, on the order of lines, or on how pieces are divided into lines', () => {
    const [apple, bread] = [{ sku: 'apple' }, { sku: 'bread' }]
    const byGoods = (lines: readonly DiscountableLine[]) => {
      const sums: Record<string, number> = {}
      for (const share of shareDiscounts(lines, [discount(1, amount(2))])) {
        const { sku = '' } = lines.find(({ number }) => number === share.line) ?? {}
        sums[sku] = (sums[sku] ?? 0) + share.amountCents
      }
      return sums
    }
    const expected = { apple: 1, bread: 1 }
    expect(byGoods([line(1, 100, { ...apple, quantity: 2 }), line(2, 100, bread)])).toEqual(expected)
    expect(byGoods([line(1, 100, apple), line(2, 100, apple), line(3, 100, bread)])).toEqual(expected)
    expect(byGoods([line(1, 100, bread), line(2, 100, apple), line(3, 100, apple)])).toEqual(expected)
  })
  test('is still spread in the order of lines for a discount from an earlier release', () => {
    const lines = [line(1, 100, { sku: 'bread' }), line(2, 100, { sku: 'apple' }), line(3, 100, { sku: 'apple' })]
    expect(taken(lines, discount(1, amount(2)))).toEqual([
      [1, 1, 1],
      [1, 2, 1],
    ])
    expect(taken(lines, discount(1, amount(1)))).toEqual([[1, 2, 1]])
    expect(taken(lines, { ...discount(1, amount(1)), byLines: true })).toEqual([[1, 1, 1]])
  })
  test('is spread over the lines to the cent for a discount on the sale', () => {
    expect(taken([line(1, 1000), line(2, 1000), line(3, 1000)], discount(1, amount(1000)))).toEqual([
      [1, 1, 334],
      [1, 2, 333],
      [1, 3, 333],
    ])
  })
  test('is at most the price, and zero for void or free lines', () => {
    expect(taken([line(1, 300), line(2, 900, { voided: true }), line(3, 0)], discount(1, amount(5000)))).toEqual([
      [1, 1, 300],
    ])
    expect(taken([], discount(1, amount(500)))).toEqual([])
  })
  test('is calculated after the lines’ own discounts if it is on the sale, also if those were given later', () => {
    const lines = [line(1, 1000), line(2, 1000)]
    const own = (number: number): GrantedDiscount => discount(number, percent(50), { kind: 'line', number: 1 })
    expect(taken(lines, discount(1, percent(10)), own(2))).toEqual([
      [2, 1, 500],
      [1, 1, 50],
      [1, 2, 100],
    ])
    expect(taken(lines, own(1), discount(2, percent(10)))).toEqual([
      [1, 1, 500],
      [2, 1, 50],
      [2, 2, 100],
    ])
  })
  test('covers only the lines of its item or department, and is zero below its minimum', () => {
    const lines = [line(1, 1000, { departmentId: 'dairy' }), line(2, 500, { sku: 'K1' }), line(3, 400)]
    expect(taken(lines, discount(1, percent(10), { kind: 'item', sku: 'K1' }))).toEqual([
      [1, 1, 100],
      [1, 2, 50],
    ])
    expect(taken(lines, discount(1, percent(10), { kind: 'department', departmentId: 'dairy' }))).toEqual([[1, 1, 100]])
    expect(
      taken(
        lines,
        discount(1, amount(100), { kind: 'department', departmentId: 'dairy' }, { minimumCents: cents(1001) }),
      ),
    ).toEqual([])
    expect(
      taken(
        lines,
        discount(1, amount(100), { kind: 'department', departmentId: 'dairy' }, { minimumCents: cents(1000) }),
      ),
    ).toEqual([[1, 1, 100]])
  })
})

test('a coupon that gives only miles covers its lines from its minimum amount, and deducts nothing', () => {
  const miles = discount(
    1,
    percent(1),
    { kind: 'item', sku: 'K1' },
    { off: null, source: 'coupon', minimumCents: cents(500) },
  )
  expect(taken([line(1, 500)], miles)).toEqual([])
  expect([[line(1, 500)], [line(1, 499)], [line(2, 500)]].map((lines) => reachedBy(miles, lines).length)).toEqual([
    1, 0, 0,
  ])
})

const anyLine = fc.record({
  quantity: fc.integer({ min: 1, max: 999 }),
  price: fc.integer({ min: 0, max: 10_000_000 }),
  sku: fc.constantFrom('A', 'B'),
  department: fc.constantFrom('x', 'y'),
  voided: fc.boolean(),
})
const anyLines = fc
  .array(anyLine, { maxLength: 8 })
  .map((lines) =>
    lines.map(({ quantity, price, sku, department, voided }, index) =>
      line(index + 1, price, { quantity, sku, departmentId: department, voided }),
    ),
  )
const anyOff: fc.Arbitrary<DiscountAmount> = fc.oneof(
  fc.integer({ min: 1, max: 10_000_000 }).map(amount),
  fc.integer({ min: 1, max: 1_000_000 }).map((ppm) => ({ kind: 'percent' as const, ppm })),
)
const anyReach: fc.Arbitrary<DiscountScope> = fc.oneof(
  fc.constant(SALE),
  fc.integer({ min: 1, max: 8 }).map((number) => ({ kind: 'line' as const, number })),
  fc.constantFrom('A', 'B').map((sku) => ({ kind: 'item' as const, sku })),
  fc.constantFrom('x', 'y').map((departmentId) => ({ kind: 'department' as const, departmentId })),
)
const anyDiscounts = fc
  .array(fc.tuple(anyOff, anyReach, fc.integer({ min: 0, max: 1_000_000 })), { maxLength: 5 })
  .map((discounts) =>
    discounts.map(([off, reach, minimum], index) => discount(index + 1, off, reach, { minimumCents: cents(minimum) })),
  )

test('for any lines and discounts, no line falls below zero and no discount exceeds its amount', () => {
  fc.assert(
    fc.property(anyLines, anyDiscounts, (lines, discounts) => {
      const shares = shareDiscounts(lines, discounts)
      for (const { number, quantity, unitPriceCents, voided } of lines) {
        const off = shares
          .filter((share) => share.line === number)
          .reduce((sum, { amountCents }) => sum + amountCents, 0)
        expect(off).toBeLessThanOrEqual(voided ? 0 : quantity * unitPriceCents)
      }
      for (const { number, off } of discounts) {
        const given = shares
          .filter((share) => share.discount === number)
          .reduce((sum, { amountCents }) => sum + amountCents, 0)
        expect(given).toBeLessThanOrEqual(off?.kind === 'amount' ? off.cents : Number.MAX_SAFE_INTEGER)
      }
      expect(shares.every(({ amountCents }) => amountCents > 0)).toBe(true)
      expect(shareDiscounts(lines, discounts.toReversed())).toEqual(shares)
    }),
    { numRuns: 500 },
  )
})

test('an amount spread over weights adds up to the cent and follows the weights within one cent', () => {
  const weights = fc.array(fc.integer({ min: 0, max: 9_990_000_000 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(weights, fc.double({ min: 0, max: 1, noNaN: true }), (parts, share) => {
      const sum = parts.reduce((total, part) => total + part, 0)
      const whole = Math.floor(sum * share)
      const given = spread(whole, parts)
      expect(given.reduce((total, part) => total + part, 0)).toBe(whole)
      for (const [index, part] of parts.entries()) {
        expect(given[index]).toBeLessThanOrEqual(part)
        const exact = sum === 0 ? 0n : (BigInt(whole) * BigInt(part)) / BigInt(sum)
        expect([exact, exact + 1n]).toContain(BigInt(given[index] ?? -1))
      }
    }),
    { numRuns: 500 },
  )
})

describe('approval of discounts', () => {
  const TEN = 100_000
  const lines = [line(1, 1000), line(2, 1000)]
  const own = (number: number, off: DiscountAmount): GrantedDiscount =>
    discount(number, off, { kind: 'line', number: 1 })
  test('is required above the limit, but not exactly at the limit', () => {
    expect(needsSupervisor(TEN, { lines, discounts: [] }, { lines, discounts: [own(1, percent(10))] })).toBe(false)
    expect(needsSupervisor(TEN, { lines, discounts: [] }, { lines, discounts: [own(1, amount(101))] })).toBe(true)
  })
  test('is required for discounts on a line and on the sale that exceed the limit only together', () => {
    const before = [own(1, percent(10))]
    expect(
      needsSupervisor(TEN, { lines, discounts: before }, { lines, discounts: [...before, discount(2, percent(1))] }),
    ).toBe(true)
  })
  test('is required for an amount that exceeds the limit after pieces are removed', () => {
    const discounts = [own(1, amount(100))]
    const twenty = [line(1, 1000, { quantity: 20 })]
    expect(
      needsSupervisor(TEN, { lines: twenty, discounts }, { lines: [line(1, 1000, { quantity: 1 })], discounts }),
    ).toBe(false)
    expect(
      needsSupervisor(
        TEN,
        { lines: twenty, discounts: [own(1, amount(500))] },
        { lines: [line(1, 1000, { quantity: 1 })], discounts: [own(1, amount(500))] },
      ),
    ).toBe(true)
  })
  test('is not required again for approved discounts, for a coupon, or for a price increase', () => {
    const approved = [own(1, percent(50))]
    expect(
      needsSupervisor(TEN, { lines, discounts: approved }, { lines: [...lines, line(3, 500)], discounts: approved }),
    ).toBe(false)
    expect(
      needsSupervisor(
        TEN,
        { lines, discounts: [] },
        { lines, discounts: [discount(1, percent(50), SALE, { source: 'coupon' })] },
      ),
    ).toBe(false)
    expect(
      needsSupervisor(
        TEN,
        { lines, discounts: [] },
        { lines: [line(1, 2000, { regularPriceCents: cents(1000) }), line(2, 1000)], discounts: [] },
      ),
    ).toBe(false)
  })
  test('is required again for more pieces or a higher price after an approval', () => {
    const half = [own(1, percent(50))]
    expect(
      needsSupervisor(
        TEN,
        { lines, discounts: half },
        { lines: [line(1, 1000, { quantity: 2 }), line(2, 1000)], discounts: half },
      ),
    ).toBe(true)
    expect(
      needsSupervisor(TEN, { lines, discounts: half }, { lines: [line(1, 2000), line(2, 1000)], discounts: half }),
    ).toBe(true)
    const ofSale = [discount(1, percent(50))]
    expect(
      needsSupervisor(TEN, { lines, discounts: ofSale }, { lines: [...lines, line(3, 500)], discounts: ofSale }),
    ).toBe(true)
    expect(needsSupervisor(TEN, { lines, discounts: ofSale }, { lines: [line(1, 1000)], discounts: ofSale })).toBe(
      false,
    )
  })
  test('is not required when an item is added under an amount off the sale, but is when one is removed', () => {
    const ofSale = [discount(1, amount(800))]
    expect(
      needsSupervisor(TEN, { lines, discounts: ofSale }, { lines: [...lines, line(3, 1000)], discounts: ofSale }),
    ).toBe(false)
    expect(
      needsSupervisor(TEN, { lines: [...lines, line(3, 1000)], discounts: ofSale }, { lines, discounts: ofSale }),
      'but it weighs more on fewer',
    ).toBe(true)
  })
  test('is required for a lower price as well as for a discount', () => {
    expect(
      needsSupervisor(
        TEN,
        { lines, discounts: [] },
        { lines: [line(1, 800, { regularPriceCents: cents(1000) })], discounts: [] },
      ),
    ).toBe(true)
  })
})
