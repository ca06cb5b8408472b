import {
  ManufacturerCoupon,
  type ManufacturerCouponList,
  type SaveManufacturerCoupon,
  couponKey,
} from '../../contracts/catalog/manufacturer-coupons.ts'
import { ManufacturerCouponChange } from '../../contracts/store/changes.ts'
import { perLane, type Ctx } from '../core/context.ts'
import { createStoreBook } from './store-book.ts'

/** Manufacturers' coupons that the store knows. A payment stores its own copy of a coupon. */
export const manufacturerCouponBookOf = perLane((ctx: Ctx) => {
  const book = createStoreBook(ctx, {
    kind: 'manufacturer-coupon',
    profile: ctx.profile.manufacturerCoupons,
    entry: ManufacturerCoupon,
    change: ManufacturerCouponChange,
    nameOf: ({ code }) => code,
    keyOf: couponKey,
    problems: { used: 'coupon-code-used', unknown: 'coupon-unknown' },
  })
  const list = (): ManufacturerCouponList => ({
    coupons: book.list().map(({ entry, from }) => ({ coupon: entry, from })),
  })
  return {
    /** Finds a coupon by its code as scanned or typed. */
    find: book.find,
    list,
    all: book.all,
    keyOf: book.keyOf,
    saveAll: book.saveAll,
    /** Throws `coupon-code-used`, `coupon-unknown` and `changed-meanwhile`. */
    save({ how, coupon, seen }: SaveManufacturerCoupon, staffId: string): ManufacturerCouponList {
      book.save(how, coupon, seen, staffId)
      return list()
    },
    /** Throws `coupon-unknown`. */
    remove(code: string, staffId: string): ManufacturerCouponList {
      book.remove(code, staffId)
      return list()
    },
  }
})
