import { ArrowLeft, Delete, WalletCards } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useWords } from '../../i18n/words.tsx'
import { useSale } from '../../stores/sale.ts'
import { sellGiftCard } from '../../stores/sale-commands.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { Keypad } from '../../ui/keypad.tsx'
import { eraseDigit, typeDigits } from './cash-rules.ts'
import styles from './tender.module.css'

const LEAST_CENTS = 1_00
const MOST_CENTS = 1_000_00

/** A gift card for any amount: typed from the right as on a till; a new card that is scanned keeps its own code. */
export function GiftCardPanel() {
  const { t, format } = useWords()
  const [amount, setAmount] = useState(0)
  const { blankCard, busy } = useSale()
  const panel = useRef<HTMLElement>(null)
  useEffect(() => panel.current?.focus(), [])
  const valid = amount >= LEAST_CENTS && amount <= MOST_CENTS
  const ring = (): void => { if (valid) void sellGiftCard(amount) }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the panel takes typed digits while it has the focus; each has its button too
    <section
      ref={panel}
      tabIndex={-1}
      className={styles['panel']}
      aria-label={t('tender.giftCardTitle')}
      onKeyDown={(event) => {
        if (/^\d$/.test(event.key)) setAmount((known) => typeDigits(known, event.key))
        else if (event.key === 'Backspace') setAmount(eraseDigit)
        else if (event.key === 'Enter' && event.target === panel.current) ring()
      }}
    >
      <div className={styles['card']}>
        <p className={styles['steps']}>{t('tender.giftCardHint')}</p>
        <div className={styles['cashHead']}>
          <div data-strong={valid}>
            <span>{t('tender.giftCardRange', { least: format.money(LEAST_CENTS), most: format.money(MOST_CENTS) })}</span>
            <strong className="figures" aria-live="polite">{format.money(amount)}</strong>
          </div>
          {blankCard !== null && <div data-strong="true"><span role="status">{t('tender.giftCardScanned', { number: blankCard })}</span></div>}
        </div>
        <Keypad
          label={t('tender.keypad')}
          onDigit={(digit) => setAmount((known) => typeDigits(known, digit))}
          last={<Button size="l" look="quiet" aria-label={t('tender.erase')} preventFocusOnPress icon={<Delete />} onPress={() => setAmount(eraseDigit)} />}
        />
      </div>
      <div className={styles['foot']}>
        <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
        <Button look="primary" size="l" wide icon={<WalletCards />} isDisabled={!valid || busy.has('line')} onPress={ring}>{t('tender.giftCardRing', { amount: format.money(amount) })}</Button>
      </div>
    </section>
  )
}
