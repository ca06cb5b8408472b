import type { ReceiptView, Sale } from '../../../contracts/sales/sales.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { PrintState, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import type { Tx } from '../../core/db/transact.ts'
import { isGoods } from '../../catalog/charges.ts'
import { type EarnedFacts, composeGiftReceipt } from './receipt-blocks.ts'
import { composeReceipt, type NoMiles, type ReceiptFacts, type UnsettledRedemption } from './receipt.ts'
import { onlineReceiptsOf } from './online-receipts.ts'
import { TENDER_TYPES } from '../tender-types/registry.ts'
import { withCode } from './voucher-receipt.ts'
import { ProblemError } from '../../core/problem.ts'
import { type Who, guardOf } from '../../sales/approvals/guard.ts'
import { basketLine, taxesOfSale, totalsOf, type SaleParts } from '../../sales/sale/sale-parts.ts'
import { viewOf } from '../../sales/sale/sale-view.ts'
import { pageOf } from '../../core/paper/page.ts'
import type { ReportFacts } from '../../core/paper/pdf.ts'
import { pngOf, svgOf } from '../../core/paper/svg.ts'
import {
  type DocumentKey,
  type PrintJob,
  createTenderDocuments,
  notOnPaperOf,
  receiptRowsOf,
} from '../rows/receipts.sql.ts'
import { without } from '../../sales/sale/basket.ts'
import { columnsOfLane, forScreen } from '../../core/paper/document.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { receiptOfferRowsOf } from '../../loyalty/basket-offers/receipt-offers.sql.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { voucherLedgerOf } from '../rows/vouchers.sql.ts'
import { devicesOf } from '../../core/devices/hub.ts'
import { salesOf } from '../../sales/sales.ts'
import { domainEventsOf } from '../../sales/sale/domain-events.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { returnRowsOf } from '../rows/returns.sql.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

export interface PrintingDevice {
  print(request: {
    document: ReceiptDocument
    openDrawer: boolean
    copy: number
  }): Promise<{ state: Exclude<PrintState, 'queued'>; detail: string | null }>
  /**
   * Time in epoch ms when the drawer last opened; null without a drawer switch, or if it has not opened since the start
   * of the program.
   */
  readonly drawerOpenedAt?: number | null
}

export type Receipts = ReturnType<typeof receiptsOf>

export interface Reprint {
  readonly who?: Who
  readonly actorId: string
  readonly locale?: Locale | undefined
  readonly composed?: (copy: number, locale: Locale) => ReceiptDocument
}

/**
 * Detail stored with a print job of a voucher document that was refused, because this program did not request it or has
 * printed it before.
 */
const NOT_REQUESTED = 'refused: this program did not request the document'

const UNSETTLED: ReadonlySet<string> = new Set(['escalated', 'reversing', 'reversal-expired', 'reversal-escalated'])

const noMilesOf = ({ issuance }: Sale): NoMiles | null =>
  issuance?.refusal ?? (issuance?.state === 'dead' ? 'refused' : null)

const ANSWERED: ReadonlySet<string> = new Set<NonNullable<Sale['issuance']>['state']>([
  'confirmed',
  'accepted',
  'rejected',
])

/**
 * Returns the miles to print: from the program's newest answer, else as expected. Zero if no call was made because the
 * sale earns nothing.
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

const receiptsStateOf = perLane((ctx: Ctx) => {
  const columns = columnsOfLane(ctx.lane)
  const paying = createTenderDocuments(ctx.audit)

  // Store the print job of the receipt in the commit of its sale. Printing it opens the drawer for cash and cheques.
  domainEventsOf(ctx).on('sale.completed', (tx, { parts: { sale } }) => {
    const parts = salesOf(ctx).parts(sale.id)
    onlineReceiptsOf(ctx).create(tx, sale.id)
    enqueue(
      ctx,
      tx,
      { kind: 'sale', id: sale.id },
      0,
      compose(ctx, parts, 0, receiptLocaleOf(ctx)()),
      opensDrawer(
        ctx,
        parts.tenders.some(({ kind }) => TENDER_TYPES[kind].opensDrawer),
      ),
    )
  })
  return {
    columns,
    paying,
    printing: null as Promise<void> | null,
  }
})

const traceOf = (ctx: Ctx, id: string) => ctx.outbox.journal.traceIdOf(id, 'redeem')

const compose = (ctx: Ctx, parts: SaleParts, copy: number, locale: Locale): ReceiptDocument =>
  composeReceipt(factsOf(ctx, parts, copy, locale))

function factsOf(ctx: Ctx, parts: SaleParts, copy: number, locale: Locale): ReceiptFacts {
  const taxes = storeTaxesOf(ctx)
  const view = viewOf(parts, taxes())
  const inquiry = parts.inquiry
  const redemption =
    parts.redemption && parts.redemption.approvedOnAttempt !== null && parts.redemption.state === 'approved'
      ? view.redemption
      : null
  return {
    profile: {
      mode: ctx.profile.mode,
      store: ctx.profile.store,
      receipt: ctx.profile.receipt,
      timeZone: ctx.profile.timeZone,
    },
    locale,
    saleId: view.id,
    lane: parts.elsewhere?.lane ?? ctx.lane.id,
    cashierName: parts.elsewhere?.cashierName ?? ctx.staffName(parts.sale.servedBy),
    completedAt: parts.sale.closedAt ?? ctx.clock.now(),
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
    unsettled: unsettledOf(ctx, parts),
    ...earnedOf(view),
    noMiles: noMilesOf(view),
    offers: view.member ? (parts.elsewhere?.offers ?? receiptOfferRowsOf(ctx).ofSale(view.id)) : [],
    copy,
    columns: receiptsStateOf(ctx).columns,
    link: onlineReceiptsOf(ctx).addressOf(view.id),
  }
}

/**
 * Returns a redemption that pays nothing on this sale although the program may have taken its miles; null without one.
 */
