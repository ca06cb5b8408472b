import { ArrowLeft, WalletCards } from 'lucide-react'
import { useState } from 'react'
import { useWords } from '../../i18n/words.tsx'
import { useUnderWay } from '../../state/command-queue.ts'
import { useSale } from '../../state/sale.ts'
import { sellGiftCard } from '../../state/sale-commands.ts'
import { AmountPad } from '../../ui/amount-pad.tsx'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useTries } from '../../ui/use-tries.ts'
import styles from './tender.module.css'

const LEAST_CENTS = 1_00
const MOST_CENTS = 1_000_00

/** A gift card for any amount; a new card that is scanned keeps its own code. */
export function GiftCardPanel() {
  const { t, format } = useWords()
  const [typed, setTyped] = useState<number | null>(null)
  const { tried, attempt, form } = useTries<HTMLElement>()
  const { blankCard } = useSale()
  const selling = useUnderWay('gift-card')
  const amount = typed ?? 0
  const valid = amount >= LEAST_CENTS && amount <= MOST_CENTS
  const ring = (): void => {
    attempt()
    if (valid) void sellGiftCard(amount)
  }
  return (
    <section ref={form} className={styles['panel']} aria-label={t('tender.giftCardTitle')}>
      <div className={styles['card']}>
        <p className={styles['steps']}>{t('tender.giftCardHint')}</p>
        {blankCard !== null && (
          <div className={styles['cashHead']}>
            <div data-strong="true">
              <span role="status">{t('tender.giftCardScanned', { number: blankCard })}</span>
            </div>
          </div>
        )}
        <AmountPad
          label={t('tender.giftCardAmount')}
          typed={typed}
          onType={setTyped}
          hint={t('tender.giftCardRange', { least: format.money(LEAST_CENTS), most: format.money(MOST_CENTS) })}
          wrong={amount > MOST_CENTS || (tried && !valid)}
          onEnter={ring}
        />
      </div>
      <div className={styles['foot']}>
        <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
        <Button look="primary" size="l" wide icon={<WalletCards />} isDisabled={selling} onPress={ring}>
          {t('tender.giftCardRing', { amount: format.money(amount) })}
        </Button>
      </div>
    </section>
  )
}
