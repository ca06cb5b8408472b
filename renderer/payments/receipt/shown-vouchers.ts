import type { PresentedCoupon } from '../../../contracts/catalog/manufacturer-coupons.ts'
import type { Voucher } from '../../../contracts/payments/vouchers.ts'
import { onVouchers } from '../../core/state/follow-events.ts'
import { notify } from '../../core/state/notices.ts'
import { panelOf, useSale } from '../../sales/sale.ts'
import { useEffect, useState } from 'react'
import { VOUCHER_TOPIC, cashOutOffer } from '../tender/cash-out.ts'

/**
 * Opens the payment of the open sale with a presented voucher. Where nothing can be paid now, shows its balance, and
 * offers to pay out a small balance of a gift card.
 */
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
      { topic: VOUCHER_TOPIC, offer: cashOutOffer(voucher) },
    )
}

/**
 * Uses a scanned, unsold gift card in the open panel that sells gift cards; elsewhere shows that the card cannot pay.
 */
export function takeBlankCard(last4: string): void {
  if (panelOf(useSale.getState()) === 'gift-card') useSale.setState({ blankCard: last4 })
  else notify('warning', ({ t }) => t('tender.voucherNotSold', { number: last4 }), { topic: VOUCHER_TOPIC })
}

/** Opens the payment of the open sale with a presented manufacturer's coupon. */
export function takeCouponShown(coupon: PresentedCoupon): void {
  const state = useSale.getState()
  if (location.pathname === '/' && state.current !== null && panelOf(state) !== 'redemption')
    useSale.setState({ stage: 'manufacturer-coupon', manufacturerCoupon: coupon, units: null })
}

onVouchers({ takeVoucherShown, takeCouponShown, takeBlankCard })

/**
 * Name of the browser lock that a customer display holds while it shows this sign-in code. The windows of a lane share
 * one browser, which releases the lock when the display closes or crashes.
 */
const lockOf = (code: string): string => `shown-code ${code}`

const LOOK_MS = 500

/** Holds the lock of a sign-in code while this window shows it. Returns a function that releases the lock. */
export function holdShownCode(code: string): () => void {
  const hidden = Promise.withResolvers<void>()
  void navigator.locks.request(lockOf(code), { mode: 'shared' }, () => hidden.promise)
  return () => hidden.resolve()
}

export function useIsCodeShown(code: string): boolean {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    let isOver = false
    const look = async (): Promise<void> => {
      const { held = [] } = await navigator.locks.query()
      if (!isOver) setShown(held.some(({ name }) => name === lockOf(code)))
    }
    const timer = setInterval(() => void look(), LOOK_MS)
    void look()
    return () => {
      isOver = true
      clearInterval(timer)
    }
  }, [code])
  return isShown
}
