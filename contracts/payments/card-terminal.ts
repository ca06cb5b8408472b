import type { Cents } from '../core/money.ts'

/**
 * A card terminal that reads the card, asks for the PIN and speaks to the bank by itself; the lane tells it an amount
 * and hears what became of it. Any protocol can stand behind these types. No card number and no track ever comes
 * through them.
 *
 * Nothing is charged twice because of an order that the caller keeps: it makes the reference, stores what it is about
 * to ask, and then asks once. When the answer is unknown, or the program ended before it came, `status` says what
 * became of it.
 */

/** What one call moves. The same value, stored before the call, is what `status` is asked with after a restart. */
export type CardRequest = CardPayment | CardRefund

export interface CardPayment {
  readonly kind: 'payment'
  /** One to ten letters and digits, made by the caller, never used again on this terminal. */
  readonly reference: string
  /** Whole cents, more than none. */
  readonly amountCents: Cents
  /** ISO 4217, such as CAD. */
  readonly currency: string
  /** The sale on the terminal's own reports. */
  readonly saleId: string
}

/** Gives back to the card that paid, by the terminal's own name for that payment: the card need not be there. */
export interface CardRefund extends Omit<CardPayment, 'kind'> {
  readonly kind: 'refund'
  readonly original: TerminalTransaction
}

/** What the terminal calls a transaction. */
export interface TerminalTransaction {
  readonly id: string
  /** As the terminal wrote it, ISO 8601. */
  readonly timestamp: string
}

export type EntryMode = 'chip' | 'contactless' | 'magnetic-stripe' | 'keyed' | 'on-file'

/** What a receipt may say of a card. */
export interface PaidCard {
  readonly scheme: string | null
  readonly lastFour: string | null
  readonly entryMode: EntryMode | null
}

/** A line that the bank wants on paper: a text, and what stands at its right. */
export interface CardReceiptLine {
  /** What the line is of, where the terminal names it. */
  readonly key: string | null
  readonly text: string
  readonly value: string | null
  readonly bold: boolean
}

export interface CardApproval {
  readonly kind: 'approved'
  /** What the card was charged or given. Less than asked where the bank approved a part only. */
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
  /** The terminal is at another transaction. */
  | 'terminal-busy'
  | 'terminal-unavailable'
  | 'bank-unreachable'
  /** The terminal did not accept how it was asked: a matter of its settings. */
  | 'not-accepted'
  /** No connection to the terminal: provably nothing was asked. */
  | 'not-reached'

export type UnknownReason =
  /** The wire was lost, or the time passed, after the request may have left. */
  | 'no-answer'
  /** Not what this protocol says, or not as our key says it. */
  | 'not-understood'
  /** Well said, but of another transaction, lane, terminal, amount or currency. */
  | 'not-ours'

/** `declined` and `cancelled` certainly moved nothing; of `unknown` nobody can say. */
export type CardOutcome =
  | CardApproval
  | { readonly kind: 'declined'; readonly reason: DeclineReason }
  | { readonly kind: 'cancelled'; readonly by: 'customer' | 'lane' }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason }

/** `in-progress`: ask again later. `not-found`: the terminal never began it, and it will not. */
export type CardStatus = CardOutcome | { readonly kind: 'in-progress' } | { readonly kind: 'not-found' }

/** What whoever takes payments may ask of a card terminal. */
export interface CardMover {
  /** Asks once, and never by itself again. Never throws for what a wire or a terminal does. */
  pay(request: CardPayment): Promise<CardOutcome>
  /** As `pay`. Approved means that the terminal took the order to give back; the bank carries it out later. */
  refund(request: CardRefund): Promise<CardOutcome>
  /** Asks the terminal to stop a transaction that runs. What became of it is what its own call, or `status`, says. */
  cancel(request: CardRequest): Promise<void>
  /** What became of an earlier request, also one of an earlier run of the program. Moves nothing. */
  status(request: CardRequest): Promise<CardStatus>
}
