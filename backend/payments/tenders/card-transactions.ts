import { EventEmitter } from 'node:events'
import PQueue from 'p-queue'
import { cents } from '../../../contracts/core/money.ts'
import type { CardOutcome, CardRequest, CardStatus } from '../../../contracts/payments/card-terminal.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { CardRow, CardSettlement } from '../../sales/sale/sale-rows.sql.ts'
import { devicesOf } from '../../core/devices/hub.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { isStopping, onStart, runLater } from '../../core/lifecycle.ts'

export interface CardEvents {
  /**
   * Emitted in the transaction of the approval; a listener adds the payment to the sale. If a listener throws, the
   * payment is refunded.
   */
  'card-payment.approved': [tx: Tx, row: CardRow]
  'card-transaction.moved': [tx: Tx, row: CardRow]
}

const CURRENCY = 'CAD'
/** First and longest interval between status requests for a transaction, in ms. */
const FIRST_STATUS_MS = 500
const MAX_STATUS_MS = 30_000

export type CardTransactions = ReturnType<typeof cardTransactionsOf>

const cardTransactionsStateOf = perLane(() => {
  const events = new EventEmitter<CardEvents>()
  const scheduled = new Map<string, () => void>()
  /** Payments whose customer was still at the card terminal when it last reported. */
  const inProgress = new Set<string>()
  /** Sends one payment or refund at a time, because a busy card terminal refuses a second one. */
  const atTheTerminal = new PQueue({ concurrency: 1 })
  const waiting = new Set<string>()
  return {
    events,
    scheduled,
    inProgress,
    atTheTerminal,
    waiting,
  }
})

function ask(
  ctx: Ctx,
  tx: Tx,
  request: Pick<CardRow, 'saleId' | 'kind' | 'original' | 'returnId' | 'amountCents'>,
): void {
  const state = cardTransactionsStateOf(ctx)
  const reference = ctx.rng.uuid().replaceAll('-', '').slice(0, 10).toUpperCase()
  saleRowsOf(ctx).cards.insert(tx, { ...request, reference, askedAt: ctx.clock.now() })
  const row = rowOf(ctx, reference)
  state.events.emit('card-transaction.moved', tx, row)
  ctx.transact.afterCommit(() => {
    state.waiting.add(reference)
    state.atTheTerminal.add(() => sendOnce(ctx, row)).catch(missed(ctx, reference))
  })
}

function rowOf(ctx: Ctx, reference: string): CardRow {
  const row = saleRowsOf(ctx).cards.byReference(reference)
  if (!row) throw new Error('the card transaction is not recorded')
  return row
}

/**
 * Logs that the state of a card request could not be written. The request was recorded, so the next start asks for its
 * status.
 */
const missed =
  (ctx: Ctx, reference: string) =>
  (error: unknown): void => {
    ctx.log.error(
      { err: error, reference },
      'could not record the result of a card transaction: requesting it again at the next start',
    )
  }

async function sendOnce(ctx: Ctx, row: CardRow): Promise<void> {
  const terminal = devicesOf(ctx).cardTerminal
  cardTransactionsStateOf(ctx).waiting.delete(row.reference)
  if (!isUnsettled(rowOf(ctx, row.reference))) return
  const request = requestOf(ctx, row)
  if (!terminal || !request)
    return settle(ctx, row.reference, {
      state: 'declined',
      reason: terminal ? 'not-refundable' : 'no-terminal',
      approval: null,
    })
  let outcome: CardOutcome
  try {
    outcome = await (request.kind === 'payment' ? terminal.pay(request) : terminal.refund(request))
  } catch (error) {
    ctx.log.error({ err: error, reference: row.reference }, 'the driver of the card terminal failed')
    outcome = { kind: 'unknown', reason: 'not-understood' }
  }
  settle(ctx, row.reference, cardSettlementOf(outcome))
  if (outcome.kind === 'unknown') scheduleStatus(ctx, row.reference, FIRST_STATUS_MS)
}

