import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { ReceiptEmail } from '../../../contracts/core/profile.ts'
import type {
  Delivery,
  DeliveryProblem,
  EmailReceipt,
  Invoice,
  MakeInvoice,
} from '../../../contracts/payments/receipt-delivery.ts'
import { isoOf } from '../../core/clock.ts'
import { type Ctx, bound, perLane } from '../../core/context.ts'
import { placeOf } from '../../core/integrity/seal.ts'
import { isStopping, onStart, onStop, runLater } from '../../core/lifecycle.ts'
import { forScreen } from '../../core/paper/document.ts'
import { letterPages } from '../../core/paper/letter.ts'
import { ProblemError } from '../../core/problem.ts'
import { programOf } from '../../core/program/lane-program.ts'
import type { SaleParts } from '../../sales/sale/sale-parts.ts'
import { composeReceipt } from '../receipts/receipt.ts'
import { receiptsOf } from '../receipts/receipts.ts'
import { type DeliveryRow, type WaitingRow, deliveryRowsOf } from '../rows/receipt-delivery.sql.ts'
import { EMAIL_COLUMNS, type StoredMessage, composeEmail, invoiceFile } from './email-message.ts'
import { composeInvoice } from './invoice.ts'
import { type MailOutcome, type OutgoingMail, readMailPassword, sendMail } from './mail.ts'

/** Wait before the next try: doubled after each failure, up to an hour. */
const FIRST_MS = 30_000
const LONGEST_MS = 3_600_000
/** Time for which an e-mail that no server accepts is retried; then it fails. */
const GIVE_UP_MS = 3 * 24 * 3_600_000
/** Time for which the row of a sent or failed e-mail, which has no address, is stored. */
const KEPT_MS = 30 * 24 * 3_600_000
/** Maximum number of e-mails of one sale: a lane must not send e-mails in bulk. */
const MAX_OF_SALE = 10

export type SendMail = (server: ReceiptEmail, password: string | null, mail: OutgoingMail) => Promise<MailOutcome>

/** The function that sends e-mails; a test replaces it. */
export const mailerOf = perLane((): SendMail => sendMail)

const stateOf = perLane((ctx: Ctx) => {
  const state = { running: null as Promise<void> | null, cancel: (): void => undefined }
  onStart(ctx, () => wake(ctx))
  // A stop waits for the running try, whose time is limited.
  onStop(ctx, () => state.running)
  return state
})

const place = (id: string): string => placeOf('receipt_delivery', 'message', id)

function sealed(ctx: Ctx, id: string, message: StoredMessage): Buffer {
  return ctx.seal.seal(deflateRawSync(JSON.stringify(message)), place(id))
}

const opened = (ctx: Ctx, { id, message }: WaitingRow): StoredMessage =>
  JSON.parse(inflateRawSync(ctx.seal.open(message, place(id))).toString()) as StoredMessage

const viewOf = (ctx: Ctx, { id, saleId, askedAt, askedBy, state, problem }: DeliveryRow): Delivery => ({
  id,
  saleId: SaleId.parse(saleId),
  at: isoOf(askedAt),
  by: ctx.staffName(askedBy),
  state,
  problem,
})

/**
 * Queues an e-mail with the receipt of a completed sale and returns without sending it. Throws ProblemError
 * `email-off`, `sale-not-completed` or `email-too-many`.
 */
function queue(ctx: Ctx, parts: SaleParts, { address, locale, buyer }: EmailReceipt, staffId: string): Delivery {
  const rows = deliveryRowsOf(ctx)
  const { id: saleId } = parts.sale
  if (ctx.profile.receipt.email === undefined) throw new ProblemError('email-off')
  if (parts.sale.state !== 'completed') throw new ProblemError('sale-not-completed')
  if (rows.numberOfSale(saleId) >= MAX_OF_SALE) throw new ProblemError('email-too-many')
  const facts = receiptsOf(ctx).factsOf(parts, 0, locale)
  const id = ctx.rng.uuid()
  const message = sealed(ctx, id, {
    address,
    receipt: forScreen(composeReceipt({ ...facts, columns: EMAIL_COLUMNS })),
    invoice: forScreen(composeInvoice(facts, buyer ?? null)),
  })
  return ctx.transact((tx) => {
    rows.insert(tx, { id, saleId, at: ctx.clock.now(), by: staffId, message })
    ctx.audit.record(tx, { kind: 'receipt-emailed', actorId: staffId, subject: saleId, detail: { delivery: id } })
    ctx.transact.afterCommit(() => wake(ctx))
    const row = rows.byId(id)
    if (row === undefined) throw new Error('the e-mail was not stored')
    return viewOf(ctx, row)
  })
}

