import type { Staff } from '../contracts/api/session.ts'
import type { TerminalEvent } from '../contracts/events.ts'
import type { Lane, Profile } from '../contracts/profile.ts'
import type { CardMover } from '../contracts/card-terminal.ts'
import type { Bitmap } from '../contracts/receipt.ts'
import { createCashClient } from './central/cash.ts'
import { createIssuanceClient } from './central/issuance.ts'
import type { Load } from './central/load.ts'
import type { Transport } from './central/transport.ts'
import type { CentralStatus } from './central-status.ts'
import type { Rng, Clock } from './clock.ts'
import { epochOf } from './db/epochs.ts'
import type { Database } from './db/open.ts'
import type { CardReads } from './devices/card-reads.ts'
import { taxesOf, type StoreTaxes } from './domain/tax.ts'
import { createAgeChecks } from './features/age-checks/service.ts'
import { createGuard } from './features/approvals/guard.ts'
import { createOfferCodes, createOfferCoupons } from './features/basket-offers/coupons.ts'
import { keepOffersOfReceipts } from './features/basket-offers/receipt.ts'
import { createSaidOffers } from './features/basket-offers/repository.ts'
import { createBasketOffers, type BasketOffersOptions } from './features/basket-offers/service.ts'
import { createCardTender } from './features/card-payments/tender.ts'
import { createCardTransactions } from './features/card-payments/transactions.ts'
import type { CatalogService } from './features/catalog/service.ts'
import { createDomainEvents } from './features/domain-events.ts'
import { createEarlierSalesRepository } from './features/earlier-sales/repository.ts'
import { createEarlierSales } from './features/earlier-sales/service.ts'
import { createHeldSalesRepository } from './features/held-sales/repository.ts'
import { createHeldSales } from './features/held-sales/service.ts'
import { createRulesRepository } from './features/issuance/repository.ts'
import { createIssuing } from './features/issuance/service.ts'
import { createPreview } from './features/member/preview.ts'
import { createMemberLane, type MemberServices } from './features/member-offers/member-lane.ts'
import { createOfferWishes } from './features/member-offers/wishes.ts'
import { createMembers } from './features/member/service.ts'
import { createQueueNews } from './features/queue/news.ts'
import { createReceiptsRepository } from './features/receipts/repository.ts'
import { createReceipts, type PrintingDevice } from './features/receipts/service.ts'
import { createReturnDocuments } from './features/returns/documents.ts'
import { createReturnsRepository } from './features/returns/repository.ts'
import { createReturns } from './features/returns/service.ts'
import { createCouponBook, createCouponsRepository } from './features/sale-changes/coupon-book.ts'
import { createCouponTaking } from './features/sale-changes/coupons.ts'
import { createSaleChanges } from './features/sale-changes/service.ts'
import { createUndo } from './features/sale-changes/undo.ts'
import { createSalesRepository } from './features/sales/repository.ts'
import { createSales } from './features/sales/service.ts'
import { createScanning } from './features/scanning/service.ts'
import { createClosings } from './features/day-end/closings.ts'
import { createDayEndDocuments } from './features/day-end/documents.ts'
import { createDayEndRepository } from './features/day-end/repository.ts'
import { createDayEnd } from './features/day-end/service.ts'
import { createCustody } from './features/shifts/custody.ts'
import { createShiftsRepository } from './features/shifts/repository.ts'
import { createShifts } from './features/shifts/service.ts'
import type { AuditTrail } from './features/staff/audit.ts'
import { createMilesTender } from './features/tenders/redemption.ts'
import { createTenders } from './features/tenders/service.ts'
import { createTaking } from './features/tenders/taking/registry.ts'
import { createTakeBack } from './features/tenders/take-back.ts'
import { createVoucherLedger } from './features/vouchers/ledger.ts'
import { createVouchersRepository } from './features/vouchers/repository.ts'
import { createVouchers } from './features/vouchers/service.ts'
import type { Logger } from './log.ts'
import { createIssuances } from './loyalty/issue.ts'
import { createRedemptions } from './loyalty/redeem.ts'
import { createReversals } from './loyalty/reverse.ts'
import type { Outbox } from './outbox/outbox.ts'
import type { Seal } from './outbox/seal.ts'
import type { SecretStatus } from './secret-status.ts'

