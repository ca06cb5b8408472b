import type { SaleLine } from '../../contracts/api/sales.ts'
import { nameIn } from '../../contracts/names.ts'
import type { ReceiptDocument } from '../../contracts/receipt.ts'
import { paperOf } from './receipt-layout.ts'
import { receiptWords } from './receipt-words.ts'
import { bottom, COLUMNS, top, type DocumentFacts } from './return-receipt.ts'

export interface GiftReceiptFacts extends DocumentFacts {
  readonly saleId: string
  readonly lines: readonly Pick<SaleLine, 'name' | 'quantity' | 'voided'>[]
}

/**
 * What goes into the parcel with a present: the goods without any price, and the barcode by which they may come back.
 * `lines`: only what may come back.
 */
export function composeGiftReceipt(facts: GiftReceiptFacts): ReceiptDocument {
  const words = receiptWords(facts.locale)
  const paper = paperOf(COLUMNS)
  const { say, count } = words
  return {
    locale: facts.locale,
    title: `${say('gift-title')} ${facts.saleId}`,
    blocks: [
      ...top('gift-heading', facts, words, paper),
      { kind: 'rule' },
      ...facts.lines
        .filter(({ voided }) => !voided)
        .flatMap(({ name, quantity }) =>
          paper.row(
            nameIn(name, facts.locale),
            quantity === 1 ? '' : say('gift-quantity', { quantity: count(quantity) }),
          ),
        ),
      { kind: 'rule' },
      ...paper.text(say('gift-use'), 'left'),
      ...bottom(facts.saleId, facts, words, paper),
    ],
  }
}
