import type { VouchersOfStore } from '../../../contracts/store/overview.ts'
import { useWords } from '../../i18n/words.tsx'
import { pageStyles } from '../../ui/page.tsx'
import { Tag } from '../../ui/surface.tsx'
import styles from './store-overview.module.css'

/** The lanes that have to be started since the store’s data was restored, and what waits for them; else nothing. */
export function AwaitedLanes({ awaited }: Pick<VouchersOfStore, 'awaited'>) {
  const { t } = useWords()
  if (awaited.length === 0) return null
  return (
    <section className={pageStyles['section']} aria-label={t('wholeStore.lanes.restored')}>
      <h3>{t('wholeStore.lanes.restored')}</h3>
      {awaited.map(({ lane, saidBy }) => (
        <p key={lane} className={`${styles['note']} ${styles['wraps']}`}>
          <Tag tone="warn">
            {lane === '' ? t('wholeStore.lanes.awaitedUnknown') : t('wholeStore.lanes.awaited', { lane })}
          </Tag>
          {saidBy.length > 0 && ` ${t('wholeStore.lanes.saidBy', { lanes: saidBy.join(', ') })}`}
        </p>
      ))}
      <p className={styles['note']}>{t('wholeStore.lanes.lostLane')}</p>
    </section>
  )
}
