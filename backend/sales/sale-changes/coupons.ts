import type { CouponBook } from '../../catalog/coupon-book.ts'
import type { DiscountScope } from '../../../contracts/sales/sale-changes.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { Coupon } from '../../../contracts/sales/sale-rules.ts'
import { ProblemError } from '../../core/problem.ts'
import type { NewDiscount } from '../sale/sale-rows.sql.ts'
import { dayAt } from '../../core/zone.ts'
import { salesOf, completeIfPaidOf } from '../sales.ts'
import { saleRowsOf } from '../sale/sales.sql.ts'
import { type Ctx, perLane, provided } from '../../core/context.ts'

export type CouponTaking = ReturnType<typeof couponTakingOf>

/** Applies coupons to the open sale: each coupon once, on its valid days, and only where it applies. */
export const couponTakingOf = perLane((ctx: Ctx) => {
  const { transact, clock } = ctx
  const coupons = { find: couponFinderOf(ctx) }
  const { timeZone } = ctx.profile
  const sales = salesOf(ctx)
  const repository = saleRowsOf(ctx)
  const completeIfPaid = completeIfPaidOf(ctx)
  /**
   * Returns the coupon with this code if it is valid today. Throws ProblemError `coupon-unknown`, `coupon-not-yet` or
   * `coupon-expired`.
   */
  function validToday(code: string): Coupon {
    const coupon = coupons.find(code)
    if (!coupon) throw new ProblemError('coupon-unknown')
    const today = dayAt(clock.now(), timeZone)
    if (coupon.from !== undefined && today < coupon.from) throw new ProblemError('coupon-not-yet')
    if (coupon.until !== undefined && today > coupon.until) throw new ProblemError('coupon-expired')
    return coupon
  }

  function take(code: string): Sale {
    const coupon = validToday(code)
    const id = sales.currentId()
    if (id === null) throw new ProblemError('sale-empty')
    // Complete a paid sale in the same commit: a crash in between would leave it open.
    return transact((tx) => {
      const now = sales.parts(id)
      sales.refuseDuringPayment(now)
      // As every other change of the sale: without a payment, the current promotions of the store apply again.
      sales.releasePrices(tx, now)
      if (now.discounts.some((discount) => discount.coupon?.code === coupon.code)) throw new ProblemError('coupon-used')
      const number = repository.discounts.insert(tx, id, grantedBy(coupon))
      if (!sales.view(id).discounts.some((discount) => discount.number === number && discount.applies))
        throw new ProblemError('coupon-not-applicable')
      sales.refuseBelowTendered(id)
      sales.changedBy(tx, id, { kind: 'discount', before: { of: 'discount', number, removed: true } })
      const sale = sales.publish(id, 'command')
      return completeIfPaid(sale.id, sale)
    })
  }

  return {
    take,
    has: (code: string): boolean => coupons.find(code) !== undefined,
    grantOf(code: string): NewDiscount | undefined {
      try {
        return grantedBy(validToday(code))
      } catch (error) {
        if (error instanceof ProblemError) return undefined
        throw error
      }
    },
    /** Applies a scanned code if it is the code of a coupon. Returns whether it is. Throws like `take`. */
    takeScanned(code: string): boolean {
      if (coupons.find(code) === undefined) return false
      take(code)
      return true
    },
  }
})

const inCents = (dollars: number) => cents(Math.round(dollars * 100))

function grantedBy(coupon: Coupon): NewDiscount {
  const reach: DiscountScope =
    coupon.sku !== undefined
      ? { kind: 'item', sku: coupon.sku }
      : coupon.department !== undefined
        ? { kind: 'department', departmentId: coupon.department }
        : { kind: 'sale' }
  return {
    reach,
    off:
      coupon.percent !== undefined
        ? { kind: 'percent', ppm: Math.round(coupon.percent * 10_000) }
        : coupon.dollars !== undefined
          ? { kind: 'amount', cents: inCents(coupon.dollars) }
          : null,
    minimumCents: inCents(coupon.minimumDollars ?? 0),
    reason: null,
    coupon: { code: coupon.code, name: coupon.name },
    approvedBy: null,
  }
}

/**
 * Shows a scanned manufacturer's coupon, to pay with it; returns false for another code. Provided in
 * backend/checkout.ts, because these coupons are in `payments`.
 */
export const couponPresenterOf = provided<(code: string) => boolean>('manufacturers’ coupons')

/**
 * Finds a coupon by its code: one of the store, else one of an offer. Provided in backend/checkout.ts, because offers
 * are in `loyalty`.
 */
export const couponFinderOf = provided<CouponBook['find']>('the coupons')
