import type { CouponReach, PaidCoupon } from '../../../contracts/catalog/manufacturer-coupons.ts'
import { type Cents, cents } from '../../../contracts/core/money.ts'
import { isGoods } from '../../catalog/charges.ts'
import { type BasketLine, lineAmount } from './basket.ts'
import { spread } from './discounts.ts'

type CoupledLine = Pick<
  BasketLine,
  'number' | 'sku' | 'departmentId' | 'quantity' | 'unitPriceCents' | 'voided' | 'discount'
>

/** Coupons for items choose their pieces first, then those for a department, then those for any item. */
const WIDTH: Readonly<Record<CouponReach['kind'], number>> = { items: 0, department: 1, all: 2 }

function reaches(reach: CouponReach, line: CoupledLine): boolean {
  switch (reach.kind) {
    case 'items':
      return reach.skus.includes(line.sku)
    case 'department':
      return reach.id === line.departmentId
    case 'all':
      return true
  }
}

/**
 * Returns the price, before tax, of the pieces that each coupon takes: what it can pay at most; zero if the sale lacks
 * its pieces. Each piece takes one coupon. The price is that after promotions, store coupons and discounts. Only goods
 * count: a coupon that paid a deposit would become cash with the empty container.
 */
export function coveredByCoupons(
  lines: readonly CoupledLine[],
  coupons: readonly Pick<PaidCoupon, 'reach' | 'units'>[],
): Cents[] {
  const free = lines
    .filter((line) => !line.voided && isGoods(line))
    .flatMap((line) =>
      spread(
        lineAmount(line),
        Array.from({ length: line.quantity }, () => 1),
      ).map((price, at) => ({ line, price, at })),
    )
    .toSorted((a, b) => b.price - a.price || a.line.number - b.line.number || a.at - b.at)
  const covered = coupons.map(() => cents(0))
  const narrowFirst = coupons
    .map(({ reach, units }, at) => ({ reach, units, at }))
    .toSorted((a, b) => WIDTH[a.reach.kind] - WIDTH[b.reach.kind] || a.at - b.at)
  for (const { reach, units, at } of narrowFirst) {
    const taken = free.filter(({ line }) => reaches(reach, line)).slice(0, units)
    if (taken.length < units) continue
    covered[at] = cents(taken.reduce((sum, { price }) => sum + price, 0))
    for (const piece of taken) free.splice(free.indexOf(piece), 1)
  }
  return covered
}
