import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { type Paper, type ReceiptTexts, paperOf, receiptTexts } from '../../core/paper/layout.ts'
import type { SaleLine } from '../../../contracts/sales/sales.ts'
import { TENDER_TYPES } from '../tender-types/registry.ts'
import type { GivenBack } from '../tender-types/type.ts'
import { type DocumentFacts, bottom, top } from '../../core/paper/document.ts'

export interface EarnedFacts {
  /** Expected miles, or the confirmed miles once the service has answered; null if unknown. */
  readonly earnedMiles: number | null
  /** Whether the service has answered. Until then, the receipt calls the miles "to earn". */
  readonly earnedConfirmed?: boolean
  /**
   * Miles that the service accepted but that are not earned yet; null if the answer does not state their number. Zero
   * by default.
   */
  readonly pendingMiles?: number | null
  readonly rejectedMiles?: number | null
}

/**
 * Returns the rows about the miles of a purchase, by the status of each issued entry (specification 3 §2.3): pending
 * and refused miles never count as "earned", and a purchase without miles has no row "to earn".
 */
export function milesRows(facts: EarnedFacts, { t, count }: ReceiptTexts, paper: Paper): ReceiptBlock[] {
  const { earnedMiles, earnedConfirmed = false, pendingMiles = 0, rejectedMiles = 0 } = facts
  const none = paper.text(t('miles-none'), 'left')
  if (!earnedConfirmed) {
    if (earnedMiles === null) return paper.text(t('miles-later'), 'left')
    return earnedMiles === 0 ? none : paper.row(t('miles-to-earn'), count(earnedMiles), { bold: true })
  }
  const counted = (miles: number | null, label: string, uncounted: string, style = {}): ReceiptBlock[] =>
    miles === null ? paper.text(uncounted, 'left') : miles === 0 ? [] : paper.row(label, count(miles), style)
  const rows = [
    ...counted(earnedMiles, t('miles-earned'), t('miles-uncounted'), { bold: true }),
    ...counted(pendingMiles, t('miles-pending'), t('miles-pending-uncounted')),
    ...(rejectedMiles ? paper.row(t('miles-rejected'), count(rejectedMiles)) : []),
  ]
  return rows.length > 0 ? rows : none
}

export interface GiftReceiptFacts extends DocumentFacts {
  readonly saleId: string
  readonly lines: readonly Pick<SaleLine, 'name' | 'quantity' | 'voided'>[]
}

/**
 * Composes a gift receipt: goods without prices, and the barcode with which they can be returned. `lines`: only goods
 * that may still be returned.
 */
export function composeGiftReceipt(facts: GiftReceiptFacts): ReceiptDocument {
  const words = receiptTexts(facts.locale, facts.profile.receipt.secondLanguage)
  const paper = paperOf(facts.columns)
  const { t, count } = words
  return {
    locale: facts.locale,
    title: `${t('gift-title')} ${facts.saleId}`,
    blocks: [
      ...top('gift-heading', facts, words, paper),
      { kind: 'rule' },
      ...facts.lines
        .filter(({ voided }) => !voided)
        .flatMap(({ name, quantity }) =>
          paper.row(words.name(name), quantity === 1 ? '' : t('gift-quantity', { quantity: count(quantity) })),
        ),
      { kind: 'rule' },
      ...paper.text(t('gift-use'), 'left'),
      ...bottom(facts.saleId, facts, words, paper),
    ],
  }
}

export interface PaymentBackFacts extends DocumentFacts, GivenBack {
  readonly saleId: string
}

/** Composes the slip of a payment given back in an open sale. The slip of cash or a cheque opens the drawer. */
export function composePaymentBack(facts: PaymentBackFacts): ReceiptDocument {
  const words = receiptTexts(facts.locale, facts.profile.receipt.secondLanguage)
  const paper = paperOf(facts.columns)
  return {
    locale: facts.locale,
    title: `${words.t('payment-back-title')} ${facts.saleId}`,
    blocks: [
      ...top('payment-back-heading', facts, words, paper),
      ...paper.text(words.t('payment-back-of', { id: facts.saleId }), 'left'),
      { kind: 'rule' },
      ...TENDER_TYPES[facts.tender.kind].givenBackRows(facts, words, paper),
      { kind: 'rule' },
      ...paper.text(words.t('payment-back-no-receipt'), 'center'),
    ],
  }
}
