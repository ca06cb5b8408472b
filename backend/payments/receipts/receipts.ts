import type { ReceiptView, Sale } from '../../../contracts/sales/sales.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { PrintState, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import type { Tx } from '../../core/db/transact.ts'
import { isGiftCard } from '../../catalog/gift-card.ts'
import { type EarnedFacts, composeGiftReceipt } from './receipt-parts.ts'
import { composeReceipt, type NoMiles, type UnsettledRedemption } from './receipt.ts'
import { TENDER_TYPES } from '../tenders/types/registry.ts'
import { withCode } from '../vouchers/voucher-receipt.ts'
import { ProblemError } from '../../core/problem.ts'
import { type Who, guardOf } from '../../sales/approvals/guard.ts'
import { basketLine, taxesOfSale, totalsOf, viewOf, type SaleParts } from '../../sales/sale-view.ts'
import { pageOf } from '../../core/paper/page.ts'
import type { ReportFacts } from '../../core/paper/pdf.ts'
import { pngOf, svgOf } from '../../core/paper/svg.ts'
import { type DocumentKey, type PrintJob, createTenderDocuments, receiptRowsOf } from './receipts.sql.ts'
import { without } from '../../sales/basket.ts'
import { forScreen } from '../../core/paper/document.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { saidOffersOf } from '../../loyalty/basket-offers/said-offers.sql.ts'
import { saleRowsOf } from '../../sales/sales.sql.ts'
import { voucherLedgerOf } from '../vouchers/vouchers.sql.ts'
import { devicesOf } from '../../core/devices/hub.ts'
import { salesOf } from '../../sales/sales.ts'
import { domainEventsOf } from '../../sales/domain-events.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { returnRowsOf } from '../returns/returns.sql.ts'
import { type Ctx, perLane, provided } from '../../core/context.ts'

export interface PrintingDevice {
  print(request: {
    document: ReceiptDocument
    openDrawer: boolean
    copy: number
  }): Promise<{ state: Exclude<PrintState, 'queued'>; detail: string | null }>
  /**
   * When its drawer was last seen to open, in milliseconds since 1970; null where no switch tells, or none did since
   * the start.
   */
  readonly drawerOpenedAt?: number | null
}

export type Receipts = ReturnType<typeof receiptsOf>

export interface Reprint {
  /** On whose word, of papers that the store's table speaks of. */
  readonly who?: Who
  /** Who asks for the paper. */
  readonly actorId: string
  /** The language that the customer asks for; left out: that of the first paper. */
  readonly locale?: Locale | undefined
  /** The paper as this copy of it, for documents that are not of a sale. */
  readonly composed?: (copy: number, locale: Locale) => ReceiptDocument
}

/** What a receipt is composed for where no printer says otherwise. */
const PAPER_COLUMNS = 42

/** Of a paper that pays and that nobody asked this program for. */
const NOT_ASKED_FOR = 'not asked for by this program'

const UNSETTLED: ReadonlySet<string> = new Set(['escalated', 'reversing', 'reversal-expired', 'reversal-escalated'])

const noMilesOf = ({ issuance }: Sale): NoMiles | null =>
  issuance?.refusal ?? (issuance?.state === 'dead' ? 'refused' : null)

const ANSWERED: ReadonlySet<string> = new Set<NonNullable<Sale['issuance']>['state']>([
  'confirmed',
  'accepted',
  'rejected',
])

/**
 * What a paper says of the miles: as the newest answer has them, else as they were expected. Where no call went out for
 * them, none come.
 */
function earnedOf({ issuance, milesPreview }: Sale): EarnedFacts {
  if (issuance === null) return { earnedMiles: 0 }
  if (!ANSWERED.has(issuance.state)) return { earnedMiles: issuance.miles ?? milesPreview }
  return {
    earnedConfirmed: true,
    earnedMiles: issuance.miles,
    pendingMiles: issuance.pending,
    rejectedMiles: issuance.rejected,
  }
}

/**
 * Receipts and the queue of the printer. A job is printed by the machine at most once; a second paper is a person's
 * wish and says so.
 */
