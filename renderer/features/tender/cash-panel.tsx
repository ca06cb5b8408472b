import { ArrowLeft, Banknote, Delete } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { z } from 'zod'
import type { SaleTotals } from '../../../contracts/api/sales.ts'
import { useWords } from '../../i18n/words.tsx'
import { useSale } from '../../stores/sale.ts'
import { takeCash } from '../../stores/sale-commands.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { Keypad } from '../../ui/keypad.tsx'
import { eraseDigit, suggestedCash, typeDigits } from './cash-rules.ts'
import styles from './tender.module.css'

const DOUBLE_ZERO = '00'

/** Cash: exact in one tap, the likely notes in one tap, or any amount typed from the right as on a till. */
export function CashPanel({ totals }: { readonly totals: z.infer<typeof SaleTotals> }) {
  const { t, format } = useWords()
  const [received, setReceived] = useState(0)
  const busy = useSale((state) => state.busy.has('tender'))
  const panel = useRef<HTMLElement>(null)
  useEffect(() => panel.current?.focus(), [])

  const due = totals.cashDueCents
  const change = received - due
  const confirm = (): void => { if (received > 0) void takeCash(received) }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the panel takes typed digits while it has the focus; each has its button too
    <section
      ref={panel}
      tabIndex={-1}
      className={styles['panel']}
      aria-label={t('tender.cashTitle')}
      onKeyDown={(event) => {
        if (/^\d$/.test(event.key)) setReceived((known) => typeDigits(known, event.key))
        else if (event.key === 'Backspace') setReceived(eraseDigit)
        else if (event.key === 'Enter' && event.target === panel.current) confirm()
      }}
    >
      <div className={styles['card']}>
        <div className={styles['cashHead']}>
          <div>
            <span>{t('tender.cashDue')}</span>
            <strong className="figures">{format.money(due)}</strong>
            {due !== totals.dueCents && <small className="figures">{t('tender.roundedFrom', { due: format.money(totals.dueCents) })}</small>}
          </div>
          <div data-strong={received >= due && received > 0}>
            <span>{t(received > 0 && change < 0 ? 'tender.remaining' : 'tender.change')}</span>
            <strong className="figures" aria-live="polite">{format.money(received === 0 ? 0 : Math.abs(change))}</strong>
            <small className="figures">{t('tender.received')} {format.money(received)}</small>
          </div>
        </div>
        <div className={styles['suggested']} role="group" aria-label={t('tender.suggested')}>
          {suggestedCash(due).map((amount) => (
            <Button key={amount} size="l" isDisabled={busy} onPress={() => void takeCash(amount)}>{format.money(amount)}</Button>
          ))}
        </div>
        <Keypad
          label={t('tender.keypad')}
          onDigit={(digit) => setReceived((known) => typeDigits(known, digit))}
          first={<Button size="l" aria-label={t('tender.doubleZero')} preventFocusOnPress onPress={() => setReceived((known) => typeDigits(known, DOUBLE_ZERO))}>{DOUBLE_ZERO}</Button>}
          last={<Button size="l" look="quiet" aria-label={t('tender.erase')} preventFocusOnPress icon={<Delete />} onPress={() => setReceived(eraseDigit)} />}
        />
      </div>
      <div className={styles['foot']}>
        <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
        {received > 0
          ? <Button look="primary" size="l" wide icon={<Banknote />} isDisabled={busy} onPress={confirm}>{busy ? t('tender.taking') : t('tender.takeCash', { amount: format.money(received) })}</Button>
          : <ActionButton id="cash-exact" look="primary" size="l" wide icon={<Banknote />} />}
      </div>
    </section>
  )
}