function unsettledOf(ctx: Ctx, { sale, redemption, tenders, elsewhere }: SaleParts): UnsettledRedemption | null {
  if (
    elsewhere !== undefined ||
    !redemption ||
    !UNSETTLED.has(redemption.state) ||
    tenders.some(({ operationId }) => operationId === redemption.id)
  )
    return null
  const tooLate = redemption.state === 'reversal-expired'
  // Store credit replaces these miles: issued for a payment that was reversed too late, or by a manager.
  if (tooLate && (saleRowsOf(ctx).paidBy(sale.id, redemption.id) > 0 || voucherLedgerOf(ctx).isCredited(redemption.id)))
    return null
  const { id, amountCents, miles, confirmationNumber } = redemption
  return {
    traceId: traceOf(ctx, id) ?? id,
    amountCents: amountCents ?? 0,
    miles: miles ?? 0,
    confirmationNumber,
    tooLate,
  }
}

async function drain(ctx: Ctx): Promise<void> {
  const repository = receiptRowsOf(ctx)
  for (let job = repository.next(); job; job = repository.next()) {
    const { id, paper, documentId } = job
    const { printer } = devicesOf(ctx)
    const outcome = printer
      ? await printOn(ctx, printer, job)
      : { state: 'failed' as const, detail: 'this lane has no printer: add one to the profile' }
    ctx.transact((tx) => {
      repository.finish(tx, id, outcome.state, outcome.detail)
      if (paper === 'voucher' && outcome.state === 'failed' && outcome.detail !== NOT_REQUESTED)
        receiptsStateOf(ctx).paying.printedNothing(tx, job)
    })
    ctx.publish({
      type: 'print-job',
      paper: paper === 'store-sale' ? 'sale' : paper,
      saleId: SaleId.parse(documentId),
      state: outcome.state,
      copy: job.copy,
      totalCents: paper === 'sale' ? totalsOf(salesOf(ctx).parts(documentId), storeTaxesOf(ctx)()).totalCents : null,
      voucher: paper === 'voucher' ? voucherLedgerOf(ctx).view(documentId) : null,
      notOnPaper: notOnPaperOf(ctx)(),
    })
  }
}

async function printOn(ctx: Ctx, printer: PrintingDevice, job: PrintJob) {
  const begun = ctx.transact((tx) => {
    receiptRowsOf(ctx).start(tx, job.id, ctx.clock.now())
    return job.paper !== 'voucher' || receiptsStateOf(ctx).paying.begin(tx, job)
  })
  if (!begun) return { state: 'failed' as const, detail: NOT_REQUESTED }
  // The code of a voucher is inserted only for printing, and never stored in the print job.
  const document =
    job.paper === 'voucher' ? withCode(job.document, voucherLedgerOf(ctx).codeOf(job.documentId)) : job.document
  return printer.print({ document, openDrawer: job.openDrawer, copy: job.copy })
}

function resumePrinting(ctx: Ctx): void {
  const state = receiptsStateOf(ctx)
  ctx.transact.afterCommit(() => {
    state.printing ??= drain(ctx)
      .catch((error: unknown) => {
        ctx.log.error({ err: error }, 'the print queue stopped: it resumes with the next document')
      })
      .finally(() => {
        state.printing = null
      })
  })
}

