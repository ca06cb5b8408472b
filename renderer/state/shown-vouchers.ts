import type { Voucher } from '../../contracts/api/vouchers.ts'
import { onVouchers } from './events.ts'
import { notify } from './notices.ts'
import { panelOf, useSale } from './sale.ts'

/** Pays the open sale with a voucher, once the amount is confirmed; without a sale, shows its balance. */
export function takeVoucherShown(voucher: Voucher): void {
  const state = useSale.getState()
  const paying =
    location.pathname === '/' && (state.current?.totals.dueCents ?? 0) > 0 && panelOf(state) !== 'redemption'
  if (paying) useSale.setState({ stage: 'voucher', voucher, units: null })
  else
    notify(
      'info',
      ({ t, format }) =>
        t('tender.voucherBalance', {
          kind: t(`tender.kind.${voucher.kind}`),
          number: voucher.last4,
          left: format.money(voucher.balanceCents),
        }),
      { topic: 'voucher' },
    )
}

/** An unsold gift card is sold where one is being sold; elsewhere it pays nothing. */
export function takeBlankCard(last4: string): void {
  if (panelOf(useSale.getState()) === 'gift-card') useSale.setState({ blankCard: last4 })
  else notify('warning', ({ t }) => t('tender.voucherNotSold', { number: last4 }), { topic: 'voucher' })
}

onVouchers({ takeVoucherShown, takeBlankCard })
