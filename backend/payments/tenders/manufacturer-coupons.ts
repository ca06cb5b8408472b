import type { CouponReach, PaidCoupon, PresentedCoupon } from '../../../contracts/catalog/manufacturer-coupons.ts'
import { type CouponCode, readCouponCode } from '../../../contracts/catalog/coupon-codes.ts'
import { type Cents, cents } from '../../../contracts/core/money.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { manufacturerCouponBookOf } from '../../catalog/manufacturer-coupon-book.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { ProblemError } from '../../core/problem.ts'
import { dayAt } from '../../core/zone.ts'
import { type Who, guardOf } from '../../sales/approvals/guard.ts'
import { coveredByCoupons } from '../../sales/sale/paid-coupons.ts'
import { pricedLines, totalsOf } from '../../sales/sale/sale-parts.ts'
import { salesOf } from '../../sales/sales.ts'
import { type Take, amountRow, checkAmount } from './take.ts'

/** A coupon at this sale. `faceCents` is null if neither the store's list nor the barcode states its value. */
interface Offer extends Omit<PaidCoupon, 'faceCents'> {
  /** Number that the receipt, the report and the store server show. */
  readonly code: string
  readonly faceCents: Cents | null
}

const dayOf = (yymmdd: string): string => `20${yymmdd.slice(0, 2)}-${yymmdd.slice(2, 4)}-${yymmdd.slice(4)}`

/** Throws `coupon-not-yet` or `coupon-expired`, by the days of the store's list and of the barcode. */
function refuseOutsideDays(today: string, from: readonly string[], until: readonly string[]): void {
  if (from.some((day) => today < day)) throw new ProblemError('coupon-not-yet')
  if (until.some((day) => today > day)) throw new ProblemError('coupon-expired')
}

/**
 * Returns a coupon by its code, if it is valid today. A coupon that is not in the store's list needs items with the
 * company prefix of its barcode, or any item if its barcode names none.
 */
function offerOf(ctx: Ctx, saleId: string, code: string): Offer {
  const listed = manufacturerCouponBookOf(ctx).find(code)
  const read = readCouponCode(code)
  refuseOutsideDays(
    dayAt(ctx.clock.now(), ctx.profile.timeZone),
    [listed?.from ?? [], read?.from ? dayOf(read.from) : []].flat(),
    [listed?.until ?? [], read?.until ? dayOf(read.until) : []].flat(),
  )
  const dollars = listed?.dollars
  const face = dollars === undefined ? (read?.valueCents ?? null) : Math.round(dollars * 100)
  return {
    code: read?.key ?? code.trim().toUpperCase(),
    name: listed?.name ?? null,
    reach: listed ? listedReach(listed) : readReach(ctx, saleId, read),
    units: listed?.units ?? read?.units ?? 1,
    faceCents: face === null ? null : cents(face),
  }
}

function listedReach({ sku, department }: { sku?: string | undefined; department?: string | undefined }): CouponReach {
  if (sku !== undefined) return { kind: 'items', skus: [sku] }
  return department === undefined ? { kind: 'all' } : { kind: 'department', id: department }
}

/** The items of a sale whose barcode has the company prefix of the coupon (GS1 General Specifications §1.4). */
function readReach(ctx: Ctx, saleId: string, read: CouponCode | null): CouponReach {
  const prefix = read?.companyPrefix
  if (prefix === undefined || prefix === null) return { kind: 'all' }
  const skus = salesOf(ctx)
    .priced(saleId)
    .lines.filter(({ sku }) => {
      const item = catalogOf(ctx).findBySku(sku)
      return [item?.barcode ?? '', ...(item?.codes ?? [])].some((barcode) =>
        barcode.padStart(13, '0').startsWith(prefix),
      )
    })
    .map(({ sku }) => sku)
  if (skus.length === 0) throw new ProblemError('coupon-items-missing')
  return { kind: 'items', skus: [...new Set(skus)] }
}

/**
 * Price of the pieces that one more coupon covers, at most what other payments left for coupons. Throws
 * `coupon-items-missing` or `miles-pay-goods`.
 */
function priceOfPieces(ctx: Ctx, saleId: string, offer: Offer): Cents {
  const now = salesOf(ctx).priced(saleId)
  const paid = now.tenders.flatMap(({ coupon }) => coupon ?? [])
  const price = coveredByCoupons(pricedLines(now), [...paid, offer]).at(-1) ?? cents(0)
  if (price === 0) throw new ProblemError('coupon-items-missing')
  const { milesCents } = salesOf(ctx).goodsLeftOf(saleId)
  if (milesCents <= 0) throw new ProblemError('miles-pay-goods')
  return cents(Math.min(price, milesCents))
}

function take(
  ctx: Ctx,
  { saleId, dueCents, who }: { readonly saleId: string; readonly dueCents: Cents; readonly who: Who },
  { code, amountCents: typedCents }: { readonly code: string; readonly amountCents?: Cents | undefined },
): ReturnType<Take<'manufacturer-coupon'>> {
  const offer = offerOf(ctx, saleId, code)
  const faceCents = offer.faceCents ?? typedCents
  if (faceCents === undefined) throw new ProblemError('coupon-value-missing')
  // No change is given for a coupon: it pays at most the price of its items, and at most the amount due.
  const amountCents = cents(Math.min(faceCents, priceOfPieces(ctx, saleId, offer), dueCents))
  checkAmount(amountCents, dueCents)
  if (offer.faceCents === null)
    guardOf(ctx).need('coupon-value', who, { of: 'coupon', code: offer.code, amountCents: faceCents }, saleId)
  const { code: reference, name, reach, units } = offer
  return { ...amountRow('manufacturer-coupon', amountCents, reference), coupon: { name, reach, units, faceCents } }
}

/**
 * Returns a coupon with the most that it can pay of the open sale. Throws `sale-empty`, `nothing-due`,
 * `coupon-not-yet`, `coupon-expired` or `coupon-items-missing`.
 */
function present(ctx: Ctx, code: string): PresentedCoupon {
  const saleId = salesOf(ctx).currentId()
  if (saleId === null) throw new ProblemError('sale-empty')
  const offer = offerOf(ctx, saleId, code)
  const due = totalsOf(salesOf(ctx).priced(saleId), storeTaxesOf(ctx)()).dueCents
  if (due <= 0) throw new ProblemError('nothing-due')
  const most: { mostCents: Cents } = { mostCents: cents(Math.min(priceOfPieces(ctx, saleId, offer), due)) }
  const name: Names | null = offer.name
  return { code: code.trim(), name, faceCents: offer.faceCents, ...most }
}

/** Presents a scanned coupon to the acting window. Returns false for another code, or if the store takes no coupons. */
function presentScanned(ctx: Ctx, code: string): boolean {
  if (!ctx.profile.payments.includes('manufacturer-coupon')) return false
  if (readCouponCode(code) === null && manufacturerCouponBookOf(ctx).find(code) === undefined) return false
  ctx.publish({ type: 'manufacturer-coupon-presented', coupon: present(ctx, code) })
  return true
}

/** Manufacturers' coupons as a payment: see `ManufacturerCoupon` for the law. */
export const manufacturerCouponsOf = perLane((ctx: Ctx) => ({
  ...bound(ctx, { present, presentScanned }),
  take: ((payment, command) => take(ctx, payment, command)) satisfies Take<'manufacturer-coupon'>,
}))