function enqueue(
  ctx: Ctx,
  tx: Tx,
  paper: DocumentKey,
  copy: number,
  document: ReceiptDocument,
  openDrawer: boolean,
): void {
  const id = ctx.rng.uuid()
  receiptRowsOf(ctx).insert(tx, { id, paper, copy, document, openDrawer, at: ctx.clock.now() })
  if (paper.kind === 'voucher') receiptsStateOf(ctx).paying.asked(tx, { id, documentId: paper.id })
  if (openDrawer && devicesOf(ctx).printer)
    ctx.audit.record(tx, {
      kind: 'drawer-opened',
      actorId: ctx.signedIn()?.id ?? null,
      subject: paper.id,
      detail: { paper: paper.kind },
    })
  resumePrinting(ctx)
}

/** Whether printing a document opens the drawer: for cash in production, never in training. */
const opensDrawer = (ctx: Ctx, cash: boolean): boolean => ctx.profile.mode === 'production' && cash

/**
 * Whether printing an original late opens the drawer for its cash: only if every earlier print certainly failed, and
 * the drawer has not opened since the document was requested.
 */
function needsDrawer(ctx: Ctx, jobs: readonly PrintJob[]): boolean {
  const asked = jobs.find(({ openDrawer }) => openDrawer)
  return (
    asked !== undefined &&
    // The cash of this slip was moved when the slip was requested, so a late print leaves the drawer closed.
    asked.paper !== 'cash-movement' &&
    jobs.every(({ state }) => state === 'failed') &&
    (devicesOf(ctx).printer?.drawerOpenedAt ?? 0) < asked.createdAt
  )
}

/** Returns the original receipt of a sale without its paper-only content, for its files (SVG, PNG and PDF). */
function shareable(ctx: Ctx, saleId: string): ReceiptDocument {
  const [first] = receiptRowsOf(ctx).ofDocument(saleId)
  if (!first) throw new ProblemError('receipt-missing')
  return forScreen(first.document)
}

const pageOfSale = (ctx: Ctx, document: ReceiptDocument) =>
  pageOf(document, { columns: receiptsStateOf(ctx).columns, logo: devicesOf(ctx).logo })

async function whenPrinted(ctx: Ctx): Promise<void> {
  const state = receiptsStateOf(ctx)
  await state.printing
}

function recover(ctx: Ctx): void {
  ctx.transact((tx) => {
    receiptRowsOf(ctx).abandonStarted(tx)
  })
  resumePrinting(ctx)
}

const printState = (ctx: Ctx, documentId: string): PrintState | null =>
  receiptRowsOf(ctx).ofDocument(documentId).at(-1)?.state ?? null

/** Whether a voucher's document may have been printed; false while every job certainly printed nothing. */
const mayBePrinted = (ctx: Ctx, documentId: string): boolean =>
  receiptRowsOf(ctx)
    .ofDocument(documentId)
    .some(({ state }) => state !== 'failed') ||
  receiptsStateOf(ctx).paying.mayBePrinted(documentId, Date.parse(voucherLedgerOf(ctx).view(documentId).issuedAt))

function enqueueDocument(ctx: Ctx, tx: Tx, paper: DocumentKey, document: ReceiptDocument, cash: boolean): void {
  enqueue(ctx, tx, paper, 0, document, opensDrawer(ctx, cash))
}

/**
 * Prints a gift receipt for the goods that may still be returned, as often as requested, and audits each print. Throws
 * ProblemError `gift-receipt-empty` if no goods may be returned.
 */
function printGift(ctx: Ctx, saleId: string, actorId: string): { print: PrintState } {
  const { sale, lines } = salesOf(ctx).parts(saleId)
  if (sale.state !== 'completed') throw new ProblemError('sale-not-completed')
  const goods = without(lines.map((line) => basketLine(line)).filter(isGoods), returnRowsOf(ctx).returned(saleId))
  if (goods.length === 0) throw new ProblemError('gift-receipt-empty')
  const document = composeGiftReceipt({
    profile: {
      mode: ctx.profile.mode,
      store: ctx.profile.store,
      receipt: ctx.profile.receipt,
      timeZone: ctx.profile.timeZone,
    },
    locale: receiptRowsOf(ctx).ofDocument(saleId)[0]?.document.locale ?? receiptLocaleOf(ctx)(),
    lane: ctx.lane.id,
    cashierName: ctx.staffName(sale.servedBy),
    at: sale.closedAt ?? ctx.clock.now(),
    copy: 0,
    columns: receiptsStateOf(ctx).columns,
    saleId,
    lines: goods,
  })
  ctx.transact((tx) => {
    enqueue(ctx, tx, { kind: 'gift', id: saleId }, 0, document, false)
    ctx.audit.record(tx, { kind: 'gift-receipt-printed', actorId, subject: saleId })
  })
  return { print: 'queued' }
}