/**
 * Builds the request, the same for sending and for status; null for a refund if the card terminal gave the payment no
 * id.
 */
function requestOf(ctx: Ctx, row: CardRow): CardRequest | null {
  const { reference, saleId } = row
  const asked = { reference, amountCents: cents(row.amountCents), currency: CURRENCY, saleId }
  if (row.kind === 'payment') return { kind: 'payment', ...asked }
  const original = row.original === null ? null : rowOf(ctx, row.original).approval?.transaction
  return original ? { kind: 'refund', ...asked, original } : null
}

function settle(ctx: Ctx, reference: string, settlement: CardSettlement): void {
  try {
    ctx.transact((tx) => {
      record(ctx, tx, reference, settlement)
    })
  } catch (error) {
    const { kind, saleId } = rowOf(ctx, reference)
    if (kind !== 'payment' || settlement.approval === null) throw error
    // The card was charged but the sale rejects the payment: refund it in the same commit.
    ctx.log.error({ err: error, reference }, 'an approved card payment does not fit its sale: refunding it')
    const { amountCents } = settlement.approval
    ctx.transact((tx) => {
      write(ctx, tx, reference, settlement)
      cardTransactionsStateOf(ctx).events.emit('card-transaction.moved', tx, rowOf(ctx, reference))
      ask(ctx, tx, { saleId, kind: 'refund', original: reference, returnId: null, amountCents })
    })
  }
}

function record(ctx: Ctx, tx: Tx, reference: string, settlement: CardSettlement): void {
  const state = cardTransactionsStateOf(ctx)
  const before = rowOf(ctx, reference)
  if (!isUnsettled(before)) {
    // The card terminal now reports another result than the one that a manager recorded. Keep the manager's, and log
    // the difference.
    if (before.state !== settlement.state)
      ctx.log.error(
        { reference, settled: before.state, reported: settlement.state },
        'the terminal reports another result than the manual settlement: check its report',
      )
    return
  }
  if (before.state === 'unknown' && settlement.state === 'unknown' && before.reason === settlement.reason) return
  write(ctx, tx, reference, settlement)
  const row = rowOf(ctx, reference)
  if (row.kind === 'payment' && row.state === 'approved') state.events.emit('card-payment.approved', tx, row)
  state.events.emit('card-transaction.moved', tx, row)
}

function write(ctx: Ctx, tx: Tx, reference: string, settlement: CardSettlement): void {
  saleRowsOf(ctx).cards.settle(tx, reference, settlement, ctx.clock.now())
}

function scheduleStatus(ctx: Ctx, reference: string, afterMs: number): void {
  const state = cardTransactionsStateOf(ctx)
  if (state.scheduled.has(reference)) return
  const callOff = runLater(ctx, afterMs, () => {
    state.scheduled.delete(reference)
    requestStatus(ctx, reference, afterMs).catch(missed(ctx, reference))
  })
  state.scheduled.set(reference, callOff)
}

/** Asks for the status of a card transaction again soon, instead of after the grown interval. */
function shortenInterval(ctx: Ctx, reference: string): void {
  const state = cardTransactionsStateOf(ctx)
  state.scheduled.get(reference)?.()
  state.scheduled.delete(reference)
  scheduleStatus(ctx, reference, FIRST_STATUS_MS)
}

async function requestStatus(ctx: Ctx, reference: string, afterMs: number): Promise<void> {
  const terminal = devicesOf(ctx).cardTerminal
  const state = cardTransactionsStateOf(ctx)
  const row = rowOf(ctx, reference)
  const request = requestOf(ctx, row)
  if (isStopping(ctx) || !isUnsettled(row) || !terminal || !request) return
  const status: CardStatus = await terminal.status(request).catch((error: unknown) => {
    ctx.log.error({ err: error, reference }, 'the driver of the card terminal failed')
    return { kind: 'unknown', reason: 'not-understood' }
  })
  if (isStopping(ctx)) return
  if (status.kind === 'in-progress') state.inProgress.add(reference)
  else state.inProgress.delete(reference)
  if (status.kind === 'not-found') settle(ctx, reference, { state: 'declined', reason: 'not-begun', approval: null })
  else if (status.kind !== 'in-progress') settle(ctx, reference, cardSettlementOf(status))
  if (isUnsettled(rowOf(ctx, reference)))
    scheduleStatus(ctx, reference, Math.min(Math.max(afterMs * 2, FIRST_STATUS_MS), MAX_STATUS_MS))
}

