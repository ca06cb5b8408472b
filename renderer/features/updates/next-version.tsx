import { CalendarClock, Pause } from 'lucide-react'
import type { NextVersion, OrderUpdate } from '../../../contracts/api/updates.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { pageStyles } from '../../ui/page.tsx'
import { Tag, type TagTone } from '../../ui/surface.tsx'
import { Notes } from './notes.tsx'
import styles from './updates.module.css'

const TONES: Readonly<Record<NextVersion['state'], TagTone>> = {
  fetching: 'neutral',
  ready: 'warn',
  tonight: 'ok',
  'not-now': 'neutral',
}
const MB = 1_000_000

interface NextVersionProps {
  readonly next: NextVersion
  readonly busy: boolean
  readonly onOrder: (when: OrderUpdate['when']) => void
}

/** The version that comes next: what is new in it, how far it has come in, and when it is installed. */
export function NextVersionCard({ next, busy, onOrder }: NextVersionProps) {
  const { t, format } = useWords()
  const { version, releasedAt, notes, state, heldUntil, bytes } = next
  const day = heldUntil === null ? '' : format.day(heldUntil)
  return (
    <section className={styles['next']} aria-label={t('updates.next', { version })}>
      <div className={pageStyles['card']}>
        <h3>{t('updates.next', { version })}</h3>
        <div className={styles['facts']}>
          <Tag tone={TONES[state]}>{t(`updates.state.${state}`)}</Tag>
          <span>{t('updates.released', { day: format.day(releasedAt) })}</span>
        </div>
        {bytes !== null && bytes.done < bytes.total && <Download {...bytes} />}
        <p role="status">{t(`updates.stateHelp.${state}`, { day })}</p>
        <div className={styles['orders']}>
          {state !== 'tonight' && (
            <Button
              look="primary"
              size="l"
              icon={<CalendarClock />}
              isDisabled={busy}
              onPress={() => onOrder('tonight')}
            >
              {t('updates.tonight')}
            </Button>
          )}
          {state !== 'not-now' && (
            <Button size="l" icon={<Pause />} isDisabled={busy} onPress={() => onOrder('not-now')}>
              {t('updates.notNow')}
            </Button>
          )}
        </div>
        <h4 className={styles['heading']}>{t('updates.whatIsNew')}</h4>
        <Notes notes={notes} />
      </div>
    </section>
  )
}

function Download({ done, total }: { readonly done: number; readonly total: number }) {
  const { t, format } = useWords()
  const megabytes = (bytes: number): string => format.miles(Math.round(bytes / MB))
  return (
    <div className={styles['work']}>
      <progress aria-label={t('updates.progress')} value={done} max={total} />
      <span>{t('updates.downloaded', { done: megabytes(done), total: megabytes(total) })}</span>
    </div>
  )
}
