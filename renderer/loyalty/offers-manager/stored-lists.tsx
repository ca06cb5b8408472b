import type { UseQueryResult } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { LANGUAGES } from '../../../contracts/i18n/languages.ts'
import type { ManagerOfferPage, OfferFailure, OfferLists } from '../../../contracts/loyalty/offers.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed } from '../../core/ui/page.tsx'
import { Tag } from '../../core/ui/surface.tsx'
import styles from './offers-manager.module.css'

type List = OfferLists['lists'][number]

export function StoredLists({
  lists,
  refreshing,
  explains,
}: {
  readonly lists: UseQueryResult<OfferLists>
  readonly refreshing: boolean
  readonly explains: boolean
}) {
  const { t } = useI18n()
  if (lists.isPending) return <p role="status">{t('app.loading')}</p>
  if (lists.isError) return <LoadFailed error={lists.error} retry={() => void lists.refetch()} />
  const all = lists.data.lists
  const done = all.filter(({ loading }) => !loading).length
  return (
    <section className={`wrap text-s ${styles['lists']}`} aria-label={t('offersManager.lists')}>
      <h3>{t('offersManager.lists')}</h3>
      <ul className="wrap">
        {all.map((list) => (
          <li className="wrap middle" key={list.locale}>
            <ListAge list={list} now={Date.parse(lists.data.at)} explains={explains} />
          </li>
        ))}
      </ul>
      {refreshing && (
        <div className={`row-3 wraps ${styles['progress']}`}>
          <span role="status">{t('offersManager.refreshing')}</span>
          <span className="figures">{t('offersManager.progress', { done: String(done), count: all.length })}</span>
          <progress aria-label={t('offersManager.refreshing')} value={done} max={all.length} />
        </div>
      )}
    </section>
  )
}

function ListAge({ list, now, explains }: { readonly list: List; readonly now: number; readonly explains: boolean }) {
  const { t, format } = useI18n()
  const { fetchedAt, dueAt, failed } = list
  const isOverdue = dueAt !== null && Date.parse(dueAt) < now
  const age =
    fetchedAt === null
      ? [t('offersManager.listNever')]
      : [
          t('offersManager.count.inStore', { count: list.count }),
          t('offersManager.listLoaded', { age: format.age(now - Date.parse(fetchedAt)) }),
          ...(dueAt === null || isOverdue ? [] : [t('offersManager.listDue', { time: format.time(dueAt) })]),
        ]
  return (
    <>
      <strong>{LANGUAGES[list.locale].name}</strong>
      <span>{age.join(', ')}</span>
      {list.loading ? (
        <Tag>{t('offersManager.listLoading')}</Tag>
      ) : failed ? (
        <Tag tone="warn">{t('offersManager.listFailed', { time: format.time(failed.at) })}</Tag>
      ) : isOverdue ? (
        <Tag tone="warn">{t('offersManager.listOverdue')}</Tag>
      ) : (
        fetchedAt !== null && <Tag tone="ok">{t('offersManager.listFine')}</Tag>
      )}
      {explains && failed && !list.loading && (
        <small className="dim anywhere">
          {t(`offersManager.cause.${failed.cause}`)} <Reference failure={failed} />
        </small>
      )}
    </>
  )
}

/**
 * Explains that the offer service did not answer: which list is shown instead, which filters it lacks, and the error
 * reference for support.
 */
export function StoredListNotice({
  page,
  failure,
  retry,
}: {
  readonly page: Pick<ManagerOfferPage, 'fetchedAt' | 'notApplied'>
  readonly failure: OfferFailure
  readonly retry: () => void
}) {
  const { t, format } = useI18n()
  const { fetchedAt, notApplied } = page
  return (
    <div className={`row-3 wraps text-s round-m pad-3-4 above-3 warn-box icons-24 ${styles['notice']}`} role="alert">
      <TriangleAlert aria-hidden="true" />
      <div className="stack-1">
        <p className="anywhere">
          <strong className="warn">{t(`offersManager.cause.${failure.cause}`)}</strong>{' '}
          {t(`offersManager.todo.${failure.cause}`)}
        </p>
        <p className="anywhere">
          {fetchedAt === null
            ? t('offersManager.keptNever')
            : t('offersManager.keptSince', { time: format.dateTime(fetchedAt) })}{' '}
          {notApplied.length > 0 &&
            t('offersManager.notApplied', {
              filters: notApplied.map((name) => t(`offersManager.filter.${name}`)).join(', '),
            })}
        </p>
        <p className="anywhere selectable">
          <Reference failure={failure} />
        </p>
      </div>
      <Button onPress={retry}>{t('app.tryAgain')}</Button>
    </div>
  )
}

export function Reference({ failure: { code, correlationId: id } }: { readonly failure: OfferFailure }) {
  const { t } = useI18n()
  if (code !== null && id !== null) return <>{t('offersManager.reference', { code, id })}</>
  if (code !== null) return <>{t('offersManager.referenceCode', { code })}</>
  return id === null ? null : <>{t('offersManager.referenceId', { id })}</>
}
