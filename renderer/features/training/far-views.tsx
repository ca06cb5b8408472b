import type { TrainingPanel } from '../../../contracts/api/training.ts'
import { useWords } from '../../i18n/words.tsx'
import styles from './training-devices.module.css'

/** What a customer would see on the line display, and the paper that came out last. */
export function FarViews({ panel }: { readonly panel: TrainingPanel }) {
  const { t } = useWords()
  return (
    <>
      {panel.display && (
        <section>
          <h3>{t('trainingPanel.display')}</h3>
          <pre className={styles['display']} aria-label={t('trainingPanel.display')}>
            {panel.display.join('\n')}
          </pre>
        </section>
      )}
      {panel.printer && (
        <section>
          <h3>{t('trainingPanel.lastPaper')}</h3>
          {panel.lastPaper === null ? (
            <p>{t('trainingPanel.noPaper')}</p>
          ) : (
            <details className={styles['paper']}>
              <summary>{t('trainingPanel.showPaper')}</summary>
              <pre aria-label={t('trainingPanel.lastPaper')}>{panel.lastPaper}</pre>
              <p>{t('trainingPanel.paperOnly')}</p>
            </details>
          )}
        </section>
      )}
    </>
  )
}