export interface CheckoutOptions {
  readonly db: Database
  /** Sealing and hashing of collector numbers. */
  readonly seal: Seal
  readonly outbox: Outbox
  readonly profile: Profile
  readonly lane: Lane
  readonly catalog: Pick<CatalogService, 'findByBarcode' | 'findBySku'>
  readonly cardReads: CardReads
  readonly printer: PrintingDevice | null
  /** Null, or left out, on a lane without one. */
  readonly cardTerminal?: CardMover | null
  /** The store's mark on rendered receipts; none when left out. */
  readonly logo?: Bitmap | null
  readonly transport: Transport
  /** The kept lists of the program's offers; left out: there are none. */
  readonly offers?: BasketOffersOptions['lists']
  /** Where the screens have a picture of an offer; left out: nowhere. */
  readonly offerPicture?: NonNullable<BasketOffersOptions['pictureOf']>
  /** What serves members who sign in with their own phone; null, or left out: nobody does. */
  readonly member?: MemberServices | null
  readonly central: CentralStatus
  /** No other lane starts in the same second, as in a measurement; left out: others may. */
  readonly startsAlone?: boolean
  /** How far the services can take calls that nobody misses; left out: nothing is held back. */
  readonly load?: Pick<Load, 'admits'>
  /** Whether the lane's secret is refused; left out where it has none. */
  readonly secret?: Pick<SecretStatus, 'refusedSince' | 'onChange'>
  readonly clock: Clock
  readonly rng: Rng
  readonly audit: AuditTrail
  readonly signedIn: () => Staff | null
  readonly staffName: (id: string) => string
  readonly publish: (event: TerminalEvent) => void
  readonly log: Logger
}

export type Checkout = ReturnType<typeof createCheckout>

/** The profile's taxes as they are in force, worked out once for each that it has. */
function storeTaxes(profile: Profile): StoreTaxes {
  let known: { readonly from: Profile['taxes']; readonly taxes: ReturnType<StoreTaxes> } | null = null
  return () => {
    const from = profile.taxes
    if (known === null || known.from !== from) known = { from, taxes: taxesOf(from, profile.region) }
    return known.taxes
  }
}

/**
 * Everything that a sale is made of: rings, member, tenders, receipts, and the outbox of what moves miles. It knows no
 * HTTP, no driver and no wall clock of its own, so that the simulation runs the very same parts. Each part is made
 * after those that it uses; what it does to others it says by events.
 */
