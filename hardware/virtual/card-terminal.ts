import { type Cents, cents, parseDollars } from '../../contracts/core/money.ts'
import type { SharedKey } from '../card-terminal/crypto.ts'
import type { TerminalAddress } from '../card-terminal/exchange.ts'
import {
  ANSWER_FAULTS,
  type AnswerFault,
  type AskedTransaction,
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
  toldOtherwise,
} from './card-terminal-wire.ts'

/** What becomes of a transaction. Without any it is approved at once. */
export const TRANSACTION_FAULTS = [
  ...ANSWER_FAULTS,
  'declined',
  'customer-cancels',
  'busy',
  /** Waits for `present`, or for an abort. */
  'waits',
  'partial',
  'receipt-missing',
  /** Approved, and the answer tells of other money. Asked for its status, the terminal tells the truth. */
  'wrong-amount',
  'wrong-currency',
  /** The connection is cut before the terminal has read anything. */
  'cut-before',
  /**
   * The connection is cut, and the request is read from the terminal's buffers after the next question for a status.
   */
  'cut-and-late',
  /** Restarts before it has charged anything, and forgets; or after it, and remembers. */
  'restart-before',
  'restart-after',
] as const
export type TransactionFault = (typeof TRANSACTION_FAULTS)[number]
export type QuestionFault = AnswerFault | 'in-progress'

/** What the bank moved, once for each time. */
export interface LedgerEntry {
  readonly kind: 'payment' | 'refund'
  readonly reference: string
  readonly amountCents: Cents
}

export type GlobalStatus = 'OK' | 'Busy' | 'Maintenance' | 'Unreachable'

/** A card terminal on loopback for the production driver, with a bank of its own, for training mode and tests. */
export interface VirtualCardTerminal {
  readonly address: TerminalAddress
  readonly ledger: readonly LedgerEntry[]
  /** Every message that was read, as `Payment A1B2C3`. */
  readonly heard: readonly string[]
  /** What becomes of the next transactions, in order. */
  plan(...faults: readonly TransactionFault[]): void
  /** What becomes of the next one; null: it is approved. */
  readonly next: TransactionFault | null
  /** Nothing is planned any more. */
  approveAll(): void
  /** What goes wrong with the next answers to questions for a status, in order. */
  planStatus(...faults: readonly QuestionFault[]): void
  /** What it says of itself from now on. */
  report(status: GlobalStatus): void
  /** Resolves when a transaction waits for a card. */
  readonly waiting: Promise<void>
  /** A transaction waits for a card. */
  readonly customerWaits: boolean
  /** A card is presented to the transaction that waits. */
  present(): void
  close(): Promise<void>
}

/**
 * Opens the far end. Its certificate is made anew, and its common name is the terminal's id. A key makes it seal
 * messages.
 */
