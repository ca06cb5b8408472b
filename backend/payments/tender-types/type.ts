import type { QuotedRefund } from '../../../contracts/payments/returns.ts'
import type { Redemption, Tender } from '../../../contracts/sales/sales.ts'
import type { ReceiptBlock } from '../../../contracts/core/receipt.ts'
import type { PaidBy } from '../../../contracts/payments/tenders/registry.ts'
import type { Paper, ReceiptTexts } from '../../core/paper/layout.ts'

export type ReceiptTender = Omit<Tender, 'number'>

export interface ReceiptContext {
  readonly redemption:
    | (Pick<Redemption, 'units' | 'amountCents' | 'miles'> & { readonly confirmationNumber: string })
    | null
  readonly tenders: readonly ReceiptTender[]
}

export interface GivenBack {
  readonly tender: Pick<
    Tender,
    'kind' | 'amountCents' | 'tenderedCents' | 'changeCents' | 'reference' | 'card' | 'coupon'
  >
  readonly voucherLeftCents: number | null
  readonly tooLate: boolean
}

export interface TenderType {
  readonly opensDrawer: boolean
  /** Payments of one pool are refunded together; `goesBack` is the form of the refund and the reason for it. */
  readonly pool: PaidBy
  readonly goesBack: Pick<QuotedRefund, 'kind' | 'why'>
  readonly displayName: (words: ReceiptTexts) => string
  readonly receiptRows: (
    tender: ReceiptTender,
    context: ReceiptContext,
    words: ReceiptTexts,
    paper: Paper,
  ) => ReceiptBlock[]
  readonly givenBackRows: (given: GivenBack, words: ReceiptTexts, paper: Paper) => ReceiptBlock[]
}
