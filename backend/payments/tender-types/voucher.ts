import type { VoucherKind } from '../../../contracts/payments/vouchers.ts'
import type { TenderType } from './type.ts'

/** Store credit and gift cards. `reference`: last four characters of the voucher code. */
const voucherOf = (kind: VoucherKind): TenderType => ({
  opensDrawer: false,
  pool: 'voucher',
  goesBack: { kind: 'store-credit', why: 'paid-by-voucher' },
  displayName: ({ t }) => t(`${kind}-title`),
  receiptRows: ({ amountCents, reference, leftCents }, _context, { t, money }, paper) => [
    ...paper.row(t('voucher-tender', { kind: t(`${kind}-title`), last4: reference ?? '' }), money(amountCents)),
    ...(leftCents === undefined ? [] : paper.row(t('voucher-left'), money(leftCents))),
  ],
  givenBackRows: ({ tender: { amountCents, reference }, voucherLeftCents }, { t, money }, paper) => [
    ...paper.row(t('voucher-tender', { kind: t(`${kind}-title`), last4: reference ?? '' }), money(amountCents)),
    ...(voucherLeftCents === null ? [] : paper.row(t('voucher-left'), money(voucherLeftCents))),
  ],
})

export const storeCredit = voucherOf('store-credit')
export const giftCard = voucherOf('gift-card')
