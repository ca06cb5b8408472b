import type { TenderType } from './type.ts'
import type { Tender } from '../../../contracts/sales/sales.ts'
import type { ReceiptBlock } from '../../../contracts/core/receipt.ts'
import { nameIn } from '../../../contracts/core/names.ts'
import type { Paper, ReceiptTexts } from '../../core/paper/layout.ts'

/**
 * A manufacturer's coupon. The Revenu Québec page "Reimbursable coupons" treats it in the same way as cash given by the
 * customer, its taxes included, so a return refunds its value with the price and tax of the goods. It is refunded as
 * store credit, never in cash, like a cheque: the customer gave no money for it, and the manufacturer may not pay for
 * returned goods.
 */
export const manufacturerCoupon: TenderType = {
  opensDrawer: true,
  pool: 'cheque',
  goesBack: { kind: 'store-credit', why: 'paid-by-cheque' },
  displayName: ({ t }) => t('manufacturer-coupon'),
  receiptRows: (tender, _context, words, paper) => [
    ...paper.row(words.t('manufacturer-coupon'), words.money(tender.amountCents)),
    ...couponRows(tender, words, paper),
  ],
  givenBackRows: ({ tender }, words, paper) => [
    ...paper.row(words.t('manufacturer-coupon-back'), words.money(tender.amountCents)),
    ...couponRows(tender, words, paper),
  ],
}

/** The name and number of the coupon, and its value if it paid less than that. */
function couponRows(
  { coupon, reference, amountCents }: Pick<Tender, 'coupon' | 'reference' | 'amountCents'>,
  { t, money, locale }: ReceiptTexts,
  paper: Paper,
): ReceiptBlock[] {
  const name = coupon?.name ? nameIn(coupon.name, locale) : ''
  return [
    ...(name === '' ? [] : paper.detail(name, '')),
    ...(reference === null ? [] : paper.detail(t('coupon-number'), reference)),
    ...(coupon && coupon.faceCents > Math.abs(amountCents)
      ? paper.detail(t('coupon-value'), money(coupon.faceCents))
      : []),
  ]
}