export async function openVirtualCardTerminal(
  poiId: string,
  key: SharedKey | null,
  onChange: () => void = () => undefined,
): Promise<VirtualCardTerminal> {
  const { ledger, done, finish } = createBooks()
  const slot = createSlot(onChange)
  const heard: string[] = []
  const planned: TransactionFault[] = []
  const plannedStatus: QuestionFault[] = []
  const late: AskedTransaction[] = []
  let status: GlobalStatus = 'OK'

  async function transact(request: AskedTransaction, reply: Reply): Promise<void> {
    const fault = planned.shift()
    onChange()
    if (fault === 'cut-and-late') late.push(request)
    if (fault === 'cut-before' || fault === 'cut-and-late' || fault === 'restart-before') reply.cut()
    else if (slot.serviceId !== null || fault === 'busy') reply.say(failed(request.kind, 'Busy'))
    else if (fault === 'waits' && (await slot.waitForCard(request.serviceId)) === 'aborted') {
      const aborted = failed(request.kind, 'Aborted')
      done.set(request.serviceId, aborted)
      reply.say(aborted)
    } else {
      const body = finish(request, fault)
      reply.say(toldOtherwise(body, fault), answerFault(fault))
    }
  }

  function notifyStatus(reference: string, { MessageHeader: header }: Message, reply: Reply): void {
    const fault = plannedStatus.shift()
    if (fault === 'in-progress' || slot.serviceId === reference) {
      reply.say(statusFailed('InProgress'), fault === 'in-progress' ? undefined : fault)
      return
    }
    reply.say(statusBody(done.get(reference), header, reference), fault)
    for (const request of late.splice(0)) finish(request, undefined)
  }

  const wire = await openCardTerminalWire(poiId, key, async (message, reply) => {
    const { MessageHeader: header, TransactionStatusRequest: question, AbortRequest: abort } = message
    heard.push(`${header.MessageCategory} ${header.ServiceID}`)
    const request = asked(message)
    if (request !== null) await transact(request, reply)
    else if (question !== undefined) notifyStatus(question.MessageReference.ServiceID, message, reply)
    else if (abort !== undefined) {
      if (abort.MessageReference.ServiceID === slot.serviceId) slot.goOn('aborted')
      reply.nothing()
    } else reply.say(diagnosis(status))
  })

  return {
    address: wire.address,
    ledger,
    heard,
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
    present: () => slot.goOn('presented'),
    close: () => wire.close(),
  }
}

function statusBody(body: object | undefined, header: Header, reference: string): object {
  if (body === undefined) return statusFailed('NotFound')
  const MessageCategory = 'PaymentResponse' in body ? 'Payment' : 'Reversal'
  return statusFound(answerHeader({ ...header, MessageCategory, ServiceID: reference }), body)
}

/** null for a message that moves nothing. */
function asked({ MessageHeader: header, PaymentRequest: payment, ReversalRequest: reversal }: Message) {
  const serviceId = header.ServiceID
  const saleId = (payment ?? reversal)?.SaleData.SaleTransactionID.TransactionID ?? ''
  if (payment !== undefined) {
    const { Currency: currency, RequestedAmount: amount } = payment.PaymentTransaction.AmountsReq
    return { kind: 'payment', serviceId, saleId, amount, currency } satisfies AskedTransaction
  }
  if (reversal === undefined) return null
  const currency = new URLSearchParams(reversal.SaleData.SaleToAcquirerData).get('currency') ?? ''
  return { kind: 'refund', serviceId, saleId, amount: reversal.ReversedAmount, currency } satisfies AskedTransaction
}

/** What was charged, and what is remembered of it. A repeated reference is charged again: tests see who repeats. */
function createBooks() {
  const ledger: LedgerEntry[] = []
  const done = new Map<string, object>()

  function decide(request: AskedTransaction, fault: TransactionFault | undefined): object {
    if (fault === 'declined') return failed(request.kind, 'Refusal')
    if (fault === 'customer-cancels') return failed(request.kind, 'Cancel')
    const all = parseDollars(request.amount)
    if (all === undefined) return failed(request.kind, 'MessageFormat')
    // Half of it, but never nothing: one cent cannot be approved in part.
    const moved = fault === 'partial' ? cents(Math.ceil(all / 2)) : all
    ledger.push({ kind: request.kind, reference: request.serviceId, amountCents: moved })
    return approved(request, moved / 100, fault !== 'receipt-missing')
  }
  function finish(request: AskedTransaction, fault: TransactionFault | undefined): object {
    const body = decide(request, fault)
    done.set(request.serviceId, body)
    return body
  }
  return { ledger, done, finish }
}

/** The one place for a card: a transaction that waits for it, and how that goes on. */
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
    goOn(how: 'presented' | 'aborted'): void {
      card.resolve(how)
    },
  }
}

function answerFault(fault: TransactionFault | undefined): AnswerFault | undefined {
  return fault === 'restart-after' ? 'answer-lost' : ANSWER_FAULTS.find((name) => name === fault)
}
