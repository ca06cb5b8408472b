import { createAgeChecks } from '../features/age-checks/service.ts'
import { createOfferCodes, createOfferCoupons } from '../features/basket-offers/coupons.ts'
import type { BasketOffersService } from '../features/basket-offers/service.ts'
import type { Members } from '../features/member/service.ts'
import { createCouponBook, createCouponsRepository } from '../features/sale-changes/coupon-book.ts'
import { createCouponTaking } from '../features/sale-changes/coupons.ts'
import { createSaleChanges } from '../features/sale-changes/service.ts'
import { createUndo } from '../features/sale-changes/undo.ts'
import type { Sales } from '../features/sales/service.ts'
import { createScanning } from '../features/scanning/service.ts'
import type { Tenders } from '../features/tenders/service.ts'
import type { Ground } from './ground.ts'
import type { CheckoutOptions } from './options.ts'

interface Parts {
  readonly sales: Sales
  readonly members: Members
  readonly basketOffers: BasketOffersService
  readonly tenders: Pick<Tenders, 'settle'>
}

/** What is rung, and what a cashier changes of it: scans, coupons, prices, ages, and back again. */
export function composeRinging(
  options: CheckoutOptions,
  ground: Ground,
  { sales, members, basketOffers, tenders }: Parts,
) {
  const { profile, clock, audit } = options
  const { transact, publish, guard, saleRows: repository } = ground
  const ageChecks = createAgeChecks({ sales, repository, profile, audit, clock })
  const changes = createSaleChanges({ sales, repository, guard })
  const couponBook = createCouponBook({
    repository: createCouponsRepository(options.db),
    profiles: profile.coupons,
    transact,
    audit,
    store: options.changes && {
      changes: options.changes,
      onTaken: () => {
        publish({ type: 'catalog-changed' })
      },
    },
  })
  const offerCodes = createOfferCodes({ offers: basketOffers, sales, profile, clock })
  const coupons = createCouponTaking({
    // Typed or scanned, a code is the store's own first, and else an offer's.
    coupons: { find: (code) => couponBook.find(code) ?? offerCodes.find(code) },
    timeZone: profile.timeZone,
    sales,
    repository,
    transact,
    clock,
    settle: tenders.settle,
  })
  const offerCoupons = createOfferCoupons({ codes: offerCodes, taking: coupons, changes, sales })
  const scanning = createScanning({
    sales,
    catalog: options.catalog,
    coupons,
    transact,
    audit,
    signedIn: options.signedIn,
    publish,
    clock,
    checks: profile.goodsChecks,
    timeZone: profile.timeZone,
    waitMs: profile.limits.cardReadMs,
  })
  const undo = createUndo({ sales, repository, members, guard })
  return { ageChecks, changes, couponBook, coupons, offerCoupons, scanning, undo }
}
