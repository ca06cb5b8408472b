import { composeCalls } from './checkout/calls.ts'
import { composeDay } from './checkout/day.ts'
import { openGround } from './checkout/ground.ts'
import { composeOffersAtTill } from './checkout/offers.ts'
import type { CheckoutOptions } from './checkout/options.ts'
import { createAgeChecks } from './features/age-checks/service.ts'
import { createOfferCodes, createOfferCoupons } from './features/basket-offers/coupons.ts'
import { createCardTender } from './features/card-payments/tender.ts'
import { createEarlierSalesRepository } from './features/earlier-sales/repository.ts'
import { createEarlierSales } from './features/earlier-sales/service.ts'
import { createHeldSalesRepository } from './features/held-sales/repository.ts'
import { createHeldSales } from './features/held-sales/service.ts'
import { createStoreHoldsRepository } from './features/held-sales/store-holds-repository.ts'
import { composeStoreHolds } from './checkout/store-holds.ts'
import { createRulesRepository } from './features/issuance/repository.ts'
import { createIssuing } from './features/issuance/service.ts'
import { createPreview } from './features/member/preview.ts'
import { createMembers } from './features/member/service.ts'
import { createReceiptsRepository } from './features/receipts/repository.ts'
import { createReceipts } from './features/receipts/service.ts'
import { createReturnDocuments } from './features/returns/documents.ts'
import { createReturns } from './features/returns/service.ts'
import { createMilesDue } from './features/store-returns/miles-due.ts'
import { createStoreReturnsRepository } from './features/store-returns/repository.ts'
import { createStoreReturnRows } from './features/store-returns/rows.ts'
import { createStoreReturns } from './features/store-returns/service.ts'
import { createCouponBook, createCouponsRepository } from './features/sale-changes/coupon-book.ts'
import { createCouponTaking } from './features/sale-changes/coupons.ts'
import { createSaleChanges } from './features/sale-changes/service.ts'
import { createUndo } from './features/sale-changes/undo.ts'
import { createSales } from './features/sales/service.ts'
import { createScanning } from './features/scanning/service.ts'
import { createMilesTender } from './features/tenders/redemption.ts'
import { createTenders } from './features/tenders/service.ts'
import { createTaking } from './features/tenders/taking/registry.ts'
import { createTakeBack } from './features/tenders/take-back.ts'
import { createStoreVouchersRepository } from './features/store-vouchers/repository.ts'
import { createStoreVouchers } from './features/store-vouchers/service.ts'
import { createVoucherLedger } from './features/vouchers/ledger.ts'
import { createShownVouchers } from './features/vouchers/shown.ts'
import { createVouchers } from './features/vouchers/service.ts'

export type Checkout = ReturnType<typeof createCheckout>

/**
 * Everything that a sale is made of: rings, member, tenders, receipts, and the outbox of what moves miles. It knows no
 * HTTP, no driver and no wall clock of its own, so that the simulation runs the very same parts. Each part is made
 * after those that it uses; what it does to others it says by events.
 */
