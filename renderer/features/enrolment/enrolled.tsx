import { BadgeCheck } from 'lucide-react'
import type { EnrolmentDone } from '../../../contracts/api/enrolment.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './enrol-lane.module.css'

/** What came to the lane, and what is left to do by hand. */
export function Enrolled({ done, onLeave }: { readonly done: EnrolmentDone; readonly onLeave: () => void }) {
  const { t } = useWords()
  const { people, secret, clockAheadMinutes: ahead } = done
  return (
    <div className={styles['done']} role="status">
      <BadgeCheck aria-hidden="true" />
      <h2>{t('enrol.doneTitle')}</h2>
      <p>{people > 0 ? t('enrol.people', { count: people }) : t('enrol.noPeople')}</p>
      {!secret && <p className={styles['refused']}>{t('enrol.noSecret')}</p>}
      {ahead !== null && (
        <p className={styles['refused']}>
          {t(ahead > 0 ? 'enrol.clockFast' : 'enrol.clockSlow', { count: Math.abs(ahead) })}
        </p>
      )}
      <p className={styles['code']}>{t('enrol.kept', { code: done.codeId })}</p>
      <Button look="primary" size="l" autoFocus onPress={onLeave}>
        {t('enrol.goOn')}
      </Button>
    </div>
  )
}
