import type { QuotedRefund } from '../../../contracts/payments/returns.ts'
import type { Redemption, Tender } from '../../../contracts/sales/sales.ts'
import type { ReceiptBlock } from '../../../contracts/core/receipt.ts'
import type { PaidBy } from '../../../contracts/payments/tenders/registry.ts'
import type { Paper, ReceiptTexts } from '../../core/paper/layout.ts'

export type ReceiptTender = Omit<Tender, 'number'>

/** Data of a receipt in addition to the payment. */
export interface ReceiptContext {
  /** The approved redemption, if any. */
  readonly redemption:
    | (Pick<Redemption, 'units' | 'amountCents' | 'miles'> & { readonly confirmationNumber: string })
    | null
  readonly tenders: readonly ReceiptTender[]
}

export interface GivenBack {
  /** The payment as it was taken. */
  readonly tender: Pick<Tender, 'kind' | 'amountCents' | 'tenderedCents' | 'changeCents' | 'reference' | 'card'>
  /** Remaining value of the voucher, in cents; null for other tenders. */
  readonly voucherLeftCents: number | null
  /** Whether store credit replaced miles that could no longer be reversed. */
  readonly tooLate: boolean
}

export interface TenderType {
  /** Opens the drawer when taken and when given back. */
  readonly opensDrawer: boolean
  /** Pool of payments for refunds, and the form of the refund with its reason. */
  readonly pool: PaidBy
  readonly goesBack: Pick<QuotedRefund, 'kind' | 'why'>
  /** For the customer's line display. */
  readonly displayName: (words: ReceiptTexts) => string
  readonly receiptRows: (
    tender: ReceiptTender,
    context: ReceiptContext,
    words: ReceiptTexts,
    paper: Paper,
  ) => ReceiptBlock[]
  /** For the slip of a payment given back in an open sale. */
  readonly givenBackRows: (given: GivenBack, words: ReceiptTexts, paper: Paper) => ReceiptBlock[]
}
