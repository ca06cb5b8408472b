import { ArrowLeft, Scissors, Search } from 'lucide-react'
import { useState } from 'react'
import { FieldError, Form, Input, Label, TextField } from 'react-aria-components'
import type { z } from 'zod'
import type { PresentedCoupon } from '../../../contracts/catalog/manufacturer-coupons.ts'
import type { SaleTotals } from '../../../contracts/sales/sales.ts'
import { ApiProblem } from '../../core/api/problem.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useInFlight } from '../../core/state/command-queue.ts'
import { type LazyText, problemText } from '../../core/state/notices.ts'
import { AmountPad } from '../../core/ui/amount-pad.tsx'
import { ActionButton, Button } from '../../core/ui/button.tsx'
import { useTries } from '../../core/ui/focus.ts'
import { pay, presentCoupon } from '../../sales/sale-commands.ts'
import styles from './tender.module.css'

type Coupon = z.infer<typeof PresentedCoupon>

const LONGEST_CODE = 80

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
  const i18n = useI18n()
  const { t } = i18n
  const [code, setCode] = useState('')
  const [asking, setAsking] = useState(false)
  const [wrong, setWrong] = useState<LazyText | null>(null)
  const { attempt, form } = useTries()
  const show = async (): Promise<void> => {
    if (code.trim().length < 3 || asking) return
    setAsking(true)
    try {
      await presentCoupon(code.trim())
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      setWrong(() => problemText(error))
      setAsking(false)
      attempt()
    }
  }
  return (
    <Form
      ref={form}
      className={`stack-3 with-foot min-height-0 ${styles['form']}`}
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        void show()
      }}
    >
      <div className={`column-3 between min-height-0 scroll panel pad-4 ${styles['card']}`}>
        <h2 className="text-xl">{t('tender.couponTitle')}</h2>
        <p className="dim">{t('tender.couponScan')}</p>
        <TextField
          autoFocus
          value={code}
          onChange={(next) => {
            setCode(next)
            setWrong(null)
          }}
          isInvalid={wrong !== null}
          className={`stack-1 field ringed ${styles['field']}`}
        >
          <Label>{t('tender.couponCode')}</Label>
          <Input maxLength={LONGEST_CODE} autoComplete="off" spellCheck="false" />
          <FieldError>{wrong?.(i18n)}</FieldError>
        </TextField>
      </div>
      <div className="stack-3 with-start">
        <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
        <Button
          type="submit"
          look="primary"
          size="l"
          wide
          icon={<Search />}
          isDisabled={asking || code.trim().length < 3}
        >
          {t('tender.couponShow')}
        </Button>
      </div>
    </Form>
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