function view(ctx: Ctx, documentId: string): ReceiptView {
  const jobs = receiptRowsOf(ctx).ofDocument(documentId)
  const first = jobs[0]
  if (!first) throw new ProblemError('receipt-missing')
  const document = forScreen(first.document)
  return {
    document,
    print: jobs.at(-1)?.state ?? null,
    hasPaperOnly: document.blocks.length < first.document.blocks.length,
    link: onlineReceiptsOf(ctx).addressOf(documentId),
  }
}

function svg(ctx: Ctx, saleId: string): string {
  const document = shareable(ctx, saleId)
  return svgOf(pageOfSale(ctx, document), document)
}

async function png(ctx: Ctx, saleId: string): Promise<Buffer> {
  const document = shareable(ctx, saleId)
  return pngOf(pageOfSale(ctx, document), document)
}

async function pdf(ctx: Ctx, saleId: string): Promise<Buffer> {
  const document = shareable(ctx, saleId)
  const { pdfOf } = await import('../../core/paper/pdf.ts')
  return pdfOf(pageOfSale(ctx, document), document)
}

async function reportPdf(ctx: Ctx, document: ReceiptDocument, facts: ReportFacts): Promise<Buffer> {
  const { reportPdf } = await import('../../core/paper/pdf.ts')
  return reportPdf(forScreen(document), {
    columns: receiptsStateOf(ctx).columns,
    logo: devicesOf(ctx).logo,
    training: ctx.profile.mode === 'training',
    storeName: ctx.profile.store.name,
    lane: ctx.lane.id,
    ...facts,
  })
}

function localeOf(ctx: Ctx, documentId: string): Locale {
  const [first] = receiptRowsOf(ctx).ofDocument(documentId)
  if (!first) throw new ProblemError('receipt-missing')
  return first.document.locale
}

function copyElsewhere(ctx: Ctx, parts: SaleParts, who: Who, locale?: Locale): { print: PrintState } {
  const { id } = parts.sale
  const jobs = receiptRowsOf(ctx).ofDocument(id)
  if (jobs.some((job) => job.state === 'queued')) return { print: 'queued' }
  const copy = 1 + jobs.filter((job) => job.state !== 'failed').length
  ctx.transact((tx) => {
    guardOf(ctx).need('receipt-reprint', who, { of: 'paper', kind: 'sale', id })
    enqueue(
      ctx,
      tx,
      { kind: 'store-sale', id },
      copy,
      compose(ctx, parts, copy, locale ?? receiptLocaleOf(ctx)()),
      false,
    )
    ctx.audit.record(tx, { kind: 'receipt-reprinted', actorId: who.actorId, subject: id, detail: { copy } })
  })
  return { print: 'queued' }
}

/**
 * Prints a document again on request, by default in the language of its first print. It is still the original while
 * every earlier print certainly failed; otherwise it is a numbered copy. Audited.
 */
function reprint(
  ctx: Ctx,
  paper: DocumentKey,
  {
    actorId,
    who,
    locale,
    composed = (copy, language) => compose(ctx, salesOf(ctx).parts(paper.id), copy, language),
  }: Reprint,
): { print: PrintState } {
  const jobs = receiptRowsOf(ctx).ofDocument(paper.id)
  const [first] = jobs
  if (!first) throw new ProblemError('receipt-missing')
  if (jobs.some((job) => job.state === 'queued')) return { print: 'queued' }
  const copy = jobs.filter((job) => job.state !== 'failed').length
  ctx.transact((tx) => {
    if (who) guardOf(ctx).need('receipt-reprint', who, { of: 'paper', kind: paper.kind, id: paper.id })
    enqueue(ctx, tx, paper, copy, composed(copy, locale ?? first.document.locale), needsDrawer(ctx, jobs))
    ctx.audit.record(tx, { kind: 'receipt-reprinted', actorId, subject: paper.id, detail: { copy } })
  })
  return { print: 'queued' }
}

/**
 * Receipts and the print queue. A job is printed at most once; another print needs a person’s request, and is a marked
 * copy unless every earlier print certainly failed.
 */
export const receiptsOf = perLane((ctx: Ctx) => {
  receiptsStateOf(ctx)
  return bound(ctx, {
    whenPrinted,
    recover,
    printState,
    mayBePrinted,
    factsOf,
    enqueueDocument,
    printGift,
    view,
    svg,
    png,
    pdf,
    reportPdf,
    localeOf,
    copyElsewhere,
    reprint,
  })
})
