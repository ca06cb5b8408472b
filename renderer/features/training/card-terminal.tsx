import { CreditCard, Hourglass, Nfc } from 'lucide-react'
import type { CardFault, TrainingPanel } from '../../../contracts/api/training.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './training-devices.module.css'

interface CardTerminalProps {
  readonly terminal: NonNullable<TrainingPanel['cardTerminal']>
  readonly busy: boolean
  readonly ask: (does: CardFault | 'present' | 'approve') => void
}

/** What the card terminal does with the next payment: what a cashier must be able to meet can be practised. */
export function CardTerminal({ terminal: { faults, next, customerWaits }, busy, ask }: CardTerminalProps) {
  const { t } = useWords()
  return (
    <section aria-label={t('trainingPanel.cardTerminal')}>
      <h3>{t('trainingPanel.cardTerminal')}</h3>
      <ul>
        {customerWaits && (
          <li>
            <Button wide look="primary" icon={<Nfc />} isDisabled={busy} onPress={() => ask('present')}>
              {t('trainingPanel.presentCard')}
            </Button>
          </li>
        )}
        {faults.map((fault) => {
          const waits = next === fault
          return (
            <li key={fault}>
              <Button
                wide
                icon={waits ? <Hourglass /> : <CreditCard />}
                isDisabled={busy}
                onPress={() => ask(waits ? 'approve' : fault)}
              >
                {t(`trainingPanel.cardFault.${fault}`)}
                {waits && <span className={styles['waiting']}>{t('trainingPanel.cardWaits')}</span>}
              </Button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