export function createCheckout(options: CheckoutOptions) {
  const { db, seal, outbox, profile, lane, clock, rng, log, audit, cardReads, central, transport, load, signedIn } =
    options
  const { transact, journal, collectorMutex } = outbox
  const { staffName } = options
  const taxes = storeTaxes(profile)
  // The store's own choice, else the language that the customer is served in.
  const locale = () => profile.locales.receipt ?? signedIn()?.locale ?? profile.locales.default
  /** Nobody hears of what is not on the disk. */
  const publish = (event: TerminalEvent): void => {
    // mutant: screen-before-commit
    transact.afterCommit(() => {
      options.publish(event)
    })
  }
  const events = createDomainEvents()
  const epoch = epochOf(db)
  const saleRows = createSalesRepository(db)
  const returnRows = createReturnsRepository(db)
  const voucherRows = createVouchersRepository(db)
  const shiftRows = createShiftsRepository(db, lane.id)
  const custody = createCustody({ repository: shiftRows, settings: () => profile.shifts, clock, signedIn })

  const { onResponse } = central
  const cash = createCashClient({ profile, lane, transport, rng, onResponse })
  const issuance = createIssuanceClient({ profile, lane, transport, onResponse, ...(load ? { load } : {}) })
  const engine = { journal, transact, collectorMutex, clock, rng, log }
  const issuances = createIssuances({ ...engine, issuance, startsAlone: options.startsAlone ?? false })
  const reversals = createReversals({ ...engine, cash, hasPaid: ({ id, saleId }) => saleRows.paidBy(saleId, id) > 0 })
  const redemptions = createRedemptions({
    ...engine,
    cash,
    reversals,
    retryDeadlineMs: profile.limits.redeemRetryDeadlineMs,
    saleIsOpen: (saleId) => saleRows.byId(saleId)?.state === 'open',
  })
  const cards = createCardTransactions({
    terminal: options.cardTerminal ?? null,
    rows: saleRows.cards,
    transact,
    clock,
    rng,
    log,
  })
  const news = createQueueNews({
    journal,
    transact,
    central,
    alsoForPerson: saleRows.cards.forPersonCount,
    clock,
    publish,
    ...(options.secret ? { secret: options.secret } : {}),
  })
  central.onThere(issuances.centralIsBack)

  const guard = createGuard({
    settings: () => profile.approvals,
    taxes,
    audit,
    transact,
    locale: profile.locales.default,
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
  })
  const heldSales = createHeldSales({
    repository: createHeldSalesRepository(db),
    sales,
    members,
    transact,
    audit,
    clock,
    lane,
    taxes,
    guard,
  })
  const memberLane = createMemberLane({
    services: options.member ?? null,
    saleOf: saleRows.byId,
    collectorOf: members.collectorOf,
    region: profile.region,
    journal,
    transact,
    clock,
    rng,
    publish,
    log,
  })
  const { opened } = memberLane
  const basketOffers = createBasketOffers({
    sales,
    lists: options.offers ?? (() => undefined),
    ...(options.offerPicture ? { pictureOf: options.offerPicture } : {}),
    ...(opened
      ? { member: opened.offers.of, wishes: { stateOf: opened.offers.stateOf, wishesOf: opened.states.of } }
      : {}),
    profile,
    clock,
  })
  const offerWishes =
    opened &&
    createOfferWishes({
      saleOf: saleRows.byId,
      member: opened.offers,
      offers: basketOffers,
      states: opened.states,
      transact,
    })
  // What a member has opted into may earn more.
  opened?.states.events.on('settled', ({ saleId }) => {
    preview.again(saleId)
  })
  const saidOffers = createSaidOffers(db)
  keepOffersOfReceipts({ events, offers: basketOffers, said: saidOffers, profile, log })
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
  const vouchers = createVouchers({
    repository: voucherRows,
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
    documents: createReturnDocuments({ sales, profile, lane, taxes, staffName }),
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
  const documents = createDayEndDocuments({ profile, lane, staffName })
  const shifts = createShifts({
    repository: shiftRows,
    custody,
    transact,
    guard,
    audit,
    receipts,
    documents,
    clock,
    settings: () => profile.shifts,
    signedIn,
    staffName,
    locale,
    publish,
  })
  const dayEndRows = createDayEndRepository(db, lane.id)
  const dayEnd = createDayEnd({
    repository: dayEndRows,
    shifts: shiftRows,
    transact,
    journal,
    chain: outbox.chain,
    audit,
    receipts,
    documents,
    clock,
    profile,
    lane,
    staffName,
    locale,
    publish,
  })
  const closings = createClosings({
    repository: dayEndRows,
    shifts: shiftRows,
    transact,
    audit,
    receipts,
    documents,
    clock,
    profile,
    lane,
    locale,
  })
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
    },

    /** A setting is another: what is open is shown as it comes to now. */
    settingsChanged(): void {
      const open = sales.currentId()
      if (open) sales.publish(open, 'settings')
    },

    /** Somebody else is signed in, or speaks another language. */
    speak: preview.speak,

    stop(): void {
      news.stop()
      preview.stop()
      memberLane.stop()
      issuances.stop()
      reversals.stop()
      cards.stop()
    },
  }
}
