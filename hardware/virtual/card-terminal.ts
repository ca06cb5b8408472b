import { type Cents, cents, parseDollars } from '../../contracts/core/money.ts'
import type { SharedKey } from '../card-terminal/crypto.ts'
import type { TerminalAddress } from '../card-terminal/exchange.ts'
import {
  ANSWER_FAULTS,
  type AnswerFault,
  type RequestedTransaction,
  type Header,
  type Message,
  type Reply,
  answerHeader,
  approved,
  diagnosis,
  failed,
  openCardTerminalWire,
  statusFailed,
  statusFound,
  withWrongAmount,
} from './card-terminal-wire.ts'

/** Planned outcomes of transactions. A transaction without one is approved immediately. */
export const TRANSACTION_FAULTS = [
  ...ANSWER_FAULTS,
  'declined',
  'customer-cancels',
  'busy',
  'waits',
  'partial',
  'receipt-missing',
  /**
   * The transaction is approved, but the answer reports another amount or currency. A status request returns the
   * correct one.
   */
  'wrong-amount',
  'wrong-currency',
  'cut-before',
  /** The connection is closed, and the request is processed after the next status request. */
  'cut-and-late',
  /**
   * The card terminal restarts: before it has charged, so that it forgets the request; or after it has charged, which
   * it remembers.
   */
  'restart-before',
  'restart-after',
] as const
export type TransactionFault = (typeof TRANSACTION_FAULTS)[number]
export type QuestionFault = AnswerFault | 'in-progress'

export interface LedgerEntry {
  readonly kind: 'payment' | 'refund'
  readonly reference: string
  readonly amountCents: Cents
}

export type GlobalStatus = 'OK' | 'Busy' | 'Maintenance' | 'Unreachable'

/** A simulated card terminal on loopback for the production driver, with its own bank, for training mode and tests. */
export interface VirtualCardTerminal {
  readonly address: TerminalAddress
  readonly ledger: readonly LedgerEntry[]
  readonly received: readonly string[]
  plan(...faults: readonly TransactionFault[]): void
  readonly next: TransactionFault | null
  approveAll(): void
  planStatus(...faults: readonly QuestionFault[]): void
  report(status: GlobalStatus): void
  readonly waiting: Promise<void>
  readonly customerWaits: boolean
  present(): void
  close(): Promise<void>
}

/**
 * Opens the far end with a new certificate whose common name is the card terminal's id. Seals messages if there is a
 * shared key.
 */
export async function openVirtualCardTerminal(
  poiId: string,
  key: SharedKey | null,
  onChange: () => void = () => undefined,
): Promise<VirtualCardTerminal> {
  const { ledger, done, finish } = createBooks()
  const slot = createSlot(onChange)
  const received: string[] = []
  const planned: TransactionFault[] = []
  const plannedStatus: QuestionFault[] = []
  const late: RequestedTransaction[] = []
  let status: GlobalStatus = 'OK'

  async function transact(request: RequestedTransaction, reply: Reply): Promise<void> {
    const fault = planned.shift()
    onChange()
    if (fault === 'cut-and-late') late.push(request)
    if (fault === 'cut-before' || fault === 'cut-and-late' || fault === 'restart-before') reply.cut()
    else if (slot.serviceId !== null || fault === 'busy') reply.send(failed(request.kind, 'Busy'))
    else if (fault === 'waits' && (await slot.waitForCard(request.serviceId)) === 'aborted') {
      const aborted = failed(request.kind, 'Aborted')
      done.set(request.serviceId, aborted)
      reply.send(aborted)
    } else {
      const body = finish(request, fault)
      reply.send(withWrongAmount(body, fault), answerFault(fault))
    }
  }

  function notifyStatus(reference: string, { MessageHeader: header }: Message, reply: Reply): void {
    const fault = plannedStatus.shift()
    if (fault === 'in-progress' || slot.serviceId === reference) {
      reply.send(statusFailed('InProgress'), fault === 'in-progress' ? undefined : fault)
      return
    }
    reply.send(statusBody(done.get(reference), header, reference), fault)
    for (const request of late.splice(0)) finish(request, undefined)
  }

  const wire = await openCardTerminalWire(poiId, key, async (message, reply) => {
    const { MessageHeader: header, TransactionStatusRequest: question, AbortRequest: abort } = message
    received.push(`${header.MessageCategory} ${header.ServiceID}`)
    const request = requestedTransaction(message)
    if (request !== null) await transact(request, reply)
    else if (question !== undefined) notifyStatus(question.MessageReference.ServiceID, message, reply)
    else if (abort !== undefined) {
      if (abort.MessageReference.ServiceID === slot.serviceId) slot.resume('aborted')
      reply.nothing()
    } else reply.send(diagnosis(status))
  })

  return {
    address: wire.address,
    ledger,
    received: received,
    plan(...faults) {
      planned.push(...faults)
      onChange()
    },
    get next() {
      return planned[0] ?? null
    },
    approveAll() {
      planned.length = 0
      onChange()
    },
    planStatus: (...faults) => void plannedStatus.push(...faults),
    report: (next) => void (status = next),
    get waiting() {
      return slot.waiting
    },
    get customerWaits() {
      return slot.serviceId !== null
    },
    present: () => slot.resume('presented'),
    close: () => wire.close(),
  }
}

