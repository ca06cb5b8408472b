import { couponBookOf } from './catalog/coupon-book.ts'
import type { Ctx } from './core/context.ts'
import { closingsOf } from './day/day-end/closings.ts'
import { dayEndOf } from './day/day-end/day-end.ts'
import { earlierSalesOf } from './day/search/earlier-sales.ts'
import { shiftsOf } from './day/shifts/shifts.ts'
import { offerCodesOf, offerCouponsOf } from './loyalty/basket-offers/basket-offers.routes.ts'
import { basketOffersOf } from './loyalty/basket-offers/basket-offers.ts'
import { keepOffersOfReceipts } from './loyalty/basket-offers/receipt-offers.ts'
import { issuancesOf } from './loyalty/calls/issue.ts'
import { redemptionsOf } from './loyalty/calls/redeem.ts'
import { reversalsOf } from './loyalty/calls/reverse.ts'
import { issuingOf } from './loyalty/issuance/issuance.ts'
import { memberLaneOf } from './loyalty/member/member-lane.ts'
import { offerStatesOf } from './loyalty/member/offer-states.ts'
import { membersOf } from './loyalty/member/member.ts'
import { previewOf } from './loyalty/issuance/preview.ts'
import { queueNewsOf } from './loyalty/queue/queue-facts.ts'
import { creditLateReversalOf } from './loyalty/queue/queue.ts'
import { cardTenderOf } from './payments/tenders/card-tender.ts'
import { cardTransactionsOf } from './payments/tenders/card-transactions.ts'
import { notOnPaperOf, receiptsOf } from './payments/receipts/receipts.ts'
import { refundsOf } from './payments/returns/return-commit.ts'
import { returnsOf } from './payments/returns/returns.ts'
import { milesDueOf } from './payments/returns/miles-due.ts'
import { storeReturnsOf } from './payments/returns/store-returns.ts'
import { storeVouchersOf } from './payments/vouchers/store-vouchers.ts'
import { milesTenderOf } from './payments/tenders/redemption.ts'
import { takeBackOf } from './payments/tenders/take-back.ts'
import { tendersOf } from './payments/tenders/tenders.ts'
import { vouchersOf } from './payments/vouchers/vouchers.ts'
import { ageChecksOf } from './sales/age-checks.ts'
import { heldSalesOf } from './sales/held-sales/held-sales.ts'
import { storeHoldsOf } from './sales/held-sales/store-holds.ts'
import { inputTargetsOf } from './sales/input/dispatcher.ts'
import { couponFinderOf, couponTakingOf } from './sales/sale-changes/coupons.ts'
import { saleChangesOf, undoOf } from './sales/sale-changes/sale-changes.ts'
import { salesOf, settlementOf } from './sales/sales.ts'
import { scanningOf } from './sales/scanning/scanning.ts'

/** Everything that listens to the events of a sale. They are told in this order. */
const PARTS = [
  issuancesOf,
  reversalsOf,
  redemptionsOf,
  cardTransactionsOf,
  queueNewsOf,
  salesOf,
  membersOf,
  issuingOf,
  previewOf,
  storeReturnsOf,
  milesDueOf,
  memberLaneOf,
  basketOffersOf,
  keepOffersOfReceipts,
  earlierSalesOf,
  receiptsOf,
  storeVouchersOf,
  vouchersOf,
  tendersOf,
  takeBackOf,
  cardTenderOf,
  milesTenderOf,
  ageChecksOf,
  saleChangesOf,
  couponBookOf,
  couponTakingOf,
  offerCouponsOf,
  scanningOf,
  undoOf,
  heldSalesOf,
  refundsOf,
  returnsOf,
  shiftsOf,
  dayEndOf,
  closingsOf,
] as const

/**
 * Opens everything that a sale is made of, without HTTP, drivers and a wall clock of its own: a lane and the simulation
 * run the same parts. Where a lower area needs a higher one, the higher one is provided here.
 */
export function openCheckout(ctx: Ctx): void {
  settlementOf.provide(ctx, (id, sale) => tendersOf(ctx).settle(id, sale))
  couponFinderOf.provide(ctx, (code) => couponBookOf(ctx).find(code) ?? offerCodesOf(ctx).find(code))
  creditLateReversalOf.provide(ctx, (...credit) => tendersOf(ctx).creditLateReversal(...credit))
  notOnPaperOf.provide(ctx, () => earlierSalesOf(ctx).notOnPaper())
  inputTargetsOf.provide(ctx, {
    identify: (card) => membersOf(ctx).identify(card),
    presentVoucher: (code) => vouchersOf(ctx).scanned(code),
  })
  for (const open of PARTS) open(ctx)
  // Offers that a member has opted into may earn more.
  offerStatesOf(ctx).events.on('settled', ({ saleId }) => {
    previewOf(ctx).again(saleId)
  })
}

/**
 * Decides what a crash left open; call once, before anybody can ask for anything. What has to be sent is on its way,
 * with its collectors' turns taken, when this returns; the promise is kept when that is over.
 */
export function recoverCheckout(ctx: Ctx): Promise<void> {
  receiptsOf(ctx).recover()
  cardTransactionsOf(ctx).recover()
  return redemptionsOf(ctx)
    .recover()
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'recovery could not finish')
    })
}

/** Shows what is open, and starts the queues. Call once, after `recoverCheckout`. */
export function startCheckout(ctx: Ctx): void {
  const sales = salesOf(ctx)
  const members = membersOf(ctx)
  const news = queueNewsOf(ctx)
  previewOf(ctx).watch()
  members.watch()
  milesTenderOf(ctx).watch()
  cardTenderOf(ctx).watch()
  cardTransactionsOf(ctx).events.on('card-transaction.moved', () => {
    ctx.transact.afterCommit(news.announce)
  })
  issuingOf(ctx).watch()
  const open = sales.currentId()
  if (open) {
    members.resume(open)
    // Shows the sale again, and asks anew for the miles that it earns.
    sales.publish(open, 'recovery')
  }
  news.announce()
  issuancesOf(ctx).start()
  memberLaneOf(ctx).start()
  cardTransactionsOf(ctx).start()
  storeReturnsOf(ctx).start()
  milesDueOf(ctx).start()
  storeHoldsOf(ctx)?.start()
}

/** Shows the open sale again, as it comes to under settings that have changed. */
export function showOpenSale(ctx: Ctx): void {
  const open = salesOf(ctx).currentId()
  if (open) salesOf(ctx).publish(open, 'settings')
}

export function stopCheckout(ctx: Ctx): void {
  heldSalesOf(ctx).stop()
  void storeReturnsOf(ctx).stop()
  void milesDueOf(ctx).stop()
  queueNewsOf(ctx).stop()
  previewOf(ctx).stop()
  memberLaneOf(ctx).stop()
  storeVouchersOf(ctx)?.stop()
  issuancesOf(ctx).stop()
  reversalsOf(ctx).stop()
  cardTransactionsOf(ctx).stop()
  storeHoldsOf(ctx)?.stop()
}
