import type { ReceiptDocument } from '../../contracts/receipt.ts'
import { paperOf } from './receipt-layout.ts'
import { receiptWords } from './receipt-words.ts'
import { COLUMNS, top, type DocumentFacts } from './return-receipt.ts'
import { TENDER_TYPES } from './tenders/registry.ts'
import type { GivenBack } from './tenders/type.ts'

export interface PaymentBackFacts extends DocumentFacts, GivenBack {
  readonly saleId: string
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
      ...TENDER_TYPES[facts.tender.kind].givenBackRows(facts, words, paper),
      { kind: 'rule' },
      ...paper.text(words.say('payment-back-no-receipt'), 'center'),
    ],
  }
}
