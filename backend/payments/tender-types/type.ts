import type { QuotedRefund } from '../../../contracts/payments/returns.ts'
import type { Redemption, Tender } from '../../../contracts/sales/sales.ts'
import type { ReceiptBlock } from '../../../contracts/core/receipt.ts'
import type { PaidBy } from '../../../contracts/payments/tenders/registry.ts'
import type { Paper, ReceiptWords } from '../../core/paper/layout.ts'

/** A payment as paper tells it. */
export type ReceiptTender = Omit<Tender, 'number'>

/** What a receipt knows beside the payment. */
export interface ReceiptContext {
  /** The approved redemption, if any. */
  readonly redemption:
    | (Pick<Redemption, 'units' | 'amountCents' | 'miles'> & { readonly confirmationNumber: string })
    | null
  readonly tenders: readonly ReceiptTender[]
}

export interface GivenBack {
  /** As it was taken. */
  readonly tender: Pick<Tender, 'kind' | 'amountCents' | 'tenderedCents' | 'changeCents' | 'reference' | 'card'>
  /** What is left on the voucher now, in cents; null for other tenders. */
  readonly voucherLeftCents: number | null
  /** Miles that can no longer go back: store credit has taken their place. */
  readonly tooLate: boolean
}

/** What the rules and the documents must know of a tender type. */
export interface TenderType {
  /** Taking it, and giving it back, opens the drawer. */
  readonly opensDrawer: boolean
  /** Of which payments it is when goods come back, in which form they go back, and why in that one. */
  readonly pool: PaidBy
  readonly goesBack: Pick<QuotedRefund, 'kind' | 'why'>
  /** On the customer's line display. */
  readonly displayName: (words: ReceiptWords) => string
  readonly receiptRows: (
    tender: ReceiptTender,
    context: ReceiptContext,
    words: ReceiptWords,
    paper: Paper,
  ) => ReceiptBlock[]
  /** On the paper of a payment that was given back while its sale goes on. */
  readonly givenBackRows: (given: GivenBack, words: ReceiptWords, paper: Paper) => ReceiptBlock[]
}
