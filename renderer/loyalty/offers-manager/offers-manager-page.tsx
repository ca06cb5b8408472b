import { ArrowLeft, ArrowRight, RefreshCw, SearchX, Tags } from 'lucide-react'
import { useState } from 'react'
import type { ManagerOfferPage } from '../../../contracts/loyalty/offers.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead } from '../../core/ui/page.tsx'
import { Empty } from '../../core/ui/surface.tsx'
import { OfferDialog } from './offer-dialog.tsx'
import { OfferFilters, OfferTable } from './offer-table.tsx'
import { StoredListNotice, StoredLists } from './stored-lists.tsx'
import styles from './offers-manager.module.css'
import { PAGE, useOfferLists, useOfferPage, type Filter } from './use-manager-offers.ts'

export function OffersManagerPage() {
  const { t } = useI18n()
  const [filter, setFilter] = useState<Filter>({})
  const [offset, setOffset] = useState(0)
  const [opened, setOpened] = useState<string | null>(null)
  const { page, choices } = useOfferPage(filter, offset)
  const storedLists = useOfferLists()
  const retry = (): void => {
    // While calls to the service are paused after failures, only a refresh of the lists calls it.
    if (page.data?.failure?.cause === 'breaker-open') storedLists.refresh.mutate()
    else void page.refetch()
  }
  const change = (next: Filter): void => {
    setFilter(next)
    setOffset(0)
  }
  return (
    <>
      <PageHead title={t('offersManager.title')} intro={t('offersManager.intro')}>
        <Button
          icon={<RefreshCw />}
          isPending={storedLists.refresh.isPending}
          onPress={() => storedLists.refresh.mutate()}
        >
          {t('offersManager.refresh')}
        </Button>
      </PageHead>
      <StoredLists
        lists={storedLists.lists}
        refreshing={storedLists.refresh.isPending}
        explains={!page.data?.failure && !page.isPending}
      />
      {page.data?.failure && !page.isError && (
        <StoredListNotice page={page.data} failure={page.data.failure} retry={retry} />
      )}
      <OfferFilters filter={filter} choices={choices} onChange={change} onOpen={setOpened} />
      {page.isPending && <p role="status">{t('offersManager.loading')}</p>}
      {page.isError && <LoadFailed error={page.error} retry={() => void page.refetch()} />}
      {page.data && !page.isError && (
        <Offers
          page={page.data}
          filtered={Object.keys(filter).length > 0}
          isWaiting={page.isPlaceholderData}
          onOpen={setOpened}
          onOffset={setOffset}
        />
      )}
      {opened !== null && (
        <OfferDialog
          id={opened}
          onClose={() => setOpened(null)}
          onPromotion={(promotion) => {
            setOpened(null)
            change({ promotion })
          }}
        />
      )}
    </>
  )
}

function Offers({
  page,
  filtered,
  isWaiting,
  onOpen,
  onOffset,
}: {
  readonly page: ManagerOfferPage
  readonly filtered: boolean
  /** Whether the answer to the previous query is still shown. */
  readonly isWaiting: boolean
  readonly onOpen: (id: string) => void
  readonly onOffset: (offset: number) => void
}) {
  const { t } = useI18n()
  const { offers, total, offset } = page
  const counted = filtered ? 'matching' : page.source === 'kept' ? 'inStore' : 'region'
  return (
    <>
      <p className={`flex gap-3 dim ${styles['count']}`} role="status">
        <strong className="ink">{t(`offersManager.count.${counted}`, { count: total })}</strong>
        {isWaiting && <span>{t('offersManager.loading')}</span>}
      </p>
      {offers.length === 0 ? (
        <NoOffers page={page} filtered={filtered} />
      ) : (
        <OfferTable offers={offers} onOpen={onOpen} />
      )}
      {(total > PAGE || offset > 0) && (
        <footer className="row-3 wraps above-3">
          <Button
            icon={<ArrowLeft />}
            isDisabled={offset === 0}
            isPending={isWaiting}
            onPress={() => onOffset(Math.max(0, offset - PAGE))}
          >
            {t('offersManager.previous')}
          </Button>
          {offers.length > 0 && (
            <span className="figures">
              {t('offersManager.shown', {
                from: String(offset + 1),
                to: String(offset + offers.length),
                total: String(total),
              })}
            </span>
          )}
          <Button
            icon={<ArrowRight />}
            isDisabled={offset + offers.length >= total}
            isPending={isWaiting}
            onPress={() => onOffset(offset + PAGE)}
          >
            {t('offersManager.next')}
          </Button>
        </footer>
      )}
    </>
  )
}

function NoOffers({ page, filtered }: { readonly page: ManagerOfferPage; readonly filtered: boolean }) {
  const { t } = useI18n()
  const neverStored = page.source === 'kept' && page.fetchedAt === null
  const [title, text] = neverStored
    ? (['offersManager.notKeptTitle', 'offersManager.notKept'] as const)
    : filtered
      ? (['offersManager.noneTitle', 'offersManager.none'] as const)
      : (['offersManager.emptyTitle', 'offersManager.empty'] as const)
  return (
    <div className="nothing">
      <Empty icon={filtered ? <SearchX /> : <Tags />} title={t(title)} text={t(text)} />
    </div>
  )
}
