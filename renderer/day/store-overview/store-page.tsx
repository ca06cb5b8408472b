import type { UseQueryResult } from '@tanstack/react-query'
import { RefreshCw, Store } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useWords } from '../../core/i18n/words.tsx'
import { useEvents } from '../../core/state/events.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead, pageStyles } from '../../core/ui/page.tsx'
import { Empty } from '../../core/ui/surface.tsx'
import styles from './store-overview.module.css'

/** A page that is left open does not tell of this morning: read again so often, seldom enough for thirty managers. */
export const READ_AGAIN_MS = 60_000

/** Whether this lane has a store: what a page of all lanes asks is asked of its server. Null: not known yet. */
export const useHasStore = (): boolean | null => useEvents(({ store }) => store && store.kind !== 'none')

/**
 * A page that the store's server answers, in each of its states; of a lane that is alone it says so. What was read last
 * stays, with its time, while the store does not answer.
 */
export function StorePage<Answer>({
  title,
  intro,
  query,
  orders,
  filters,
  children,
}: {
  readonly title: string
  readonly intro: string
  readonly query: UseQueryResult<Answer>
  /** Buttons beside the one that loads it again. */
  readonly orders?: ReactNode
  /** What is asked for: it stays while the answer is waited for. */
  readonly filters?: ReactNode
  readonly children: (answer: Answer) => ReactNode
}) {
  const { t } = useWords()
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
  // Never disabled: it would take the focus from whoever stands on it, each time that the page is read again.
  // Pressed once more it waits for the answer that is under way.
  const readAgain = (): void => {
    setAsked(true)
    void query.refetch({ cancelRefetch: false }).finally(() => setAsked(false))
  }
  return (
    <>
      <PageHead title={title} intro={intro}>
        <span className={pageStyles['orders']}>
          {orders}
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

/** When what stands below was read, by the clock of this window; `at` in epoch milliseconds. */
function AsOf({ at }: { readonly at: number }) {
  const { t, format } = useWords()
  return (
    <p className={`note ${styles['asOf']} figures`}>
      {t('wholeStore.asOf', { time: format.dateTime(new Date(at).toJSON()) })}
    </p>
  )
}
