import type { UseQueryResult } from '@tanstack/react-query'
import { RefreshCw, Store } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead, pageStyles } from '../../core/ui/page.tsx'
import { Empty } from '../../core/ui/surface.tsx'
import styles from './store-overview.module.css'

/** Interval at which an open page reloads: long enough for the load of thirty open pages. */
export const READ_AGAIN_MS = 60_000

/** Whether this lane has a store server, which answers the pages about all lanes. Null: not known yet. */
export const useHasStore = (): boolean | null => useEvents(({ store }) => store && store.kind !== 'none')

/**
 * A page with data of the store server, in each of its states. While the server does not answer, it shows the last data
 * with its time; a lane without a store server gets a notice.
 */
export function StorePage<Answer>({
  title,
  intro,
  query,
  actions,
  filters,
  children,
}: {
  readonly title: string
  readonly intro: string
  readonly query: UseQueryResult<Answer>
  readonly actions?: ReactNode
  readonly filters?: ReactNode
  readonly children: (answer: Answer) => ReactNode
}) {
  const { t } = useI18n()
  const hasStore = useHasStore()
  const [isAsked, setAsked] = useState(false)
  if (hasStore !== true)
    return (
      <>
        <PageHead title={title} intro={intro} />
        {hasStore === null ? (
          <p role="status">{t('app.loading')}</p>
        ) : (
          <Empty icon={<Store />} title={t('wholeStore.aloneTitle')} text={t('wholeStore.alone')} />
        )}
      </>
    )
  // The button is never disabled, because it would lose the focus at each refresh. A second press waits for the answer
  // in flight.
  const readAgain = (): void => {
    setAsked(true)
    void query.refetch({ cancelRefetch: false }).finally(() => setAsked(false))
  }
  return (
    <>
      <PageHead title={title} intro={intro}>
        <span className={pageStyles['actions']}>
          {actions}
          <Button icon={<RefreshCw />} onPress={readAgain}>
            {t('store.refresh')}
          </Button>
        </span>
      </PageHead>
      {filters}
      {(query.isPending || isAsked) && <p role="status">{t('app.loading')}</p>}
      {query.isError && <LoadFailed error={query.error} retry={readAgain} />}
      {query.data !== undefined && (
        <>
          <AsOf at={query.dataUpdatedAt} />
          {children(query.data)}
        </>
      )}
    </>
  )
}

function AsOf({ at }: { readonly at: number }) {
  const { t, format } = useI18n()
  return (
    <p className={`note ${styles['asOf']} figures`}>
      {t('wholeStore.asOf', { time: format.dateTime(new Date(at).toJSON()) })}
    </p>
  )
}
