import { CloudAlert, Hourglass } from 'lucide-react'
import type { CentralCondition } from '../../../contracts/api/training.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { Toggle } from './toggle.tsx'
import styles from './training-devices.module.css'

/** What lasts until it is put right: one at a time. */
const LASTING = ['slow', 'silent', 'wrong', 'away'] as const satisfies readonly CentralCondition[]

interface CentralProps {
  readonly condition: CentralCondition
  /** What is being asked of it now. */
  readonly asking: CentralCondition | null
  readonly ask: (condition: CentralCondition) => void
}

/** How the loyalty service treats the lane: what a checkout is made for can be practised. */
export function Central({ condition, asking, ask }: CentralProps) {
  const { t } = useWords()
  const waits = condition === 'answer-lost'
  return (
    <section aria-label={t('trainingPanel.central')}>
      <h3>{t('trainingPanel.central')}</h3>
      {LASTING.map((one) => (
        <Toggle
          key={one}
          isDisabled={asking !== null}
          selected={condition === one}
          onChange={(on) => ask(on ? one : 'well')}
          label={t(`trainingPanel.centralIs.${one}`)}
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
            {t('trainingPanel.centralIs.answer-lost')}
            {waits && <span className={styles['waiting']}>{t('trainingPanel.centralWaits')}</span>}
          </Button>
        </li>
      </ul>
    </section>
  )
}