export const receiptsOf = perLane((ctx: Ctx) => {
  const { transact, profile, lane, clock, rng, log, audit, staffName, publish, signedIn } = ctx
  const repository = receiptRowsOf(ctx)
  const taxes = storeTaxesOf(ctx)
  const offersOf = saidOffersOf(ctx).ofSale
  const paidBy = saleRowsOf(ctx).paidBy
  const vouchers = voucherLedgerOf(ctx)
  const traceOf = (id: string) => ctx.outbox.journal.traceIdOf(id, 'redeem')
  const notOnPaper = notOnPaperOf(ctx)
  const logo = devicesOf(ctx).logo
  const events = domainEventsOf(ctx)
  const returned = returnRowsOf(ctx).returned
  const guard = guardOf(ctx)
  const columns = lane.devices.printer?.columns ?? PAPER_COLUMNS
  const paying = createTenderDocuments(audit)
  let printing: Promise<void> | null = null

  function compose(parts: SaleParts, copy: number, locale: Locale): ReceiptDocument {
    const view = viewOf(parts, taxes())
    const inquiry = parts.inquiry
    const redemption =
      parts.redemption && parts.redemption.approvedOnAttempt !== null && parts.redemption.state === 'approved'
        ? view.redemption
        : null
    return composeReceipt({
      profile: { mode: profile.mode, store: profile.store, receipt: profile.receipt, timeZone: profile.timeZone },
      locale,
      saleId: view.id,
      lane: parts.elsewhere?.lane ?? lane.id,
      cashierName: parts.elsewhere?.cashierName ?? staffName(parts.sale.servedBy),
      completedAt: parts.sale.closedAt ?? clock.now(),
      lines: view.lines,
      totals: view.totals,
      discounts: view.discounts,
      exemption: view.exemption,
      note: view.note,
      taxes: taxesOfSale(parts.sale, taxes()),
      tenders: view.tenders,
      member: view.member && { last4: view.member.last4, entryMode: view.member.entryMode },
      redemption: redemption && {
        units: redemption.units,
        amountCents: redemption.amountCents,
        miles: redemption.miles,
        confirmationNumber: redemption.confirmationNumber ?? '',
      },
      balances:
        inquiry && inquiry.responseCode !== null
          ? {
              responseCode: inquiry.responseCode,
              ...inquiry.balances,
              availableCashMiles: inquiry.available?.miles,
              availableCents: inquiry.available?.cents,
            }
          : null,
      unsettled: unsettledOf(parts),
      ...earnedOf(view),
      noMiles: noMilesOf(view),
      offers: view.member ? (parts.elsewhere?.offers ?? offersOf(view.id)) : [],
      copy,
      columns,
    })
  }

  /** It pays nothing on this sale, and it is not known, or not settled yet, whether its miles are where they were. */
  function unsettledOf({ sale, redemption, tenders, elsewhere }: SaleParts): UnsettledRedemption | null {
    if (
      elsewhere !== undefined ||
      !redemption ||
      !UNSETTLED.has(redemption.state) ||
      tenders.some(({ operationId }) => operationId === redemption.id)
    )
      return null
    const tooLate = redemption.state === 'reversal-expired'
    // What had paid here and came back too late is settled by the store credit that took its place; so is what a
    // manager gave store credit for.
    if (tooLate && (paidBy(sale.id, redemption.id) > 0 || vouchers.isCredited(redemption.id))) return null
    const { id, amountCents, miles, confirmationNumber } = redemption
    return {
      traceId: traceOf(id) ?? id,
      amountCents: amountCents ?? 0,
      miles: miles ?? 0,
      confirmationNumber,
      tooLate,
    }
  }

  async function drain(): Promise<void> {
    for (let job = repository.next(); job; job = repository.next()) {
      const { id, paper, documentId } = job
      const { printer } = devicesOf(ctx)
      const outcome = printer
        ? await printOn(printer, job)
        : { state: 'failed' as const, detail: 'this lane has no printer' }
      transact((tx) => {
        repository.settle(tx, id, outcome.state, outcome.detail)
        if (paper === 'voucher' && outcome.state === 'failed' && outcome.detail !== NOT_ASKED_FOR)
          paying.printedNothing(tx, job)
      })
      publish({
        type: 'print-job',
        // To a screen it is the receipt of a sale, wherever that was made.
        paper: paper === 'store-sale' ? 'sale' : paper,
        saleId: SaleId.parse(documentId),
        state: outcome.state,
        copy: job.copy,
        totalCents: paper === 'sale' ? totalsOf(salesOf(ctx).parts(documentId), taxes()).totalCents : null,
        voucher: paper === 'voucher' ? vouchers.view(documentId) : null,
        notOnPaper: notOnPaper(),
      })
    }
  }

  async function printOn(printer: PrintingDevice, job: PrintJob) {
    const begun = transact((tx) => {
      repository.start(tx, job.id, clock.now())
      return job.paper !== 'voucher' || paying.begin(tx, job)
    })
    if (!begun) return { state: 'failed' as const, detail: NOT_ASKED_FOR }
    // The code of a voucher goes to paper and stays nowhere else.
    const document = job.paper === 'voucher' ? withCode(job.document, vouchers.codeOf(job.documentId)) : job.document
    return printer.print({ document, openDrawer: job.openDrawer, copy: job.copy })
  }

  function wake(): void {
    transact.afterCommit(() => {
      printing ??= drain()
        .catch((error: unknown) => {
          log.error({ err: error }, 'the print queue stopped')
        })
        .finally(() => {
          printing = null
        })
    })
  }

  /** A job of the queue: it is printed after the commit. */
  function enqueue(tx: Tx, paper: DocumentKey, copy: number, document: ReceiptDocument, openDrawer: boolean): void {
    const id = rng.uuid()
    repository.insert(tx, { id, paper, copy, document, openDrawer, at: clock.now() })
    if (paper.kind === 'voucher') paying.asked(tx, { id, documentId: paper.id })
    if (openDrawer && devicesOf(ctx).printer)
      audit.record(tx, {
        kind: 'drawer-opened',
        actorId: signedIn()?.id ?? null,
        subject: paper.id,
        detail: { paper: paper.kind },
      })
    wake()
  }

  /** In training the drawer stays shut. */
  const opensDrawer = (cash: boolean): boolean => profile.mode === 'production' && cash

  /**
   * Cash belongs in the drawer once: a paper that is printed late opens it only while nothing of any earlier job left,
   * so that no kick did, and while nobody was seen to open it since.
   */
  const stillOwesDrawer = (jobs: readonly PrintJob[]): boolean => {
    const asked = jobs.find(({ openDrawer }) => openDrawer)
    return (
      asked !== undefined &&
      // What was moved has been moved by then: its slip would open the drawer for nothing.
      asked.paper !== 'cash-movement' &&
      jobs.every(({ state }) => state === 'failed') &&
      (devicesOf(ctx).printer?.drawerOpenedAt ?? 0) < asked.createdAt
    )
  }

  /**
   * The first receipt of a sale, as a screen, an e-mail or an archive may have it: without what belongs on paper alone.
   */
  function shareable(saleId: string): ReceiptDocument {
    const [first] = repository.ofDocument(saleId)
    if (!first) throw new ProblemError('receipt-missing')
    return forScreen(first.document)
  }
  const pageOfSale = (document: ReceiptDocument) => pageOf(document, { columns, logo: logo })

  // The original, in its sale's commit. The drawer opens for cash.
  events.on('sale.completed', (tx, { parts: { sale } }) => {
    const parts = salesOf(ctx).parts(sale.id)
    enqueue(
      tx,
      { kind: 'sale', id: sale.id },
      0,
      compose(parts, 0, receiptLocaleOf(ctx)()),
      opensDrawer(parts.tenders.some(({ kind }) => TENDER_TYPES[kind].opensDrawer)),
    )
  })

  return {
    settled: async (): Promise<void> => {
      await printing
    },
    recover: (): void => {
      transact((tx) => {
        repository.abandonStarted(tx)
      })
      wake()
    },

    /** Of the newest job for this paper; null when none was ever recorded. */
    printState: (documentId: string): PrintState | null => repository.ofDocument(documentId).at(-1)?.state ?? null,

    /** Of a voucher's paper; false while every job of it provably printed nothing. */
    mayBeOut: (documentId: string): boolean =>
      repository.ofDocument(documentId).some(({ state }) => state !== 'failed') ||
      paying.mayBeOut(documentId, Date.parse(vouchers.view(documentId).issuedAt)),

    /** The original of another paper than a sale's, recorded with the commit that it tells of. */
    enqueueDocument: (tx: Tx, paper: DocumentKey, document: ReceiptDocument, cash: boolean): void => {
      enqueue(tx, paper, 0, document, opensDrawer(cash))
    },

    /**
     * A paper for whoever gets the goods as a present: what can still be brought back of them. Throws ProblemError
     * `gift-receipt-empty` where nothing can. As many as are asked for; who asked stands in the audit trail.
     */
    printGift(saleId: string, actorId: string): { print: PrintState } {
      const { sale, lines } = salesOf(ctx).parts(saleId)
      if (sale.state !== 'completed') throw new ProblemError('sale-not-completed')
      const goods = without(
        lines.map((line) => basketLine(line)).filter((line) => !isGiftCard(line)),
        returned(saleId),
      )
      if (goods.length === 0) throw new ProblemError('gift-receipt-empty')
      const document = composeGiftReceipt({
        profile: { mode: profile.mode, store: profile.store, receipt: profile.receipt, timeZone: profile.timeZone },
        locale: repository.ofDocument(saleId)[0]?.document.locale ?? receiptLocaleOf(ctx)(),
        lane: lane.id,
        cashierName: staffName(sale.servedBy),
        at: sale.closedAt ?? clock.now(),
        copy: 0,
        saleId,
        lines: goods,
      })
      transact((tx) => {
        enqueue(tx, { kind: 'gift', id: saleId }, 0, document, false)
        audit.record(tx, { kind: 'gift-receipt-printed', actorId, subject: saleId })
      })
      return { print: 'queued' }
    },

    /** What the screen may see of a receipt: everything but what belongs on paper alone. */
    view(documentId: string): ReceiptView {
      const jobs = repository.ofDocument(documentId)
      const first = jobs[0]
      if (!first) throw new ProblemError('receipt-missing')
      const document = forScreen(first.document)
      return {
        document,
        print: jobs.at(-1)?.state ?? null,
        hasPaperOnly: document.blocks.length < first.document.blocks.length,
      }
    },

    /** The receipt as an SVG picture. */
    svg(saleId: string): string {
      const document = shareable(saleId)
      return svgOf(pageOfSale(document), document)
    },

    /** The receipt as a PNG picture. */
    async png(saleId: string): Promise<Buffer> {
      const document = shareable(saleId)
      return pngOf(pageOfSale(document), document)
    },

    /** The receipt as a PDF file. */
    async pdf(saleId: string): Promise<Buffer> {
      const document = shareable(saleId)
      const { pdfOf } = await import('../../core/paper/pdf.ts')
      return pdfOf(pageOfSale(document), document)
    },

    /** A report as a PDF file for an office. */
    async reportPdf(document: ReceiptDocument, facts: ReportFacts): Promise<Buffer> {
      const { reportPdf } = await import('../../core/paper/pdf.ts')
      return reportPdf(forScreen(document), {
        columns,
        logo: logo,
        training: profile.mode === 'training',
        storeName: profile.store.name,
        lane: lane.id,
        ...facts,
      })
    },

    /** The language of the first paper. Throws ProblemError `receipt-missing`. */
    localeOf(documentId: string): Locale {
      const [first] = repository.ofDocument(documentId)
      if (!first) throw new ProblemError('receipt-missing')
      return first.document.locale
    },

    /** A copy of another lane's receipt, which says so and names that lane: its original came out there. */
    copyElsewhere(parts: SaleParts, who: Who, locale?: Locale): { print: PrintState } {
      const { id } = parts.sale
      const jobs = repository.ofDocument(id)
      if (jobs.some((job) => job.state === 'queued')) return { print: 'queued' }
      const copy = 1 + jobs.filter((job) => job.state !== 'failed').length
      transact((tx) => {
        guard.need('receipt-reprint', who, { of: 'paper', kind: 'sale', id })
        enqueue(tx, { kind: 'store-sale', id }, copy, compose(parts, copy, locale ?? receiptLocaleOf(ctx)()), false)
        audit.record(tx, { kind: 'receipt-reprinted', actorId: who.actorId, subject: id, detail: { copy } })
      })
      return { print: 'queued' }
    },

    /**
     * A person asks for the paper, in the language of the first unless the customer asks for another. While every
     * earlier job provably printed nothing, this is still the original; otherwise it is a copy, counted, and says so.
     * The audit trail records who asked.
     */
    reprint(
      paper: DocumentKey,
      {
        actorId,
        who,
        locale,
        composed = (copy, language) => compose(salesOf(ctx).parts(paper.id), copy, language),
      }: Reprint,
    ): { print: PrintState } {
      const jobs = repository.ofDocument(paper.id)
      const [first] = jobs
      if (!first) throw new ProblemError('receipt-missing')
      if (jobs.some((job) => job.state === 'queued')) return { print: 'queued' }
      const copy = jobs.filter((job) => job.state !== 'failed').length
      transact((tx) => {
        if (who) guard.need('receipt-reprint', who, { of: 'paper', kind: paper.kind, id: paper.id })
        enqueue(tx, paper, copy, composed(copy, locale ?? first.document.locale), stillOwesDrawer(jobs))
        audit.record(tx, { kind: 'receipt-reprinted', actorId, subject: paper.id, detail: { copy } })
      })
      return { print: 'queued' }
    },
  }
})

/** How many documents are not on paper. The list of earlier sales provides it. */
export const notOnPaperOf = provided<() => number>('the list of earlier sales')
