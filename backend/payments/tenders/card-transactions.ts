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
  /** In the transaction that records the approval: its sale gets the payment, or a throw has it given back. */
  'card-payment.approved': [tx: Tx, row: CardRow]
  /** In the transaction that wrote it: asked, or settled. */
  'card-transaction.moved': [tx: Tx, row: CardRow]
}

/** Dollars of this program's stores. */
const CURRENCY = 'CAD'
/** Between two questions what became of a request, in milliseconds: at first, and at most. */
const FIRST_LOOK_MS = 500
const LATEST_LOOK_MS = 30_000

export type CardTransactions = ReturnType<typeof cardTransactionsOf>

const cardTransactionsStateOf = perLane(() => {
  const events = new EventEmitter<CardEvents>()
  const looks = new Map<string, () => void>()
  /** Payments at which, as the terminal said last, the customer still stands. */
  const inProgress = new Set<string>()
  /** A terminal does one thing at a time: what is asked meanwhile would be refused as busy. */
  const atTheTerminal = new PQueue({ concurrency: 1 })
  /** What waits for its turn there: the terminal has not heard of it. */
  const waiting = new Set<string>()
  return {
    events,
    looks,
    inProgress,
    atTheTerminal,
    waiting,
  }
})

/** Writes the request; it leaves when the transaction is committed. */
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
    state.atTheTerminal.add(() => carryOut(ctx, row)).catch(missed(ctx, reference))
  })
}

function rowOf(ctx: Ctx, reference: string): CardRow {
  const row = saleRowsOf(ctx).cards.byReference(reference)
  if (!row) throw new Error('a request to the card terminal is on the disk before anybody asks of it')
  return row
}

/** What cannot be written now is found by the next start: the request is on the disk. */
const missed =
  (ctx: Ctx, reference: string) =>
  (error: unknown): void => {
    ctx.log.error({ err: error, reference }, 'what became of a card transaction could not be written')
  }

/** Sends it, once; what was cancelled while it waited is not sent. */
async function carryOut(ctx: Ctx, row: CardRow): Promise<void> {
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
    ctx.log.error({ err: error, reference: row.reference }, 'the card terminal’s driver failed')
    outcome = { kind: 'unknown', reason: 'not-understood' }
  }
  settle(ctx, row.reference, settlementOf(outcome))
  if (outcome.kind === 'unknown') lookLater(ctx, row.reference, FIRST_LOOK_MS)
}

/** What the terminal is asked, and later asked about, in the same words; null for a refund that it cannot name. */
function requestOf(ctx: Ctx, row: CardRow): CardRequest | null {
  const { reference, saleId } = row
  const asked = { reference, amountCents: cents(row.amountCents), currency: CURRENCY, saleId }
  if (row.kind === 'payment') return { kind: 'payment', ...asked }
  const original = row.original === null ? null : rowOf(ctx, row.original).approval?.transaction
  return original ? { kind: 'refund', ...asked, original } : null
}

