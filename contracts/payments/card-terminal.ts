import type { Cents } from '../core/money.ts'

/**
 * A card terminal that reads the card, asks for the PIN and connects to the bank by itself; the lane sends an amount
 * and receives the outcome. These types are independent of the protocol. No card number and no track ever passes
 * through them. To prevent a double charge, the lane makes the reference, stores the request, and then sends it once.
 * When the outcome is unknown, or the program ended before it arrived, `status` queries it.
 */

/**
 * One transaction of the card terminal. Stored before the call; after a restart, `status` is called with the same
 * value.
 */
export type CardRequest = CardPayment | CardRefund

export interface CardPayment {
  readonly kind: 'payment'
  /**
   * Reference of the transaction: one to ten letters and digits, made by the lane, never reused on this card terminal.
   */
  readonly reference: string
  /** Amount in whole cents, more than zero. */
  readonly amountCents: Cents
  /** Currency as an ISO 4217 code, such as CAD. */
  readonly currency: string
  readonly saleId: string
}

/** A refund to the card that paid, by the card terminal's id of that payment: the card need not be present. */
export interface CardRefund extends Omit<CardPayment, 'kind'> {
  readonly kind: 'refund'
  readonly original: TerminalTransaction
}

export interface TerminalTransaction {
  readonly id: string
  /** Time of the transaction in the card terminal's format, ISO 8601. */
  readonly timestamp: string
}

export type EntryMode = 'chip' | 'contactless' | 'magnetic-stripe' | 'keyed' | 'on-file'

export interface PaidCard {
  readonly scheme: string | null
  readonly lastFour: string | null
  readonly entryMode: EntryMode | null
}

/** A line that the bank requires on the receipt: a label, and a value on the right. */
export interface CardReceiptLine {
  readonly key: string | null
  readonly text: string
  readonly value: string | null
  readonly bold: boolean
}

export interface CardApproval {
  readonly kind: 'approved'
  /** The amount charged or refunded. It is less than requested if the bank approved only a portion. */
  readonly amountCents: Cents
  readonly authorisationCode: string | null
  readonly transaction: TerminalTransaction
  readonly card: PaidCard
  readonly receipts: { readonly customer: readonly CardReceiptLine[]; readonly merchant: readonly CardReceiptLine[] }
}

export type DeclineReason =
  | 'refused'
  | 'wrong-pin'
  | 'invalid-card'
  | 'not-allowed'
  /** The card terminal is busy with another transaction. */
  | 'terminal-busy'
  | 'terminal-unavailable'
  | 'bank-unreachable'
  /** The card terminal rejected the request because of its own settings. */
  | 'not-accepted'
  /** There was no connection to the card terminal: the request was certainly not sent. */
  | 'not-reached'

export type UnknownReason =
  /** The connection to the card terminal was lost or timed out after the request may have been sent. */
  | 'no-answer'
  /** The answer is not valid in this protocol, or not authenticated with the shared key. */
  | 'not-understood'
  /** The answer is valid, but for another transaction, lane, card terminal, amount or currency. */
  | 'not-ours'

/** Outcome of a card transaction. `declined` and `cancelled` certainly moved no money; `unknown` may have. */
export type CardOutcome =
  | CardApproval
  | { readonly kind: 'declined'; readonly reason: DeclineReason }
  | { readonly kind: 'cancelled'; readonly by: 'customer' | 'lane' }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason }

/**
 * Status of an earlier request. `in-progress`: ask again later. `not-found`: the card terminal has not begun the
 * transaction and never will.
 */
export type CardStatus = CardOutcome | { readonly kind: 'in-progress' } | { readonly kind: 'not-found' }

export interface CardMover {
  /**
   * Sends a payment request once, without retries. Does not throw for errors of the connection or the card terminal.
   */
  pay(request: CardPayment): Promise<CardOutcome>
  /**
   * Like `pay`, for a refund. Approved means that the card terminal accepted the refund; the bank carries it out later.
   */
  refund(request: CardRefund): Promise<CardOutcome>
  /**
   * Asks the card terminal to stop a running transaction. The outcome comes as the result of `pay` or `refund`, or from
   * `status`.
   */
  cancel(request: CardRequest): Promise<void>
  /** Queries the outcome of a request, also of one from before a restart. Moves no money. */
  status(request: CardRequest): Promise<CardStatus>
}
