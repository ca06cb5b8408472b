import type { QueueSummary } from '../contracts/api/diagnostics.ts'
import type { Staff } from '../contracts/api/session.ts'
import type { TerminalEvent } from '../contracts/events.ts'
import type { Lane, Profile } from '../contracts/profile.ts'
import type { Bitmap } from '../contracts/receipt.ts'
import { createCashClient } from './central/cash.ts'
import { createIssuanceClient } from './central/issuance.ts'
import type { Transport } from './central/transport.ts'
import type { CentreStatus } from './centre-status.ts'
import type { Chance, Clock } from './clock.ts'
import type { Database } from './db/open.ts'
import { createTransact, type FailStop } from './db/transact.ts'
import type { CardReads } from './devices/card-reads.ts'
import { taxesOf } from './domain/tax.ts'
import type { CatalogService } from './features/catalog/service.ts'
import { createGuard } from './features/approvals/guard.ts'
import { createEarlierSalesRepository } from './features/earlier-sales/repository.ts'
import { createEarlierSales } from './features/earlier-sales/service.ts'
import { createHeldSalesRepository } from './features/held-sales/repository.ts'
import { createHeldSales } from './features/held-sales/service.ts'
import { createRulesRepository } from './features/issuance/repository.ts'
import { createIssuing } from './features/issuance/service.ts'
import { createPreview } from './features/member/preview.ts'
import { createMembers } from './features/member/service.ts'
import { createReceiptsRepository } from './features/receipts/repository.ts'
import { createReceipts, type PrintingDevice } from './features/receipts/service.ts'
import { createReturnPapers } from './features/returns/papers.ts'
import { createReturnsRepository } from './features/returns/repository.ts'
import { createReturns } from './features/returns/service.ts'
import { createCouponTaking } from './features/sale-changes/coupons.ts'
import { createSaleChanges } from './features/sale-changes/service.ts'
import { createUndo } from './features/sale-changes/undo.ts'
import { createSalesRepository } from './features/sales/repository.ts'
import { createSales } from './features/sales/service.ts'
import type { AuditTrail } from './features/staff/audit.ts'
import { createMilesTender } from './features/tenders/redemption.ts'
import { createTenders } from './features/tenders/service.ts'
import { createTakeBack } from './features/tenders/take-back.ts'
import { createVouchersRepository } from './features/vouchers/repository.ts'
import { createVouchers } from './features/vouchers/service.ts'
import { ProblemError } from './http/problem.ts'
import type { HighWaterMark } from './outbox/high-water.ts'
import { createIssuances } from './loyalty/issue.ts'
import { createLanes } from './outbox/keyed-mutex.ts'
import { createRedemptions } from './loyalty/redeem.ts'
import type { Seal } from './outbox/seal.ts'
import { createJournal, type JournalOptions } from './outbox/operations.ts'
import type { Witness } from './outbox/witness.ts'
import type { Logger } from './log.ts'
import type { SecretStatus } from './secret-status.ts'

export interface CheckoutOptions {
  readonly db: Database
  /** Sealing and hashing of collector numbers; keeps the journal's chain. */
  readonly seal: Seal
  readonly mark: HighWaterMark
  readonly evidence?: JournalOptions['evidence']
  readonly profile: Profile
  readonly lane: Lane
  readonly catalog: Pick<CatalogService, 'findByBarcode' | 'findBySku'>
  readonly cardReads: CardReads
  readonly printer: PrintingDevice | null
  /** The store's mark on rendered receipts; none when left out. */
  readonly logo?: Bitmap | null
  readonly transport: Transport
  readonly centre: CentreStatus
  /** Whether the lane's secret is refused; left out where it has none. */
  readonly secret?: Pick<SecretStatus, 'refusedSince' | 'onChange'>
  readonly clock: Clock
  readonly chance: Chance
  readonly audit: AuditTrail
  readonly signedIn: () => Staff | null
  readonly staffName: (id: string) => string
  readonly publish: (event: TerminalEvent) => void
  readonly log: Logger
  readonly witness?: Witness
}

/**
 * The screens hear of the queue this long after it moved, however often it moves meanwhile; after a long queue was
 * counted, so many times later as the counting took.
 */
const QUEUE_NEWS_MS = 50
const COUNTING_SHARE = 20

export type Checkout = ReturnType<typeof createCheckout>

/**
 * Everything that a sale is made of: rings, member, tenders, receipts, and the journal of what moves miles. It knows no
 * HTTP, no driver and no wall clock of its own, so that the simulation runs the very same parts.
 */