/** Writes what became of it. What is settled already stays as it is. */
function settle(ctx: Ctx, reference: string, settlement: CardSettlement): void {
  try {
    ctx.transact((tx) => {
      record(ctx, tx, reference, settlement)
    })
  } catch (error) {
    const { kind, saleId } = rowOf(ctx, reference)
    if (kind !== 'payment' || settlement.approval === null) throw error
    // The card was charged and the sale cannot take it: the money goes back to the card, in the same commit.
    ctx.log.error({ err: error, reference }, 'an approved card payment does not fit its sale: it is given back')
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
    // A person was quicker, and the terminal says otherwise: whoever reads the log must know.
    if (before.state !== settlement.state)
      ctx.log.error(
        { reference, settled: before.state, told: settlement.state },
        'a card transaction was settled by hand',
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

function lookLater(ctx: Ctx, reference: string, afterMs: number): void {
  const state = cardTransactionsStateOf(ctx)
  if (state.looks.has(reference)) return
  const callOff = runLater(ctx, afterMs, () => {
    state.looks.delete(reference)
    look(ctx, reference, afterMs).catch(missed(ctx, reference))
  })
  state.looks.set(reference, callOff)
}

/** Instead of at the distance that it has come to. */
function lookSoon(ctx: Ctx, reference: string): void {
  const state = cardTransactionsStateOf(ctx)
  state.looks.get(reference)?.()
  state.looks.delete(reference)
  lookLater(ctx, reference, FIRST_LOOK_MS)
}

/** Asks what became of it. Moves nothing. */
async function look(ctx: Ctx, reference: string, afterMs: number): Promise<void> {
  const terminal = devicesOf(ctx).cardTerminal
  const state = cardTransactionsStateOf(ctx)
  const row = rowOf(ctx, reference)
  const request = requestOf(ctx, row)
  if (isStopping(ctx) || !isUnsettled(row) || !terminal || !request) return
  const status: CardStatus = await terminal.status(request).catch((error: unknown) => {
    ctx.log.error({ err: error, reference }, 'the card terminal’s driver failed')
    return { kind: 'unknown', reason: 'not-understood' }
  })
  if (isStopping(ctx)) return
  if (status.kind === 'in-progress') state.inProgress.add(reference)
  else state.inProgress.delete(reference)
  if (status.kind === 'not-found') settle(ctx, reference, { state: 'declined', reason: 'not-begun', approval: null })
  else if (status.kind !== 'in-progress') settle(ctx, reference, settlementOf(status))
  if (isUnsettled(rowOf(ctx, reference)))
    lookLater(ctx, reference, Math.min(Math.max(afterMs * 2, FIRST_LOOK_MS), LATEST_LOOK_MS))
}

/** Gives a whole payment back to its card, or what is left of it. Call inside the transaction that decides it. */
function refund(ctx: Ctx, tx: Tx, payment: CardRow, amountCents: number, returnId: string | null = null): void {
  ask(ctx, tx, { saleId: payment.saleId, kind: 'refund', original: payment.reference, returnId, amountCents })
}

/**
 * Asks the terminal to stop; what became of it is what its own answer says, or where that was lost its status. What
 * it has not heard of yet ends here: it would not know what to stop, and would charge the card later.
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
      if (row.state === 'unknown') lookSoon(ctx, row.reference)
    })
    .catch(missed(ctx, row.reference))
}

/** A person has looked at the terminal's own report. */
function settleByHand(ctx: Ctx, tx: Tx, reference: string, settlement: CardSettlement): void {
  const state = cardTransactionsStateOf(ctx)
  record(ctx, tx, reference, settlement)
  state.looks.get(reference)?.()
  state.looks.delete(reference)
}

/** What an earlier run had asked and not heard of. Call before anybody can ask for anything. */
function recover(ctx: Ctx): void {
  for (const { reference, state } of saleRowsOf(ctx).cards.unsettled())
    if (state === 'asked') settle(ctx, reference, { state: 'unknown', reason: 'interrupted', approval: null })
}

/** The terminal is asked of everything that is not settled. */
function start(ctx: Ctx): void {
  for (const { reference } of saleRowsOf(ctx).cards.unsettled()) lookLater(ctx, reference, 0)
}

/**
 * What the card terminal is asked, from the request to its end. The request is on the disk before it leaves, leaves
 * once, and is settled by what the terminal says of this very reference: by its answer, or where that was lost by its
 * status, asked until it tells (docs/decisions/0019-card-terminals-over-nexo.md, 0057).
 */
export const cardTransactionsOf = perLane((ctx: Ctx) => {
  cardTransactionsStateOf(ctx)
  onStart(ctx, () => start(ctx))
  return {
    ...bound(ctx, {
      ask,
      refund,
      cancel,
      settleByHand,
      recover,
    }),
    events: cardTransactionsStateOf(ctx).events,

    /** Whether the terminal still waits for the customer, as far as it has told: what a person finds would not last. */
    isInProgress: (reference: string): boolean => cardTransactionsStateOf(ctx).inProgress.has(reference),
  }
})

export const isUnsettled = ({ state }: Pick<CardRow, 'state'>): boolean => state === 'asked' || state === 'unknown'

function settlementOf(outcome: CardOutcome): CardSettlement {
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
