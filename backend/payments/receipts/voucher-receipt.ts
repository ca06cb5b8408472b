import type { VoucherKind } from '../../../contracts/payments/vouchers.ts'
import type { Cents } from '../../../contracts/core/money.ts'
import type { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { paperOf, receiptWords } from '../../core/paper/layout.ts'
import { groupedCode, hiddenCode } from '../../core/scan-codes.ts'
import { bottom, COLUMNS, top, type DocumentFacts } from '../../core/paper/document.ts'

export interface VoucherFacts extends DocumentFacts {
  readonly kind: VoucherKind
  readonly code: string
  readonly balanceCents: Cents
  /** The return or the sale that it was issued for. */
  readonly issuedFor: string
  /** Store credit of a sale took the place of miles that could no longer go back. */
  readonly forReturn: boolean
  /** Pays at every lane of the store; else at the lane that issued it. */
  readonly isShared: boolean
}

/** The paper that is the voucher: whoever holds it may pay with it. Its code is hidden until `withCode` puts it in. */
export function composeVoucher(facts: VoucherFacts): ReceiptDocument {
  const words = receiptWords(facts.locale)
  const paper = paperOf(COLUMNS)
  const { say, money } = words
  const code = hiddenCode(facts.code)
  return {
    locale: facts.locale,
    title: `${say(`${facts.kind}-title`)} ${code.slice(-4)}`,
    blocks: [
      ...top(`${facts.kind}-heading`, facts, words, paper),
      ...paper.text(
        say(
          facts.kind === 'gift-card' ? 'gift-card-for' : facts.forReturn ? 'store-credit-for' : 'store-credit-for-sale',
          { id: facts.issuedFor },
        ),
        'left',
      ),
      { kind: 'rule' },
      ...paper.row(say('voucher-value'), money(facts.balanceCents), { bold: true, size: 'large' }),
      ...paper.row(say('voucher-code'), groupedCode(code), { bold: true }),
      { kind: 'space' },
      ...paper.text(say(`${facts.kind}-use${facts.isShared ? '-shared' : ''}`, { lane: facts.lane }), 'left'),
      ...paper.text(say('voucher-no-cash'), 'left'),
      // A screen has no use for bars that pay.
      ...bottom(code, facts, words, paper).map((block) =>
        block.kind === 'barcode' ? { ...block, paperOnly: true as const } : block,
      ),
    ],
  }
}

/** The paper with its code, on the way to the printer and nowhere else. */
export function withCode(document: ReceiptDocument, code: string): ReceiptDocument {
  const hidden = hiddenCode(code)
  const put = (text: string): string => text.replace(groupedCode(hidden), groupedCode(code)).replace(hidden, code)
  return {
    ...document,
    blocks: document.blocks.map((block) => {
      if (block.kind === 'barcode') return { ...block, data: put(block.data) }
      return block.kind === 'row'
        ? { ...block, left: put(block.left), right: put(block.right) }
        : block.kind === 'text'
          ? { ...block, text: put(block.text) }
          : block
    }),
  }
}