function statusBody(body: object | undefined, header: Header, reference: string): object {
  if (body === undefined) return statusFailed('NotFound')
  const MessageCategory = 'PaymentResponse' in body ? 'Payment' : 'Reversal'
  return statusFound(answerHeader({ ...header, MessageCategory, ServiceID: reference }), body)
}

function requestedTransaction({ MessageHeader: header, PaymentRequest: payment, ReversalRequest: reversal }: Message) {
  const serviceId = header.ServiceID
  const saleId = (payment ?? reversal)?.SaleData.SaleTransactionID.TransactionID ?? ''
  if (payment !== undefined) {
    const { Currency: currency, RequestedAmount: amount } = payment.PaymentTransaction.AmountsReq
    return { kind: 'payment', serviceId, saleId, amount, currency } satisfies RequestedTransaction
  }
  if (reversal === undefined) return null
  const currency = new URLSearchParams(reversal.SaleData.SaleToAcquirerData).get('currency') ?? ''
  return { kind: 'refund', serviceId, saleId, amount: reversal.ReversedAmount, currency } satisfies RequestedTransaction
}

/**
 * Ledger of the bank and the stored outcomes. A repeated reference is charged again, so that tests detect a driver that
 * repeats a request.
 */
function createBooks() {
  const ledger: LedgerEntry[] = []
  const done = new Map<string, object>()

  function decide(request: RequestedTransaction, fault: TransactionFault | undefined): object {
    if (fault === 'declined') return failed(request.kind, 'Refusal')
    if (fault === 'customer-cancels') return failed(request.kind, 'Cancel')
    const all = parseDollars(request.amount)
    if (all === undefined) return failed(request.kind, 'MessageFormat')
    // A partial approval moves half of the amount, rounded up to a cent.
    const moved = fault === 'partial' ? cents(Math.ceil(all / 2)) : all
    ledger.push({ kind: request.kind, reference: request.serviceId, amountCents: moved })
    return approved(request, moved / 100, fault !== 'receipt-missing')
  }
  function finish(request: RequestedTransaction, fault: TransactionFault | undefined): object {
    const body = decide(request, fault)
    done.set(request.serviceId, body)
    return body
  }
  return { ledger, done, finish }
}

function createSlot(onChange: () => void) {
  let serviceId: string | null = null
  let card = Promise.withResolvers<'presented' | 'aborted'>()
  let waiting = Promise.withResolvers<void>()
  return {
    get serviceId() {
      return serviceId
    },
    get waiting() {
      return waiting.promise
    },
    async waitForCard(asking: string): Promise<'presented' | 'aborted'> {
      serviceId = asking
      card = Promise.withResolvers()
      waiting.resolve()
      onChange()
      const how = await card.promise
      serviceId = null
      onChange()
      waiting = Promise.withResolvers()
      return how
    },
    resume(how: 'presented' | 'aborted'): void {
      card.resolve(how)
    },
  }
}

function answerFault(fault: TransactionFault | undefined): AnswerFault | undefined {
  return fault === 'restart-after' ? 'answer-lost' : ANSWER_FAULTS.find((name) => name === fault)
}
