import { z } from 'zod'
import { expected } from '../core/expected.ts'
import { eachLocale, Names } from '../core/locales.ts'
import { Cents } from '../core/money.ts'
import { freeText, scannedText } from '../core/text.ts'
import { Day, Dollars } from '../sales/sale-rules.ts'
import { readCouponCode } from './coupon-codes.ts'

/**
 * A coupon of a manufacturer, who pays the store its value. The coupon pays a portion of the sale, which is taxed on
 * the full price: Excise Tax Act (R.S.C. 1985, c. E-15) s. 181(2)(a); Act respecting the Québec sales tax (CQLR c.
 * T-0.1) s. 350.2(1). A coupon whose value the store itself bears is a `Coupon`, which lowers the price.
 */
export const ManufacturerCoupon = z.strictObject({
  code: z
    .string()
    .regex(/^[!-~]{3,80}$/, expected('couponCode'))
    .describe('Its barcode or number; not case-sensitive'),
  name: eachLocale(z.string().min(1).max(60)),
  dollars: Dollars.optional().describe('Value. Left out: the value of its barcode, or typed by the cashier'),
  sku: z.string().min(1).max(40).optional(),
  department: z.string().min(1).optional(),
  units: z.int().min(1).max(99).default(1).describe('Pieces that the customer must buy for one coupon'),
  from: Day.optional().describe('First day, store time'),
  until: Day.optional().describe('Last day, store time'),
})
export type ManufacturerCoupon = z.infer<typeof ManufacturerCoupon>

/**
 * Key by which a coupon is found: for AI 8110 company prefix and offer code, else the number or the code in capitals.
 */
export const couponKey = (code: string): string => readCouponCode(code)?.key ?? code.trim().toUpperCase()

/** GET /api/catalog/manufacturer-coupons */
export const ManufacturerCouponList = z.object({
  coupons: z.array(z.object({ coupon: ManufacturerCoupon, from: z.enum(['lane', 'profile']) })),
})
export type ManufacturerCouponList = z.infer<typeof ManufacturerCouponList>

/** POST /api/catalog/manufacturer-coupons: adds a coupon, or replaces the one with its code. */
export const SaveManufacturerCoupon = z.object({
  how: z.enum(['add', 'change']),
  coupon: ManufacturerCoupon.extend({
    code: freeText({ max: 80 }).regex(/^[!-~]{3,80}$/),
    sku: freeText({ max: 40 }).optional(),
    department: freeText({ max: 80 }).optional(),
    name: eachLocale(freeText({ max: 60 })),
  }),
  seen: ManufacturerCoupon.optional().describe('The coupon as the form showed it'),
})
export type SaveManufacturerCoupon = z.infer<typeof SaveManufacturerCoupon>

/** POST /api/catalog/manufacturer-coupons/remove */
export const RemoveManufacturerCoupon = z.object({ code: freeText({ max: 80 }).regex(/^\S{3,80}$/) })

/**
 * Lines of a sale to which a coupon applies. `items`: the item that the store's list names, or those with the company
 * prefix of the coupon's barcode.
 */
export const CouponReach = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('items'), skus: z.array(z.string()).min(1) }),
  z.object({ kind: z.literal('department'), id: z.string() }),
  z.object({ kind: z.literal('all') }),
])
export type CouponReach = z.infer<typeof CouponReach>

/** A coupon that paid, as its payment stores it. */
export const PaidCoupon = z.object({
  name: Names.nullable().describe('null: not in the list of the store'),
  reach: CouponReach,
  units: z.int().min(1),
  faceCents: Cents.describe('its value; the payment is less if the items cost less'),
})
export type PaidCoupon = z.infer<typeof PaidCoupon>

/** POST /api/manufacturer-coupons/present: what a scanned or typed coupon is, and what it pays now. */
export const PresentCoupon = z.object({ code: scannedText({ min: 3, max: 80 }).trim() })
export const PresentedCoupon = z.object({
  code: z.string(),
  name: Names.nullable(),
  faceCents: Cents.nullable().describe('null: the cashier types the value'),
  mostCents: Cents.describe('price of the items that it can pay, at most the amount due'),
})
export type PresentedCoupon = z.infer<typeof PresentedCoupon>
