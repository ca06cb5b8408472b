import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CHARGE_SKUS, EMPTIES_SKU, GIFT_CARD_SKU } from '../../../contracts/catalog/goods.ts'
import type { CouponReach } from '../../../contracts/catalog/manufacturer-coupons.ts'
import { cents } from '../../../contracts/core/money.ts'
import { lineAmount } from './basket.ts'
import { coveredByCoupons } from './paid-coupons.ts'

const line = (number: number, sku: string, quantity: number, unit: number, off = 0) => ({
  number,
  sku,
  departmentId: sku < 'C' ? 'grocery' : 'household',
  quantity,
  unitPriceCents: cents(unit),
  voided: false,
  discount: { cents: cents(off), pieces: quantity },
})
const ofItem = (...skus: string[]): CouponReach => ({ kind: 'items', skus })
const ofDepartment: CouponReach = { kind: 'department', id: 'grocery' }

describe('manufacturers’ coupons of a basket', () => {
  test('cover the most expensive uncovered pieces of their items, each piece once', () => {
    const lines = [line(1, 'A', 2, 500), line(2, 'B', 1, 900)]
    const coupons = [
      { reach: ofItem('A', 'B'), units: 1 },
      { reach: ofItem('A'), units: 2 },
      { reach: ofItem('A'), units: 1 },
    ]
    expect(coveredByCoupons(lines, coupons)).toEqual([900, 1_000, 0])
  })
  test('are assigned to pieces in this order: those for one item, then those for its department', () => {
    const coupons = [
      { reach: ofDepartment, units: 1 },
      { reach: ofItem('B'), units: 1 },
    ]
    expect(coveredByCoupons([line(1, 'A', 1, 500), line(2, 'B', 1, 900)], coupons)).toEqual([500, 900])
  })
  test('count the price after discounts, and no void lines', () => {
    const lines = [line(1, 'A', 3, 500, 500), { ...line(2, 'A', 1, 900), voided: true }]
    expect(coveredByCoupons(lines, [{ reach: ofItem('A'), units: 3 }])).toEqual([1_000])
    expect(coveredByCoupons(lines, [{ reach: ofItem('A'), units: 4 }])).toEqual([0])
  })
  test('count and pay for goods only: no deposit, fee, empty container or gift card', () => {
    const others = [CHARGE_SKUS.deposit, CHARGE_SKUS.fee, EMPTIES_SKU, GIFT_CARD_SKU].map((sku, at) =>
      line(at + 2, sku, 1, sku === EMPTIES_SKU ? -5_000 : 5_000),
    )
    const lines = [line(1, 'A', 1, 500), ...others]
    expect(coveredByCoupons(lines, [{ reach: { kind: 'all' }, units: 1 }])).toEqual([500])
    expect(coveredByCoupons(lines, [{ reach: { kind: 'all' }, units: 2 }])).toEqual([0])
  })
  test('never cover more than the lines cost', () => {
    const anyLine = fc.record({
      sku: fc.constantFrom('A', 'B', 'C', 'D'),
      quantity: fc.integer({ min: 1, max: 5 }),
      unit: fc.integer({ min: 0, max: 2_000 }),
    })
    const anyCoupon = fc.record({
      reach: fc.oneof(
        fc.constantFrom<CouponReach>({ kind: 'all' }, ofDepartment),
        fc.subarray(['A', 'B', 'C', 'D'], { minLength: 1 }).map((skus) => ofItem(...skus)),
      ),
      units: fc.integer({ min: 1, max: 3 }),
    })
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 6 }), fc.array(anyCoupon, { maxLength: 5 }), (basket, coupons) => {
        const lines = basket.map(({ sku, quantity, unit }, at) => line(at + 1, sku, quantity, unit))
        const covered = coveredByCoupons(lines, coupons)
        expect(covered.every((price) => price >= 0)).toBe(true)
        expect(covered.reduce((sum, price) => sum + price, 0)).toBeLessThanOrEqual(
          lines.reduce((sum, one) => sum + lineAmount(one), 0),
        )
      }),
    )
  })
})
