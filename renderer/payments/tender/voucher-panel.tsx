import { ArrowLeft, Ticket, WalletCards } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import type { SaleTotals } from '../../../contracts/sales/sales.ts'
import type { Voucher } from '../../../contracts/payments/vouchers.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useInFlight } from '../../core/state/command-queue.ts'
import { pay, presentVoucher, sellGiftCard } from '../../sales/sale-commands.ts'
import { AmountPad } from '../../core/ui/amount-pad.tsx'
import { ActionButton, Button } from '../../core/ui/button.tsx'
import { useTries } from '../../core/ui/focus.ts'
import { CodeForm } from './code-form.tsx'
import styles from './tender.module.css'
import { useSale } from '../../sales/sale.ts'

export function VoucherPanel({
  totals,
  voucher,
}: {
  readonly totals: z.infer<typeof SaleTotals>
  readonly voucher: Voucher | null
}) {
  const { t } = useI18n()
  return (
    <section className={`stack-3 with-foot min-height-0 ${styles['panel']}`} aria-label={t('tender.voucherTitle')}>
      {voucher ? <Take voucher={voucher} dueCents={totals.dueCents} /> : <Show />}
    </section>
  )
}

function Show() {
  const { t } = useI18n()
  return (
    <CodeForm
      texts={{
        title: t('tender.voucherTitle'),
        scan: t('tender.voucherScan'),
        code: t('tender.voucherCode'),
        show: t('tender.voucherShow'),
      }}
      least={1}
      most={60}
      capitals
      present={presentVoucher}
    />
  )
}

function Take({ voucher, dueCents }: { readonly voucher: Voucher; readonly dueCents: number }) {
  const { t, format } = useI18n()
  const busy = useInFlight('tender')
  const max = Math.min(voucher.payableCents ?? voucher.balanceCents, dueCents)
  const [typed, setTyped] = useState<number | null>(null)
  const amount = typed ?? max
  const valid = amount > 0 && amount <= max
  const take = (): void => {
    if (valid) void pay({ kind: 'voucher', voucherId: voucher.id, amountCents: amount })
  }
  return (
    <>
      <div className={`column-3 between min-height-0 scroll panel pad-4 ${styles['card']}`}>
        <h2 className="text-xl">
          {t('tender.voucherHolds', { kind: t(`tender.kind.${voucher.kind}`), number: voucher.last4 })}
        </h2>
        <p className="dim" role="status">
          {t('tender.voucherLeft', { amount: format.money(voucher.balanceCents) })}
          {voucher.reserved?.map(({ lane, amountCents }) => (
            <span key={lane}> {t('tender.voucherReserved', { lane, amount: format.money(amountCents) })}</span>
          ))}
        </p>
        <AmountPad
          label={t('tender.voucherAmount')}
          typed={typed}
          onType={setTyped}
          proposed={max}
          hint={t(valid ? 'tender.voucherMost' : 'tender.amountInvalid', {
            least: format.money(1),
            most: format.money(max),
          })}
          wrong={!valid}
          onEnter={take}
        />
      </div>
      <div className="stack-3 with-start">
        <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
        <Button look="primary" size="l" wide icon={<Ticket />} isDisabled={busy || !valid} onPress={take}>
          {busy ? t('tender.taking') : t('tender.voucherTake', { amount: format.money(valid ? amount : 0) })}
        </Button>
      </div>
    </>
  )
}

const MIN_CENTS = 1_00
const MAX_CENTS = 1_000_00

export function GiftCardPanel() {
  const { t, format } = useI18n()
  const [typed, setTyped] = useState<number | null>(null)
  const { tried, attempt, form } = useTries<HTMLElement>()
  const { blankCard } = useSale()
  const selling = useInFlight('gift-card')
  const amount = typed ?? 0
  const valid = amount >= MIN_CENTS && amount <= MAX_CENTS
  const ring = (): void => {
    attempt()
    if (valid) void sellGiftCard(amount)
  }
  return (
    <section
      ref={form}
      className={`stack-3 with-foot min-height-0 ${styles['panel']}`}
      aria-label={t('tender.giftCardTitle')}
    >
      <div className={`column-3 between min-height-0 scroll panel pad-4 ${styles['card']}`}>
        <div className="stack-1">
          <h2>{t('tender.giftCardTitle')}</h2>
          <p className="dim">{t('tender.giftCardHint')}</p>
        </div>
        {blankCard !== null && (
          <div className={`wrap-3 ${styles['cashHead']}`}>
            <div className="grid top round-m surface-3 pad-3-4" data-strong="true">
              <span className="text-s weight-600" role="status">
                {t('tender.giftCardScanned', { number: blankCard })}
              </span>
            </div>
          </div>
        )}
        <AmountPad
          label={t('tender.giftCardAmount')}
          typed={typed}
          onType={setTyped}
          hint={t('tender.giftCardRange', { least: format.money(MIN_CENTS), most: format.money(MAX_CENTS) })}
          wrong={amount > MAX_CENTS || (tried && !valid)}
          onEnter={ring}
        />
      </div>
      <div className="stack-3 with-start">
        <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
        <Button look="primary" size="l" wide icon={<WalletCards />} isDisabled={selling} onPress={ring}>
          {t('tender.giftCardRing', { amount: format.money(amount) })}
        </Button>
      </div>
    </section>
  )
}
