import { couponBookOf } from './catalog/coupon-book.ts'
import { manufacturerCouponBookOf } from './catalog/manufacturer-coupon-book.ts'
import type { Ctx } from './core/context.ts'
import { startComponents } from './core/lifecycle.ts'
import { offerCodesOf } from './loyalty/basket-offers/basket-offers.routes.ts'
import { basketOffersOf } from './loyalty/basket-offers/basket-offers.ts'
import { storeReceiptOffers } from './loyalty/basket-offers/receipt-offers.ts'
import { issuancesOf } from './loyalty/calls/issue.ts'
import { redemptionsOf } from './loyalty/calls/redeem.ts'
import { issuingOf } from './loyalty/issuance/issuance.ts'
import { memberEventsOf } from './loyalty/member/member-events.ts'
import { membersOf } from './loyalty/member/member.ts'
import { previewOf } from './loyalty/issuance/preview.ts'
import { queueSummaryOf } from './loyalty/queue/queue-facts.ts'
import { cardTenderOf } from './payments/tenders/card-tender.ts'
import { cardTransactionsOf } from './payments/tenders/card-transactions.ts'
import { emailsOf } from './payments/delivery/emails.ts'
import { onlineReceiptsOf } from './payments/receipts/online-receipts.ts'
import { receiptsOf } from './payments/receipts/receipts.ts'
import { refundsOf } from './payments/returns/return-commit.ts'
import { milesDueOf } from './payments/returns/miles-due.ts'
import { storeReturnsOf } from './payments/returns/store-returns.ts'
import { storeVouchersOf } from './payments/vouchers/store-vouchers.ts'
import { milesTenderOf } from './payments/tenders/redemption.ts'
import { manufacturerCouponsOf } from './payments/tenders/manufacturer-coupons.ts'
import { tendersOf } from './payments/tenders/tenders.ts'
import { vouchersOf } from './payments/vouchers/vouchers.ts'
import { storeHoldsOf } from './sales/held-sales/store-holds.ts'
import { couponFinderOf, couponPresenterOf } from './sales/sale-changes/coupons.ts'
import { salesOf, completeIfPaidOf } from './sales/sales.ts'

/** Components that subscribe to sale events, in the order of their subscriptions, or run in the background. */
const COMPONENTS = [
  issuancesOf,
  cardTransactionsOf,
  queueSummaryOf,
  membersOf,
  issuingOf,
  previewOf,
  storeReturnsOf,
  milesDueOf,
  memberEventsOf,
  basketOffersOf,
  storeReceiptOffers,
  receiptsOf,
  emailsOf,
  onlineReceiptsOf,
  storeVouchersOf,
  vouchersOf,
  cardTenderOf,
  milesTenderOf,
  couponBookOf,
  manufacturerCouponBookOf,
  storeHoldsOf,
  refundsOf,
] as const

/**
 * Opens everything that a sale needs, without HTTP, drivers and a wall clock of its own, so that a lane and the
 * simulation run the same components. Gives components the functions of areas that they may not import.
 */
export function openCheckout(ctx: Ctx): void {
  completeIfPaidOf.provide(ctx, (id, sale) => tendersOf(ctx).completeIfPaid(id, sale))
  couponFinderOf.provide(ctx, (code) => couponBookOf(ctx).find(code) ?? offerCodesOf(ctx).find(code))
  couponPresenterOf.provide(ctx, (code) => manufacturerCouponsOf(ctx).presentScanned(code))
  for (const open of COMPONENTS) open(ctx)
}

/**
 * Recovers operations that a crash left open; call once, before a client can connect. On return the calls to send are
 * queued and hold their collectors' locks; the promise resolves when they have ended.
 */
export function recoverCheckout(ctx: Ctx): Promise<void> {
  receiptsOf(ctx).recover()
  cardTransactionsOf(ctx).recover()
  return redemptionsOf(ctx)
    .recover()
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'crash recovery failed')
    })
}

/** Starts every component and publishes the open sale. Call once, after `recoverCheckout`. */
export function startCheckout(ctx: Ctx): void {
  startComponents(ctx, 'watch')
  const open = salesOf(ctx).currentId()
  if (open) {
    // The open sale resumes before the queues start, so that its inquiry is sent before all waiting calls.
    membersOf(ctx).resume(open)
    salesOf(ctx).publish(open, 'recovery')
  }
  startComponents(ctx, 'work')
}
