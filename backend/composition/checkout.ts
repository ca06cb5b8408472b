import { composeCalls, composeDay } from './checkout-day.ts'
import { type CheckoutOptions, openGround } from './checkout-ground.ts'
import { composeHeldSales, composeOffersAtTill, composeRinging, composeSale } from './checkout-sale.ts'
import {
  composeReceipts,
  composeReturns,
  composeStoreReturns,
  composeTenders,
  composeVouchers,
} from './checkout-money.ts'

export type Checkout = ReturnType<typeof createCheckout>

/**
 * Everything that a sale is made of: rings, member, tenders, receipts, and the outbox of what moves miles. It knows no
 * HTTP, no driver and no wall clock of its own, so that the simulation runs the very same parts. Each part is made
 * after those that it uses; what it does to others it says by events.
 */
export function createCheckout(options: CheckoutOptions) {
  const ground = openGround(options)
  const { transact, taxes, locale, publish, events, epoch, saleRows } = ground
  const calls = composeCalls(options, ground)
  const { issuance, issuances, reversals, redemptions, cards, slips, news } = calls
  const { sales, members, issuing, preview } = composeSale(options, ground, calls)
  const { storeReturns, storeReturnRows, milesDue } = composeStoreReturns(options, ground, { calls, issuing })
  const offers = composeOffersAtTill(options, ground, { sales, members, preview })
  const { memberLane, basketOffers, offerWishes, saidOffers } = offers
  const { earlierSales, ledger, receipts } = composeReceipts(options, ground, { sales, storeReturns, saidOffers })
  const { vouchers, storeVouchers } = composeVouchers(options, ground, { sales, receipts, ledger })
  const paying = composeTenders(options, ground, { calls, sales, members, receipts, vouchers })
  const { tenders, cardTender, milesTender } = paying
  const ringing = composeRinging(options, ground, { sales, members, basketOffers, tenders })
  const { coupons } = ringing
  const { heldSales, storeHolds } = composeHeldSales(options, ground, { sales, members, coupons })
  const returns = composeReturns(options, ground, {
    calls,
    sales,
    issuing,
    receipts,
    storeReturns,
    storeReturnRows,
    vouchers,
    tenders,
  })
  const day = composeDay(options, ground, { receipts })

  return {
    publish,
    /** What happens in the store. */
    events,
    sales,
    saleOf: saleRows.byId,
    ...ringing,
    heldSales,
    basketOffers,
    memberLane,
    /** Null where members do not sign in at this lane. */
    offerWishes,
    members,
    receipts,
    earlierSales,
    ...paying,
    returns,
    storeReturns,
    ...day,
    vouchers,
    redemptions,
    reversals,
    issuances,
    issuance,
    epoch,
    slips,
    news,
    taxes,
    locale,

    /**
     * Decides what a crash left open; call once, before anybody can ask for anything. What has to be sent is on its
     * way, with its collectors' turns taken, when this returns; the promise is kept when that is over.
     */
    recover(): Promise<void> {
      receipts.recover()
      cards.recover()
      return redemptions.recover().catch((error: unknown) => {
        options.log.error({ err: error }, 'recovery could not finish')
      })
    },

    /** Shows what is open, and starts the queues. Call once, after `recover`. */
    start(): void {
      preview.watch()
      members.watch()
      milesTender.watch()
      cardTender.watch()
      cards.events.on('card-transaction.moved', () => {
        transact.afterCommit(news.announce)
      })
      issuing.watch()
      const open = sales.currentId()
      if (open) {
        members.resume(open)
        // Shows the sale again, and asks anew for the miles that it earns.
        sales.publish(open, 'recovery')
      }
      news.announce()
      issuances.start()
      memberLane.start()
      cards.start()
      storeReturns.start()
      milesDue.start()
      storeHolds?.start()
    },

    /** A setting is another: what is open is shown as it comes to now. */
    settingsChanged(): void {
      const open = sales.currentId()
      if (open) sales.publish(open, 'settings')
    },

    /** Somebody else is signed in, or speaks another language. */
    speak: preview.speak,

    stop(): void {
      heldSales.stop()
      void storeReturns.stop()
      void milesDue.stop()
      news.stop()
      preview.stop()
      memberLane.stop()
      storeVouchers?.stop()
      issuances.stop()
      reversals.stop()
      cards.stop()
      storeHolds?.stop()
    },
  }
}