function wake(ctx: Ctx): void {
  const state = stateOf(ctx)
  state.cancel()
  if (ctx.profile.receipt.email === undefined || isStopping(ctx)) return
  state.running ??= drain(ctx)
    .catch((error: unknown) => {
      ctx.log.error({ reason: error instanceof Error ? error.name : 'unknown' }, 'the queue of e-mails stopped')
    })
    .finally(() => {
      state.running = null
      const next = isStopping(ctx) ? null : deliveryRowsOf(ctx).nextAt()
      if (next !== null)
        state.cancel = runLater(ctx, Math.min(LONGEST_MS, Math.max(1_000, next - ctx.clock.now())), () => wake(ctx))
    })
}

async function drain(ctx: Ctx): Promise<void> {
  const rows = deliveryRowsOf(ctx)
  ctx.transact((tx) => rows.removeEndedBefore(tx, ctx.clock.now() - KEPT_MS))
  for (let row = rows.due(ctx.clock.now()); row && !isStopping(ctx); row = rows.due(ctx.clock.now())) {
    const outcome = await deliver(ctx, row)
    record(ctx, row, outcome)
  }
}

async function deliver(ctx: Ctx, row: WaitingRow): Promise<MailOutcome> {
  const server = ctx.profile.receipt.email
  if (server === undefined) return { kind: 'again', problem: 'unreachable', code: 'NO_SERVER' }
  const { dataFolder, folder } = programOf(ctx)
  const message = opened(ctx, row)
  const { store } = ctx.profile
  const composed = await composeEmail(message, { storeName: store.name, saleId: row.saleId })
  const mail = {
    ...composed,
    id: row.id,
    address: message.address,
    sender: { name: store.name, address: server.sender },
  }
  return mailerOf(ctx)(server, readMailPassword(dataFolder, folder.masterKey), mail)
}

function record(ctx: Ctx, row: WaitingRow, outcome: MailOutcome): void {
  const rows = deliveryRowsOf(ctx)
  const now = ctx.clock.now()
  const { id, saleId, tries, askedAt } = row
  if (outcome.kind === 'again' && now - askedAt < GIVE_UP_MS) {
    ctx.log.warn({ reference: id, code: outcome.code, failures: tries + 1 }, 'an e-mail could not be sent yet')
    const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries, 20))
    return ctx.transact((tx) => rows.putOff(tx, id, now + wait, outcome.problem))
  }
  const problem: DeliveryProblem | null =
    outcome.kind === 'sent' ? null : outcome.kind === 'refused' ? 'refused' : outcome.problem
  const state = problem === null ? 'sent' : 'failed'
  ctx.transact((tx) => {
    rows.end(tx, id, state, problem, now)
    if (problem !== null)
      ctx.audit.record(tx, {
        kind: 'receipt-email-failed',
        actorId: null,
        subject: saleId,
        detail: { delivery: id, problem },
      })
    ctx.publish({ type: 'receipt-delivery', saleId: SaleId.parse(saleId), state })
  })
  if (outcome.kind !== 'sent') ctx.log.warn({ reference: id, code: outcome.code }, 'an e-mail was given up')
}

const list = (ctx: Ctx): Delivery[] =>
  deliveryRowsOf(ctx)
    .listed()
    .map((row) => viewOf(ctx, row))

/** Removes a failure from the manager's list. Throws ProblemError `not-found`. */
function markSeen(ctx: Ctx, id: string, staffId: string): Delivery[] {
  ctx.transact((tx) => {
    if (deliveryRowsOf(ctx).markSeen(tx, id, staffId) === 0) throw new ProblemError('not-found')
    ctx.audit.record(tx, { kind: 'receipt-email-seen', actorId: staffId, subject: id })
  })
  return list(ctx)
}

/** Composes the invoice of a completed sale. Throws ProblemError `sale-not-completed`. */
async function invoice(ctx: Ctx, parts: SaleParts, { locale, buyer }: MakeInvoice, staffId: string): Promise<Invoice> {
  if (parts.sale.state !== 'completed') throw new ProblemError('sale-not-completed')
  const document = composeInvoice(receiptsOf(ctx).factsOf(parts, 0, locale), buyer ?? null)
  const { pdfOfPages } = await import('../../core/paper/pdf.ts')
  const pdf = pdfOfPages(letterPages(document), { title: document.title }).toString('base64')
  ctx.transact((tx) => {
    ctx.audit.record(tx, { kind: 'invoice-made', actorId: staffId, subject: parts.sale.id })
  })
  return { fileName: invoiceFile(parts.sale.id), pdf }
}

/**
 * E-mails with receipts, in a queue of their own: the hash-chained outbox cannot delete an address. The checkout never
 * waits for a mail server.
 */
export const emailsOf = perLane((ctx: Ctx) => {
  stateOf(ctx)
  return bound(ctx, { queue, list, markSeen, invoice, wake })
})
