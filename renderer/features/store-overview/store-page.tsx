import type { UseQueryResult } from '@tanstack/react-query'
import { RefreshCw, Store } from 'lucide-react'
import type { ReactNode } from 'react'
import { useWords } from '../../i18n/words.tsx'
import { useEvents } from '../../state/events.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead, pageStyles } from '../../ui/page.tsx'
import { Empty } from '../../ui/surface.tsx'

/** Whether this lane has a store: what a page of all lanes asks is asked of its server. Null: not known yet. */
export const useHasStore = (): boolean | null => useEvents(({ store }) => store && store.kind !== 'none')

/** A page that the store's server answers, in each of its states; of a lane that is alone it says so. */
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
  return (
    <>
      <PageHead title={title} intro={intro}>
        <span className={pageStyles['orders']}>
          {orders}
          <Button icon={<RefreshCw />} isDisabled={query.isFetching} onPress={() => void query.refetch()}>
            {t('store.refresh')}
          </Button>
        </span>
      </PageHead>
      {filters}
      {query.isPending && <p role="status">{t('app.loading')}</p>}
      {query.isError && <LoadFailed error={query.error} retry={() => void query.refetch()} />}
      {!query.isError && query.data !== undefined && children(query.data)}
    </>
  )
}