export function createCheckout(options: CheckoutOptions) {
  const { db, seal, profile, lane, clock, rng, log, audit, cardReads, central, signedIn, staffName } = options
  const ground = openGround(options)
  const { transact, journal, collectorMutex, taxes, locale, publish, events, epoch, custody, guard } = ground
  const { saleRows, returnRows, voucherRows } = ground
  const { cash, issuance, issuances, reversals, redemptions, cards, news } = composeCalls(options, ground)
  const storeRepository = createStoreReturnsRepository(db, seal)
  const storeReturns = createStoreReturns({
    link: options.store ?? null,
    repository: storeRepository,
    transact,
    isOwn: (saleId) => saleRows.byId(saleId) !== undefined,
    isOfEarlierEpoch: saleRows.isOfEarlierEpoch,
    lane: lane.id,
    timeZone: profile.timeZone,
    clock,
    rng,
    log,
  })
  const sales = createSales({
    repository: saleRows,
    transact,
    journal,
    findBySku: options.catalog.findBySku,
    publish,
    clock,
    rng,
    profile,
    lane,
    taxes,
    signedIn,
    guard,
    custody,
  })
  const members = createMembers({
    sales,
    repository: saleRows,
    transact,
    cardReads,
    cash,
    seal,
    clock,
    taxes,
    locale,
    log,
  })
  const issuing = createIssuing({
    profile,
    journal,
    transact,
    events,
    sales,
    issuances,
    issuance,
    members,
    rules: createRulesRepository(db),
    seal,
    locale,
    collectorMutex,
    epoch,
    centralIsAway: () => central.state === 'offline',
  })
  const milesDue = createMilesDue({
    link: options.store ?? null,
    repository: storeRepository,
    returns: returnRows,
    store: storeReturns,
    events,
    takeBackNow: issuing.takeBackNow,
    transact,
    clock,
    log,
  })
  const preview = createPreview({
    sales,
    members,
    issuance,
    issuing,
    collectorMutex,
    clock,
    taxes,
    locale,
    language: () => signedIn()?.locale ?? profile.locales.default,
    log,
  })
  const earlierSales = createEarlierSales({
    repository: createEarlierSalesRepository(db, lane.id),
    parts: sales.parts,
    taxes,
    hasPrinter: options.printer !== null,
    store: storeReturns,
  })
  const held = createStoreHoldsRepository(db)
  const storeHolds = composeStoreHolds(options, ground, { sales, members, held })
  const heldSales = createHeldSales({
    repository: createHeldSalesRepository(db),
    rows: saleRows,
    custody,
    store: storeHolds,
    held,
    sales,
    members,
    transact,
    audit,
    clock,
    lane,
    taxes,
    staffName: options.staffName,
    guard,
  })
  const { memberLane, basketOffers, offerWishes, saidOffers } = composeOffersAtTill(options, ground, {
    sales,
    members,
    preview,
  })
  const ledger = createVoucherLedger({ repository: voucherRows, seal })
  const receipts = createReceipts({
    repository: createReceiptsRepository(db),
    events,
    transact,
    parts: sales.parts,
    printer: options.printer,
    logo: options.logo ?? null,
    profile,
    lane,
    taxes,
    locale,
    clock,
    rng,
    publish,
    log,
    staffName,
    audit,
    signedIn,
    notOnPaper: earlierSales.notOnPaper,
    returned: returnRows.returned,
    offersOf: saidOffers.ofSale,
    traceOf: (id) => journal.traceIdOf(id, 'redeem'),
    paidBy: saleRows.paidBy,
    vouchers: ledger,
    guard,
  })
  const storeVoucherRows = createStoreVouchersRepository(db)
  const shownVouchers = createShownVouchers({ sales, clock, shownMs: profile.limits.cardReadMs })
  const storeVouchers =
    options.store &&
    createStoreVouchers({
      repository: storeVoucherRows,
      store: options.store,
      seal,
      audit,
      reserveDollars: () => profile.store.voucherReserveDollars ?? 0,
      shown: shownVouchers,
      transact,
      clock,
      rng,
      log,
    })
  const vouchers = createVouchers({
    repository: voucherRows,
    rows: storeVoucherRows,
    shared: storeVouchers ?? null,
    shown: shownVouchers,
    ledger,
    events,
    sales,
    saleRows,
    transact,
    receipts,
    guard,
    seal,
    profile,
    lane,
    clock,
    rng,
    publish,
    staffName,
    signedIn,
    locale,
    log,
  })
  const tenders = createTenders({
    sales,
    repository: saleRows,
    transact,
    events,
    reversals,
    taking: createTaking({ vouchers }),
    guard,
    cards,
    vouchers,
    custody,
    clock,
    taxes,
    profile,
    signedIn,
    publish,
  })
  const takeBack = createTakeBack({
    sales,
    repository: saleRows,
    custody,
    transact,
    tenders,
    vouchers,
    receipts,
    audit,
    clock,
    profile,
    lane,
    locale,
    staffName,
  })
  const cardTender = createCardTender({
    transactions: cards,
    hasTerminal: options.cardTerminal != null,
    sales,
    repository: saleRows,
    tenders,
    transact,
    audit,
    custody,
    clock,
    taxes,
    profile,
  })
  const ageChecks = createAgeChecks({ sales, repository: saleRows, profile, audit, clock })
  const changes = createSaleChanges({ sales, repository: saleRows, guard })
  const couponBook = createCouponBook({
    repository: createCouponsRepository(db),
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
    repository: saleRows,
    transact,
    clock,
    settle: tenders.settle,
  })
  const offerCoupons = createOfferCoupons({ codes: offerCodes, taking: coupons, changes, sales })
  const scanning = createScanning({
    sales,
    catalog: options.catalog,
    coupons,
    signedIn,
    publish,
    clock,
    waitMs: profile.limits.cardReadMs,
  })
  const undo = createUndo({ sales, repository: saleRows, members, guard })
  const returns = createReturns({
    repository: returnRows,
    events,
    sales,
    saleRows,
    transact,
    issuing,
    reversals,
    cards,
    receipts,
    store: storeReturns,
    storeRows: createStoreReturnRows({ repository: storeRepository, store: storeReturns, journal, cash, seal, rng }),
    documents: createReturnDocuments({
      partsOf: (saleId) => storeReturns.foreign(saleId) ?? sales.parts(saleId),
      profile,
      lane,
      taxes,
      staffName,
    }),
    vouchers,
    tenders,
    custody,
    audit,
    guard,
    findBySku: options.catalog.findBySku,
    clock,
    profile,
    lane,
    taxes,
    locale,
  })
  const { shifts, dayEnd, closings } = composeDay(options, ground, { receipts })
  const milesTender = createMilesTender({
    sales,
    repository: saleRows,
    members,
    tenders,
    redemptions,
    journal,
    transact,
    cash,
    clock,
    taxes,
    locale,
  })

  return {
    publish,
    /** What happens in the store. */
    events,
    sales,
    saleOf: saleRows.byId,
    scanning,
    heldSales,
    changes,
    ageChecks,
    coupons,
    couponBook,
    basketOffers,
    memberLane,
    /** Null where members do not sign in at this lane. */
    offerWishes,
    offerCoupons,
    undo,
    members,
    receipts,
    earlierSales,
    tenders,
    takeBack,
    milesTender,
    cardTender,
    returns,
    storeReturns,
    shifts,
    dayEnd,
    closings,
    vouchers,
    redemptions,
    reversals,
    issuances,
    issuance,
    epoch,
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
        log.error({ err: error }, 'recovery could not finish')
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
