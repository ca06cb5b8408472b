import type { CatalogState } from '../../../contracts/api/catalog-manager.ts'
import { useWords } from '../../i18n/words.tsx'
import styles from './catalog.module.css'
import { Progress } from './progress.tsx'

/** How the lane comes to the catalog that counts in its store, where it is not there yet. */
export function StoreImport({ ofStore }: { readonly ofStore: CatalogState['ofStore'] }) {
  const { t } = useWords()
  if (!ofStore) return null
  const about = { file: ofStore.fileName, lane: ofStore.lane }
  switch (ofStore.kind) {
    case 'fetching':
    case 'sending':
      return <Progress label={t(`catalog.store.${ofStore.kind}`, about)} percent={ofStore.percent} />
    case 'making':
      return <Progress label={t('catalog.store.making', about)} />
    case 'waiting':
      return (
        <>
          <Progress label={t('catalog.store.waiting', about)} percent={ofStore.percent} />
          <p className={styles['hint']}>{t('catalog.store.waitingDo', about)}</p>
        </>
      )
    case 'unsent':
    case 'full':
      return (
        <div role="status" className={styles['origin']}>
          <h3>{t('catalog.store.unsentTitle')}</h3>
          <p className="words">{t(`catalog.store.${ofStore.kind}`, about)}</p>
        </div>
      )
    case 'failed':
      return (
        <div role="alert" className={styles['bad']}>
          <h3>{t('catalog.store.failedTitle')}</h3>
          <p>{t('catalog.store.failed', about)}</p>
        </div>
      )
  }
}
