import { CloudAlert, Hourglass } from 'lucide-react'
import type { CentreCondition } from '../../../contracts/api/training.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { Toggle } from './toggle.tsx'
import styles from './training-devices.module.css'

/** What lasts until it is put right: one at a time. */
const LASTING = ['slow', 'silent', 'wrong', 'away'] as const satisfies readonly CentreCondition[]

interface CentreProps {
  readonly condition: CentreCondition
  /** What is being asked of it now. */
  readonly asking: CentreCondition | null
  readonly ask: (condition: CentreCondition) => void
}

/** How the centre treats the lane: what a checkout is made for can be practised. */
export function Centre({ condition, asking, ask }: CentreProps) {
  const { t } = useWords()
  const waits = condition === 'answer-lost'
  return (
    <section aria-label={t('training.centre')}>
      <h3>{t('training.centre')}</h3>
      {LASTING.map((one) => (
        <Toggle
          key={one}
          isDisabled={asking !== null}
          selected={condition === one}
          onChange={(on) => ask(on ? one : 'well')}
          label={t(`training.centreIs.${one}`)}
        />
      ))}
      <ul>
        <li>
          <Button
            wide
            icon={waits ? <Hourglass /> : <CloudAlert />}
            isPending={asking === 'answer-lost'}
            isDisabled={waits || asking !== null}
            onPress={() => ask('answer-lost')}
          >
            {t('training.centreIs.answer-lost')}
            {waits && <span className={styles['waiting']}>{t('training.centreWaits')}</span>}
          </Button>
        </li>
      </ul>
    </section>
  )
}