export function createCheckout(options: CheckoutOptions) {
  const { db, profile, lane, clock, chance, log, cardReads, centre, transport, witness, mark, seal, evidence } = options
  const failStop: FailStop = {
    get reason() {
      return storage.failStop.reason
    },
  }
  const storage = createTransact({
    db,
    onStop(error, reason) {
      log.fatal({ err: error, reason }, 'the terminal stops taking money')
      options.publish({ type: 'stopped', reason })
    },
    refusal: (reason) => new ProblemError(reason),
    watch: {
      committing: () => {
        witness?.committing?.()
      },
      committed() {
        // Before the mark follows: a crash between the two must find a mark that is behind, and find nothing missing.
        witness?.committed?.()
        journal.committed()
      },
    },
  })
  const { transact } = storage
  /** Nobody hears of what is not on the disk. */
  const publish = (event: TerminalEvent): void => {
    transact.afterCommit(() => {
      options.publish(event)
    })
  }
  const journal = createJournal({
    db,
    transact,
    seal,
    clock,
    chance,
    mark,
    ...(evidence ? { evidence } : {}),
    ...(witness ? { witness } : {}),
  })
  const lanes = createLanes()
  const taxes = taxesOf(profile.taxes, profile.region)
  // The store's own choice, else the language that the customer is served in.
  const locale = () => profile.locales.receipt ?? options.signedIn()?.locale ?? profile.locales.default
  const cash = createCashClient({ profile, lane, transport, chance })
  const issuance = createIssuanceClient({ profile, lane, transport })

  const repository = createSalesRepository(db)
  const guard = createGuard({ settings: profile.approvals, taxes, audit: options.audit })
  const sales = createSales({
    repository,
    transact,
    journal,
    findByBarcode: options.catalog.findByBarcode,
    findBySku: options.catalog.findBySku,
    publish,
    clock,
    chance,
    profile,
    lane,
    taxes,
    signedIn: options.signedIn,
    guard,
    takeCoupon: (code) => coupons.takeScanned(code),
  })
  const members = createMembers({
    sales,
    repository,
    transact,
    cardReads,
    cash,
    seal,
    clock,
    taxes,
    locale,
    onCentre: centre.heard,
    log,
  })
  const issuing = createIssuing({
    profile,
    journal,
    issuances: () => issuances,
    issuance,
    members,
    rules: createRulesRepository(db),
    seal,
    locale,
    lanes,
    centreIsAway: () => centre.state === 'offline',
  })
  const preview = createPreview({
    sales,
    members,
    issuance,
    issuing,
    lanes,
    clock,
    taxes,
    locale,
    language: () => options.signedIn()?.locale ?? profile.locales.default,
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
    audit: options.audit,
    clock,
    lane,
    taxes,
  })
  const receipts = createReceipts({
    repository: createReceiptsRepository(db),
    transact,
    parts: sales.parts,
    printer: options.printer,
    logo: options.logo ?? null,
    profile,
    lane,
    taxes,
    locale,
    clock,
    chance,
    publish,
    log,
    staffName: options.staffName,
    audit: options.audit,
    notOnPaper: earlierSales.notOnPaper,
    returned: (saleId) => returnRows.returned(saleId),
    traceOf: (id) => journal.traceIdOf(id, 'redeem'),
    paidBy: repository.paidBy,
    isCredited: (id) => vouchers.isCredited(id),
    codeOfVoucher: (id) => vouchers.codeOf(id),
    voucherOf: (id) => vouchers.view(id),
  })
  const vouchers = createVouchers({
    repository: createVouchersRepository(db),
    sales,
    saleRows: repository,
    transact,
    receipts: () => receipts,
    guard,
    seal,
    profile,
    lane,
    clock,
    chance,
    publish,
    staffName: options.staffName,
    signedIn: options.signedIn,
    locale,
  })

  const queueSummary = (): QueueSummary => {
    const counts = journal.counts()
    // A secret that is refused stops every call: it is one thing more to look at.
    const isRefused = (options.secret?.refusedSince ?? centre.refusedSince) !== null
    return { ...counts, attention: counts.attention + (isRefused ? 1 : 0), centre: centre.state }
  }
  let newsIsComing: (() => void) | null = null
  let countingMs = 0
  let stopped = false
  const announceQueue = (): void => {
    if (stopped) return
    newsIsComing ??= clock.after(Math.max(QUEUE_NEWS_MS, countingMs * COUNTING_SHARE), () => {
      newsIsComing = null
      const from = clock.monotonic()
      const summary = queueSummary()
      countingMs = clock.monotonic() - from
      publish({ type: 'queue-changed', summary })
    })
  }
  const issuances = createIssuances({
    journal,
    lanes,
    issuance,
    clock,
    chance,
    log,
    onCentre: centre.heard,
    onMoved(operation) {
      // What ends while the terminal closes is recorded; there is nobody left to tell.
      if (stopped) return
      announceQueue()
      // A return without a record belongs to no sale that a screen could show.
      if (repository.byId(operation.saleId)) sales.publish(operation.saleId, 'issuance')
    },
  })
  const tenders = createTenders({
    sales,
    repository,
    transact,
    issuing,
    issuances,
    redemptions: () => redemptions,
    receipts,
    vouchers,
    clock,
    taxes,
    profile,
    signedIn: options.signedIn,
    announceClosed(saleId, state) {
      publish({ type: 'sale-closed', saleId, state })
      announceQueue()
    },
  })
  const takeBack = createTakeBack({
    sales,
    repository,
    transact,
    tenders,
    vouchers,
    redemptions: () => redemptions,
    receipts,
    audit: options.audit,
    clock,
    profile,
    lane,
    locale,
    staffName: options.staffName,
    announceQueue,
  })
  const changes = createSaleChanges({ sales, repository, guard })
  const coupons = createCouponTaking({
    coupons: profile.coupons,
    timeZone: profile.timeZone,
    sales,
    repository,
    transact,
    clock,
    settle: tenders.settle,
  })
  const undo = createUndo({ sales, repository, members, guard })
  const returnRows = createReturnsRepository(db)
  const returns = createReturns({
    repository: returnRows,
    sales,
    saleRows: repository,
    transact,
    issuing,
    issuances: () => issuances,
    redemptions: () => redemptions,
    receipts,
    papers: createReturnPapers({ sales, profile, lane, taxes, staffName: options.staffName }),
    vouchers,
    tenders,
    audit: options.audit,
    guard,
    findBySku: options.catalog.findBySku,
    clock,
    profile,
    lane,
    taxes,
    locale,
  })
  const milesTender = createMilesTender({
    sales,
    repository,
    members,
    tenders,
    redemptions: () => redemptions,
    cash,
    clock,
    taxes,
    locale,
  })
  const redemptions = createRedemptions({
    journal,
    transact,
    lanes,
    cash,
    clock,
    chance,
    retryDeadlineMs: profile.limits.redeemRetryDeadlineMs,
    log,
    onCentre: centre.heard,
    saleIsOpen: (saleId) => repository.byId(saleId)?.state === 'open',
    onApproved: milesTender.onApproved,
    hasPaid: ({ id, saleId }) => repository.paidBy(saleId, id) > 0,
    onReversalExpired: (operation) => {
      if (!returns.onReversalExpired(operation)) tenders.creditLateReversal(operation)
    },
    onMoved(operation) {
      announceQueue()
      if (operation.state === 'reversal-expired') receipts.wake()
      milesTender.onMoved(operation)
    },
  })
  options.secret?.onChange(announceQueue)
  centre.onChange((state) => {
    announceQueue()
    if (state === 'online') issuances.centreIsBack()
  })

  return {
    publish,
    sales,
    heldSales,
    changes,
    coupons,
    undo,
    members,
    receipts,
    earlierSales,
    tenders,
    takeBack,
    milesTender,
    returns,
    vouchers,
    journal,
    lanes,
    redemptions,
    issuances,
    issuance,
    seal,
    failStop,
    queueSummary,
    announceQueue,
    taxes,
    transact,
    locale,

    /**
     * Finishes or escalates what a crash left open, then starts the queues. Call once; answers when recovery is done.
     */
    async start(): Promise<void> {
      preview.watch()
      members.watch()
      receipts.recover()
      const open = sales.currentId()
      if (open) {
        members.resume(open)
        // Shows the sale again, and asks anew for the miles that it earns.
        sales.publish(open, 'recovery')
      }
      try {
        await redemptions.recover()
      } catch (error) {
        log.error({ err: error }, 'recovery could not finish')
      }
      announceQueue()
      issuances.start()
    },

    /** Takes no more money: what is on the disk cannot be trusted. */
    halt: storage.halt,

    /** Somebody else is signed in, or speaks another language. */
    speak: preview.speak,

    stop(): void {
      stopped = true
      newsIsComing?.()
      preview.stop()
      issuances.stop()
      redemptions.stop()
    },
  }
}
