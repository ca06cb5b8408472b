import type { VoucherKind } from '../../../contracts/payments/vouchers.ts'
import type { TenderType } from './type.ts'

/** Store credit and gift cards. `reference`: last four characters of the voucher code. */
const voucherOf = (kind: VoucherKind): TenderType => ({
  opensDrawer: false,
  pool: 'voucher',
  goesBack: { kind: 'store-credit', why: 'paid-by-voucher' },
  displayName: ({ say }) => say(`${kind}-title`),
  receiptRows: ({ amountCents, reference, leftCents }, _context, { say, money }, paper) => [
    ...paper.row(say('voucher-tender', { kind: say(`${kind}-title`), last4: reference ?? '' }), money(amountCents)),
    ...(leftCents === undefined ? [] : paper.row(say('voucher-left'), money(leftCents))),
  ],
  givenBackRows: ({ tender: { amountCents, reference }, voucherLeftCents }, { say, money }, paper) => [
    ...paper.row(say('voucher-tender', { kind: say(`${kind}-title`), last4: reference ?? '' }), money(amountCents)),
    ...(voucherLeftCents === null ? [] : paper.row(say('voucher-left'), money(voucherLeftCents))),
  ],
})

export const storeCredit = voucherOf('store-credit')
export const giftCard = voucherOf('gift-card')
