import type { Tender } from '../../contracts/api/sales.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../contracts/receipt.ts'
import { paperOf, type Paper } from './receipt-layout.ts'
import { receiptWords, type ReceiptWords } from './receipt-words.ts'
import { COLUMNS, top, type PaperFacts } from './return-receipt.ts'

export interface PaymentBackFacts extends PaperFacts {
  readonly saleId: string
  /** As it was taken. */
  readonly tender: Pick<Tender, 'kind' | 'amountCents' | 'tenderedCents' | 'changeCents' | 'reference'>
  /** What is left on the voucher now, in cents; null for other tenders. */
  readonly voucherLeftCents: number | null
  /** Miles that can no longer go back: store credit has taken their place. */
  readonly tooLate: boolean
}

/** The paper of a payment that was given back while its sale goes on: the drawer opens with it where it was cash. */
export function composePaymentBack(facts: PaymentBackFacts): ReceiptDocument {
  const words = receiptWords(facts.locale)
  const paper = paperOf(COLUMNS)
  return {
    locale: facts.locale,
    title: `${words.say('payment-back-title')} ${facts.saleId}`,
    blocks: [
      ...top('payment-back-heading', facts, words, paper),
      ...paper.text(words.say('payment-back-of', { id: facts.saleId }), 'left'),
      { kind: 'rule' },
      ...rows(facts, words, paper),
      { kind: 'rule' },
      ...paper.text(words.say('payment-back-no-receipt'), 'center'),
    ],
  }
}

function rows(
  { tender, voucherLeftCents, tooLate }: PaymentBackFacts,
  { say, money }: ReceiptWords,
  paper: Paper,
): ReceiptBlock[] {
  const { kind, amountCents, reference } = tender
  switch (kind) {
    // As it lay in the drawer: rounded, and without the change.
    case 'cash':
      return paper.row(say('refund-cash'), money(tender.tenderedCents - tender.changeCents), { bold: true })
    case 'card':
      return [
        ...paper.row(say('refund-card'), money(amountCents)),
        ...(reference ? paper.detail(say('card-reference'), reference) : []),
      ]
    case 'miles':
      return [
        ...paper.row(say(tooLate ? 'refund-store-credit' : 'refund-miles'), money(amountCents)),
        ...(reference ? paper.detail(say('confirmation'), reference) : []),
        ...paper.text(say(tooLate ? 'payment-back-too-late' : 'payment-back-miles'), 'left'),
      ]
    case 'store-credit':
    case 'gift-card':
      return [
        ...paper.row(say('voucher-tender', { kind: say(`${kind}-title`), last4: reference ?? '' }), money(amountCents)),
        ...(voucherLeftCents === null ? [] : paper.row(say('voucher-left'), money(voucherLeftCents))),
      ]
  }
}
