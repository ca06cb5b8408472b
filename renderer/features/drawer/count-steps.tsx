import { useWords } from '../../i18n/words.tsx'
import styles from './drawer.module.css'

export type CountStep = 'cash' | 'card-slips' | 'cheques' | 'check' | 'result' | 'close'

/** Where the count stands. */
export function CountSteps({ steps, step }: { readonly steps: readonly CountStep[]; readonly step: CountStep }) {
  const { t } = useWords()
  return (
    <ol className={styles['steps']} aria-label={t('shifts.steps')}>
      {steps.map((one) => (
        <li key={one} aria-current={one === step ? 'step' : undefined}>
          {t(`shifts.step.${one}`)}
        </li>
      ))}
    </ol>
  )
}
