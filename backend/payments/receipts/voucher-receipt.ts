import type { VoucherKind } from '../../../contracts/payments/vouchers.ts'
import type { Cents } from '../../../contracts/core/money.ts'
import type { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { paperOf, receiptTexts } from '../../core/paper/layout.ts'
import { groupedCode, hiddenCode } from '../../core/scan-codes.ts'
import { bottom, top, type DocumentFacts } from '../../core/paper/document.ts'

export interface VoucherFacts extends DocumentFacts {
  readonly kind: VoucherKind
  readonly code: string
  readonly balanceCents: Cents
  readonly issuedFor: string
  /**
   * Whether the voucher was issued for a return; false for a gift card, and for store credit that replaces miles of a
   * sale that can no longer be reversed.
   */
  readonly forReturn: boolean
  /** Whether the voucher is valid at every lane of the store; else only at the issuing lane. */
  readonly isShared: boolean
}

export function composeVoucher(facts: VoucherFacts): ReceiptDocument {
  const words = receiptTexts(facts.locale, facts.profile.receipt.secondLanguage)
  const paper = paperOf(facts.columns)
  const { t, money } = words
  const code = hiddenCode(facts.code)
  return {
    locale: facts.locale,
    title: `${t(`${facts.kind}-title`)} ${code.slice(-4)}`,
    blocks: [
      ...top(`${facts.kind}-heading`, facts, words, paper),
      ...paper.text(
        t(
          facts.kind === 'gift-card' ? 'gift-card-for' : facts.forReturn ? 'store-credit-for' : 'store-credit-for-sale',
          { id: facts.issuedFor },
        ),
        'left',
      ),
      { kind: 'rule' },
      ...paper.row(t('voucher-value'), money(facts.balanceCents), { bold: true, size: 'large' }),
      ...paper.row(t('voucher-code'), groupedCode(code), { bold: true }),
      { kind: 'space' },
      ...paper.text(t(`${facts.kind}-use${facts.isShared ? '-shared' : ''}`, { lane: facts.lane }), 'left'),
      ...paper.text(t('voucher-no-cash'), 'left'),
      // The barcode is only for paper: on screens, the code is masked.
      ...bottom(code, facts, words, paper).map((block) =>
        block.kind === 'barcode' ? { ...block, paperOnly: true as const } : block,
      ),
    ],
  }
}

export interface CashOutFacts extends DocumentFacts {
  readonly saleId: string
  readonly last4: string
  readonly amountCents: number
  readonly cashCents: number
}

/** Composes the slip of a gift card whose balance was paid out. Printing it opens the drawer. */
export function composeCashOut(facts: CashOutFacts): ReceiptDocument {
  const words = receiptTexts(facts.locale, facts.profile.receipt.secondLanguage)
  const paper = paperOf(facts.columns)
  const { t, money } = words
  const { saleId, last4, amountCents, cashCents } = facts
  return {
    locale: facts.locale,
    title: `${t('cash-out-title')} ${saleId}`,
    blocks: [
      ...top('cash-out-heading', facts, words, paper),
      { kind: 'rule' },
      ...paper.row(t('voucher-tender', { kind: t('gift-card-title'), last4 }), money(amountCents)),
      ...(cashCents === amountCents ? [] : paper.row(t('cash-rounding'), money(cashCents - amountCents))),
      ...paper.row(t('cash-out-paid'), money(cashCents), { bold: true, size: 'large' }),
      { kind: 'rule' },
      ...paper.text(t('cash-out-empty'), 'left'),
      ...paper.text(t('cash-out-number', { id: saleId }), 'left'),
    ],
  }
}

/** Inserts the voucher code into the document, for the printer only. */
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
