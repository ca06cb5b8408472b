import type { Issuing } from '../loyalty/issuance/issuance.ts'
import { type Receipts, createReceipts } from '../payments/receipts/receipts.ts'
import { createReturnDocuments } from '../payments/returns/return-receipt.ts'
import { createReturns } from '../payments/returns/returns.ts'
import type { Sales } from '../sales/sales.ts'
import { type StoreReturnRows, createStoreReturnRows } from '../payments/store-returns/rows.ts'
import { type StoreReturns, createStoreReturns } from '../payments/store-returns/store-returns.ts'
import { type Tenders, createTenders } from '../payments/tenders/tenders.ts'
import { type Vouchers, createVouchers } from '../payments/vouchers/vouchers.ts'
import type { Calls } from './checkout-day.ts'
import type { CheckoutOptions, Ground } from './checkout-ground.ts'
import { createMilesDue } from '../payments/store-returns/miles-due.ts'
import { createStoreReturnsRepository } from '../payments/store-returns/store-returns.sql.ts'
import { createCardTender } from '../payments/card-payments/card-tender.ts'
import type { Members } from '../loyalty/member/member.ts'
import { createMilesTender } from '../payments/tenders/redemption.ts'
import { createTakeBack } from '../payments/tenders/take-back.ts'
import { createTaking } from '../payments/tenders/take.ts'
import { createStoreVouchersRepository } from '../payments/store-vouchers/store-vouchers.sql.ts'
import { createStoreVouchers } from '../payments/store-vouchers/store-vouchers.ts'
import { type VoucherLedger, createVoucherLedger } from '../payments/vouchers/vouchers.sql.ts'
import { createShownVouchers } from '../payments/vouchers/shown.ts'
import type { SaidOffers } from '../loyalty/basket-offers/said-offers.sql.ts'
import { createEarlierSalesRepository } from '../day/search/earlier-sales.sql.ts'
import { createEarlierSales } from '../day/search/earlier-sales.ts'
import { createReceiptsRepository } from '../payments/receipts/receipts.sql.ts'

interface ReturnParts {
  readonly calls: Pick<Calls, 'reversals' | 'cards'>
  readonly sales: Sales
  readonly issuing: Issuing
  readonly receipts: Receipts
  readonly storeReturns: StoreReturns
  readonly storeReturnRows: StoreReturnRows
  readonly vouchers: Vouchers
  readonly tenders: Tenders
}

/** Goods that come back, of a sale of any lane of the store, or of none. */
export function composeReturns(options: CheckoutOptions, ground: Ground, parts: ReturnParts) {
  const { profile, lane, clock, audit, staffName } = options
  const { transact, taxes, locale, events, custody, guard, saleRows, returnRows } = ground
  const { calls, sales, issuing, receipts, storeReturns, storeReturnRows, vouchers, tenders } = parts
  return createReturns({
    repository: returnRows,
    events,
    sales,
    saleRows,
    transact,
    issuing,
    reversals: calls.reversals,
    cards: calls.cards,
    receipts,
    store: storeReturns,
    storeRows: storeReturnRows,
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
}

interface StoreReturnParts {
  readonly calls: Pick<Calls, 'cash'>
  readonly issuing: Pick<Issuing, 'takeBackNow'>
}

/** What the store has to say to goods that come back, and what stands here of sales of its other lanes. */
export function composeStoreReturns(options: CheckoutOptions, ground: Ground, { calls, issuing }: StoreReturnParts) {
  const { db, seal, profile, lane, clock, rng, log } = options
  const { transact, journal, events, saleRows, returnRows } = ground
  const repository = createStoreReturnsRepository(db, seal)
  const link = options.store ?? null
  const storeReturns = createStoreReturns({
    link,
    repository,
    transact,
    isOwn: (saleId) => saleRows.byId(saleId) !== undefined,
    isOfEarlierEpoch: saleRows.isOfEarlierEpoch,
    lane: lane.id,
    timeZone: profile.timeZone,
    clock,
    rng,
    log,
  })
  const storeReturnRows = createStoreReturnRows({
    repository,
    store: storeReturns,
    journal,
    cash: calls.cash,
    seal,
    rng,
  })
  const milesDue = createMilesDue({
    link,
    repository,
    returns: returnRows,
    store: storeReturns,
    events,
    takeBackNow: issuing.takeBackNow,
    transact,
    clock,
    log,
  })
  return { storeReturns, storeReturnRows, milesDue }
}

interface TenderParts {
  readonly calls: Calls
  readonly sales: Sales
  readonly members: Members
  readonly receipts: Receipts
  readonly vouchers: Vouchers
}

/** How a sale is paid: by tenders of its own kinds, by card terminal and with miles; and what is taken back of it. */
export function composeTenders(options: CheckoutOptions, ground: Ground, parts: TenderParts) {
  const { profile, lane, clock, audit, signedIn, staffName } = options
  const { transact, journal, taxes, locale, publish, events, custody, guard, saleRows: repository } = ground
  const { calls, sales, members, receipts, vouchers } = parts
  const { cash, cards, redemptions, reversals } = calls
  const tenders = createTenders({
    sales,
    repository,
    transact,
    events,
    reversals,
    taking: createTaking({
      vouchers,
      audit,
      actorId: () => signedIn()?.id ?? null,
      onExceeded: () => {
        transact.afterCommit(calls.news.announce)
      },
    }),
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
    repository,
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
    repository,
    tenders,
    transact,
    audit,
    custody,
    clock,
    taxes,
    profile,
  })
  const milesTender = createMilesTender({
    sales,
    repository,
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
  return { tenders, takeBack, cardTender, milesTender }
}

interface VoucherParts {
  readonly sales: Sales
  readonly receipts: Receipts
  readonly ledger: VoucherLedger
}

/** Gift cards and store credit: of this lane, and those that the lanes of the store share. */
export function composeVouchers(options: CheckoutOptions, ground: Ground, { sales, receipts, ledger }: VoucherParts) {
  const { seal, profile, lane, clock, rng, log, audit, signedIn, staffName } = options
  const { transact, locale, publish, events, guard, saleRows, voucherRows } = ground
  const rows = createStoreVouchersRepository(options.db)
  const shown = createShownVouchers({ sales, clock, shownMs: profile.limits.cardReadMs })
  const storeVouchers =
    options.store &&
    createStoreVouchers({
      repository: rows,
      store: options.store,
      seal,
      audit,
      reserveDollars: () => profile.store.voucherReserveDollars ?? 0,
      shown,
      transact,
      clock,
      rng,
      log,
    })
  const vouchers = createVouchers({
    repository: voucherRows,
    rows,
    shared: storeVouchers ?? null,
    shown,
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
  return { vouchers, storeVouchers }
}

interface ReceiptParts {
  readonly sales: Sales
  readonly storeReturns: StoreReturns
  readonly saidOffers: SaidOffers
}

/** What is printed of a sale, and the closed sales that it is looked up in. */
export function composeReceipts(
  options: CheckoutOptions,
  ground: Ground,
  { sales, storeReturns, saidOffers }: ReceiptParts,
) {
  const { db, seal, profile, lane, clock, rng, log, audit, signedIn, staffName } = options
  const { transact, journal, taxes, locale, publish, events, guard, saleRows, returnRows, voucherRows } = ground
  const earlierSales = createEarlierSales({
    repository: createEarlierSalesRepository(db, lane.id),
    parts: sales.parts,
    taxes,
    hasPrinter: options.printer !== null,
    store: storeReturns,
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
  return { earlierSales, ledger, receipts }
}
