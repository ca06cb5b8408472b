import { ArrowLeft, Scissors } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import type { PresentedCoupon } from '../../../contracts/catalog/manufacturer-coupons.ts'
import type { SaleTotals } from '../../../contracts/sales/sales.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useInFlight } from '../../core/state/command-queue.ts'
import { AmountPad } from '../../core/ui/amount-pad.tsx'
import { ActionButton, Button } from '../../core/ui/button.tsx'
import { pay, presentCoupon } from '../../sales/sale-commands.ts'
import { CodeForm } from './code-form.tsx'
import styles from './tender.module.css'

type Coupon = z.infer<typeof PresentedCoupon>

/** Panel for a manufacturer's coupon: its code, then its value and what it pays. */
export function CouponPanel({
  totals,
  coupon,
}: {
  readonly totals: z.infer<typeof SaleTotals>
  readonly coupon: Coupon | null
}) {
  const { t } = useI18n()
  return (
    <section className={`stack-3 with-foot min-height-0 ${styles['panel']}`} aria-label={t('tender.couponTitle')}>
      {coupon ? <Take coupon={coupon} dueCents={totals.dueCents} /> : <Show />}
    </section>
  )
}

function Show() {
  const { t } = useI18n()
  return (
    <CodeForm
      texts={{
        title: t('tender.couponTitle'),
        scan: t('tender.couponScan'),
        code: t('tender.couponCode'),
        show: t('tender.couponShow'),
      }}
      least={3}
      most={80}
      present={presentCoupon}
    />
  )
}

function Take({ coupon, dueCents }: { readonly coupon: Coupon; readonly dueCents: number }) {
  const { t, format } = useI18n()
  const busy = useInFlight('tender')
  const [typed, setTyped] = useState<number | null>(null)
  const { code, name, faceCents } = coupon
  const most = Math.min(coupon.mostCents, dueCents)
  const value = faceCents ?? typed ?? 0
  const pays = Math.min(value, most)
  const take = (): void => {
    const typedValue = faceCents === null ? { amountCents: value } : {}
    if (pays > 0) void pay({ kind: 'manufacturer-coupon', code, ...typedValue })
  }
  return (
    <>
      <div className={`column-3 between min-height-0 scroll panel pad-4 ${styles['card']}`}>
        <h2 className="text-xl">{name ? format.text(name) : t('tender.couponShort', { number: code })}</h2>
        {faceCents === null ? (
          <AmountPad
            label={t('tender.couponValue')}
            typed={typed}
            onType={setTyped}
            hint={t('tender.couponNoChange', { most: format.money(most) })}
            onEnter={take}
          />
        ) : (
          <div className="stack-2">
            <p className="text-xl weight-700">{t('tender.couponKnown', { amount: format.money(faceCents) })}</p>
            <p className="dim" role="status">
              {t('tender.couponMost', { most: format.money(most) })}
            </p>
          </div>
        )}
      </div>
      <div className="stack-3 with-start">
        <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
        <Button
          look="primary"
          size="l"
          wide
          icon={<Scissors />}
          autoFocus={faceCents !== null}
          isDisabled={busy || pays === 0}
          onPress={take}
        >
          {busy ? t('tender.taking') : t('tender.couponTake', { amount: format.money(pays) })}
        </Button>
      </div>
    </>
  )
}