function refund(ctx: Ctx, tx: Tx, payment: CardRow, amountCents: number, returnId: string | null = null): void {
  ask(ctx, tx, { saleId: payment.saleId, kind: 'refund', original: payment.reference, returnId, amountCents })
}

/**
 * Asks the card terminal to cancel a transaction. The result of the transaction comes from the answer to its request
 * or, if that is lost, from a status request. A request that was not sent yet is cancelled at the lane: the card
 * terminal does not know it, and would charge the card later.
 */
function cancel(ctx: Ctx, row: CardRow): void {
  const terminal = devicesOf(ctx).cardTerminal
  if (cardTransactionsStateOf(ctx).waiting.has(row.reference))
    return settle(ctx, row.reference, { state: 'cancelled', reason: 'by-lane', approval: null })
  const request = requestOf(ctx, row)
  if (!terminal || !request) return
  terminal
    .cancel(request)
    .then(() => {
      if (row.state === 'unknown') shortenInterval(ctx, row.reference)
    })
    .catch(missed(ctx, row.reference))
}

function resolveManually(ctx: Ctx, tx: Tx, reference: string, settlement: CardSettlement): void {
  const state = cardTransactionsStateOf(ctx)
  record(ctx, tx, reference, settlement)
  state.scheduled.get(reference)?.()
  state.scheduled.delete(reference)
}

function recover(ctx: Ctx): void {
  for (const { reference, state } of saleRowsOf(ctx).cards.unsettled())
    if (state === 'asked') settle(ctx, reference, { state: 'unknown', reason: 'interrupted', approval: null })
}

function start(ctx: Ctx): void {
  for (const { reference } of saleRowsOf(ctx).cards.unsettled()) scheduleStatus(ctx, reference, 0)
}

/**
 * Requests to the card terminal. Each request is recorded before it is sent, sent once, and settled by the card
 * terminal's result for its own reference: from the answer or, if that is lost, from status requests repeated until one
 * has the result (docs/decisions/0019-card-terminals-over-nexo.md).
 */
export const cardTransactionsOf = perLane((ctx: Ctx) => {
  cardTransactionsStateOf(ctx)
  onStart(ctx, () => start(ctx))
  return {
    ...bound(ctx, {
      ask,
      refund,
      cancel,
      resolveManually,
      recover,
    }),
    events: cardTransactionsStateOf(ctx).events,

    /**
     * Whether the customer was still at the card terminal when it last reported: the payment may still succeed, so a
     * manager cannot record that it failed.
     */
    isInProgress: (reference: string): boolean => cardTransactionsStateOf(ctx).inProgress.has(reference),
  }
})

export const isUnsettled = ({ state }: Pick<CardRow, 'state'>): boolean => state === 'asked' || state === 'unknown'

function cardSettlementOf(outcome: CardOutcome): CardSettlement {
  switch (outcome.kind) {
    case 'approved': {
      const { amountCents, authorisationCode, transaction, card, receipts } = outcome
      const customerLines = receipts.customer.map((line) => ({ ...line }))
      return {
        state: 'approved',
        reason: null,
        approval: { amountCents, authorisationCode, transaction, card, customerLines },
      }
    }
    case 'declined':
      return { state: 'declined', reason: outcome.reason, approval: null }
    case 'cancelled':
      return { state: 'cancelled', reason: outcome.by === 'customer' ? 'by-customer' : 'by-lane', approval: null }
    case 'unknown':
      return { state: 'unknown', reason: outcome.reason, approval: null }
  }
}
