import type { CouponList, SaveCoupon } from '../../contracts/catalog/catalog.ts'
import { Coupon } from '../../contracts/sales/sale-rules.ts'
import { CouponChange } from '../../contracts/store/changes.ts'
import { perLane, type Ctx } from '../core/context.ts'
import { createStoreBook } from './store-book.ts'

export type CouponBook = ReturnType<typeof couponBookOf>

/** Coupons that the store accepts. A sale stores its own copy of a coupon. */
export const couponBookOf = perLane((ctx: Ctx) => {
  const book = createStoreBook(ctx, {
    kind: 'coupon',
    profile: ctx.profile.coupons,
    entry: Coupon,
    change: CouponChange,
    nameOf: ({ code }) => code,
    keyOf: (code) => code.trim().toUpperCase(),
    problems: { used: 'coupon-code-used', unknown: 'coupon-unknown' },
  })
  const list = (): CouponList => ({ coupons: book.list().map(({ entry, from }) => ({ coupon: entry, from })) })
  return {
    /** Finds a coupon by its code, case-insensitively. */
    find: book.find,
    list,
    all: book.all,
    keyOf: book.keyOf,
    saveAll: book.saveAll,
    /** Adds or changes a coupon. Throws `coupon-code-used`, `coupon-unknown` and `changed-meanwhile`. */
    save({ how, coupon, seen }: SaveCoupon, staffId: string): CouponList {
      book.save(how, coupon, seen, staffId)
      return list()
    },
    /** Removes a coupon. Throws `coupon-unknown`. */
    remove(code: string, staffId: string): CouponList {
      book.remove(code, staffId)
      return list()
    },
  }
})
