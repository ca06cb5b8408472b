import type { QuotedRefund } from '../../../contracts/payments/returns.ts'
import type { Redemption, Tender } from '../../../contracts/sales/sales.ts'
import type { ReceiptBlock } from '../../../contracts/core/receipt.ts'
import type { PaidBy } from '../../../contracts/payments/tenders/registry.ts'
import type { Paper, ReceiptTexts } from '../../core/paper/layout.ts'

export type ReceiptTender = Omit<Tender, 'number'>

/** Data for the receipt rows of a payment, in addition to the payment. */
export interface ReceiptContext {
  /** The approved redemption of the sale, if any. */
  readonly redemption:
    | (Pick<Redemption, 'units' | 'amountCents' | 'miles'> & { readonly confirmationNumber: string })
    | null
  readonly tenders: readonly ReceiptTender[]
}

export interface GivenBack {
  /** The payment that is given back, as it was taken. */
  readonly tender: Pick<Tender, 'kind' | 'amountCents' | 'tenderedCents' | 'changeCents' | 'reference' | 'card'>
  /** Remaining value of the voucher that paid, in cents; null for other tenders. */
  readonly voucherLeftCents: number | null
  /** Whether store credit replaced miles because they could no longer be reversed. */
  readonly tooLate: boolean
}

export interface TenderType {
  /** Whether the drawer opens when the payment is taken or given back. */
  readonly opensDrawer: boolean
  /** Pool to which the payment belongs for refunds, and the form of the refund with its reason. */
  readonly pool: PaidBy
  readonly goesBack: Pick<QuotedRefund, 'kind' | 'why'>
  /** Name of the payment type on the customer's line display. */
  readonly displayName: (words: ReceiptTexts) => string
  readonly receiptRows: (
    tender: ReceiptTender,
    context: ReceiptContext,
    words: ReceiptTexts,
    paper: Paper,
  ) => ReceiptBlock[]
  /** Rows for the slip of a payment given back in an open sale. */
  readonly givenBackRows: (given: GivenBack, words: ReceiptTexts, paper: Paper) => ReceiptBlock[]
}
