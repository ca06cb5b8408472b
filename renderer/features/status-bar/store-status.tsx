import { Store } from 'lucide-react'
import { useWords } from '../../i18n/words.tsx'
import { useEvents } from '../../state/events.ts'
import { Button } from '../../ui/button.tsx'
import { Explain } from './explain.tsx'
import styles from './status-bar.module.css'

/** How the lane stands with its store: a quiet mark while all is well, and nothing where it has none. */
export function StoreStatus({ goLanes }: { readonly goLanes: (() => void) | undefined }) {
  const { t, format } = useWords()
  const store = useEvents((state) => state.store)
  if (store === null || store.kind === 'none') return null
  const { kind, since, why, untold, aside } = store
  const isWell = kind === 'connected'
  return (
    <span className={isWell ? styles['roomy'] : styles['whole']}>
      <Explain
        name={t('status.store')}
        state={t(`status.storeState.${kind}`)}
        help={t(`status.storeWhat.${why ?? kind}`)}
        signal={isWell ? 'ok' : 'problem'}
        icon={<Store />}
      >
        {!isWell && <p>{t('status.storeNotNow')}</p>}
        <p>{t('status.storeSince', { time: format.dateTime(new Date(since).toJSON()) })}</p>
        {untold > 0 && <p>{t('status.storeUntold', { count: untold })}</p>}
        {aside > 0 && <p>{t('status.storeAside', { count: aside })}</p>}
        {goLanes && (
          <Button slot="close" onPress={goLanes}>
            {t('status.openLanes')}
          </Button>
        )}
      </Explain>
    </span>
  )
}
