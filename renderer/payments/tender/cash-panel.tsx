import { ArrowLeft, Banknote } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import type { SaleTotals } from '../../../contracts/sales/sales.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useInFlight } from '../../core/state/command-queue.ts'
import { pay } from '../../sales/sale-commands.ts'
import { AmountPad } from '../../core/ui/amount-pad.tsx'
import { ActionButton, Button } from '../../core/ui/button.tsx'
import { afterCash, suggestedCash } from './cash-rules.ts'
import styles from './tender.module.css'
import { MOST_LIKELY_CHANGE_CENTS } from '../../../contracts/core/denominations.ts'

export function CashPanel({ totals }: { readonly totals: z.infer<typeof SaleTotals> }) {
  const { t, format } = useI18n()
  const [typed, setTyped] = useState<number | null>(null)
  const [asked, setAsked] = useState<number | null>(null)
  const busy = useInFlight('tender')

  const received = typed ?? 0
  const due = totals.cashDueCents
  const after = afterCash(totals, received)
  const coversDue = received >= due
  /** The change is so large that a typing error is likely, so the payment needs a confirmation. */
  const unlikely = after.changeCents >= MOST_LIKELY_CHANGE_CENTS
  const confirm = (): void => {
    if (unlikely && asked !== received) setAsked(received)
    else if (received > 0) void pay({ kind: 'cash', tenderedCents: received, ...(unlikely ? { confirmed: true } : {}) })
  }
  return (
    <section className={`stack-3 with-foot min-height-0 ${styles['panel']}`} aria-label={t('tender.cashTitle')}>
      <div className={`column-3 between min-height-0 scroll panel pad-4 ${styles['card']}`}>
        <div className={`wrap-3 ${styles['cashHead']}`}>
          <div className="grid top round-m surface-3 pad-3-4">
            <span className="text-s weight-600">{t('tender.cashDue')}</span>
            <strong className="figures">{format.money(due)}</strong>
            {due !== totals.dueCents && (
              <small className="figures">{t('tender.roundedFrom', { due: format.money(totals.dueCents) })}</small>
            )}
          </div>
          <div className="grid top round-m surface-3 pad-3-4" data-strong={coversDue && received > 0}>
            <span className="text-s weight-600">
              {t(received > 0 && !coversDue ? 'tender.remaining' : 'tender.change')}
            </span>
            <strong className="figures" aria-live="polite">
              {format.money(received === 0 ? 0 : coversDue ? after.changeCents : after.dueCents)}
            </strong>
            {received > 0 && after.cashDueCents !== after.dueCents && (
              <small className="figures">{t('tender.inCash', { amount: format.money(after.cashDueCents) })}</small>
            )}
          </div>
        </div>
        <AmountPad
          label={t('tender.received')}
          typed={typed}
          onType={setTyped}
          wrong={unlikely && asked === received}
          {...(unlikely && asked === received
            ? { hint: t('tender.changeUnlikely', { amount: format.money(after.changeCents) }) }
            : {})}
          onEnter={confirm}
        >
          <div className={`wrap-2 ${styles['suggested']}`} role="group" aria-label={t('tender.suggested')}>
            {suggestedCash(due).map((amount) => (
              <Button
                key={amount}
                size="l"
                isDisabled={busy}
                onPress={() => void pay({ kind: 'cash', tenderedCents: amount })}
              >
                {format.money(amount)}
              </Button>
            ))}
          </div>
        </AmountPad>
      </div>
      <div className="stack-3 with-start">
        <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
        {received > 0 ? (
          <Button look="primary" size="l" wide icon={<Banknote />} isDisabled={busy} onPress={confirm}>
            {busy ? t('tender.taking') : t('tender.takeCash', { amount: format.money(received) })}
          </Button>
        ) : (
          <ActionButton id="cash-exact" look="primary" size="l" wide icon={<Banknote />} />
        )}
      </div>
    </section>
  )
}
