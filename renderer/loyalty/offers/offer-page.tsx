import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RefreshCw, Tag as TagIcon } from 'lucide-react'
import { useEffect } from 'react'
import type { Locale } from '../../../contracts/core/locales.ts'
import { showAnswer, storeApi } from '../../core/api/store-api.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead } from '../../core/ui/page.tsx'
import { Empty, Tag } from '../../core/ui/surface.tsx'
import styles from './offer-page.module.css'
import { Button as AriaButton, Disclosure, DisclosurePanel, Heading } from 'react-aria-components'

/**
 * Page of the region's offers in the screen's language. While the offer service is unreachable, it shows the last list
 * with its age.
 */
export function OfferPage() {
  const { t, format } = useI18n()
  const offers = useQuery({
    queryKey: ['offers', format.locale],
    queryFn: () => api.offers(format.locale),
    staleTime: 60_000,
  })
  const queries = useQueryClient()
  const ask = useMutation({
    mutationFn: (locale: Locale) => storeApi.refreshOffers(locale),
    // Cache the list under the language of its request, because the screen's language may have changed since.
    onSuccess: (list, locale) => showAnswer(queries, ['offers', locale], list),
  })
  const list = offers.data
  const stale = list?.stale === true
  const isOnline = useEvents((state) => state.queue?.central === 'online')
  const { refetch } = offers
  // When the loyalty service is reachable again, load a new list in place of the old one.
  useEffect(() => {
    if (isOnline && stale) void refetch()
  }, [isOnline, stale, refetch])
  return (
    <>
      <PageHead title={t('offers.title')} intro={t('offers.intro')}>
        <Button
          icon={<RefreshCw />}
          isDisabled={offers.isFetching || ask.isPending}
          onPress={() => ask.mutate(format.locale)}
        >
          {t('store.refresh')}
        </Button>
      </PageHead>
      {offers.isPending && <p role="status">{t('offers.loading')}</p>}
      {ask.isError && <LoadFailed error={ask.error} retry={() => ask.mutate(format.locale)} />}
      {offers.isError && <LoadFailed error={offers.error} retry={() => void offers.refetch()} />}
      {list && (
        <p className="row-3 note below-4">
          <strong className="ink text-m">{t('offers.count', { count: list.total })}</strong>
          {list.fetchedAt &&
            (list.stale ? (
              <Tag tone="warn">{t('offers.stale', { time: format.dateTime(list.fetchedAt) })}</Tag>
            ) : (
              <span>{t('offers.fetched', { time: format.time(list.fetchedAt) })}</span>
            ))}
        </p>
      )}
      {list?.offers.length === 0 && (
        <Empty icon={<TagIcon />} title={t('offers.emptyTitle')} text={t('offers.empty')} />
      )}
      <ul className={`stack-3 ${styles['grid']}`}>
        {list?.offers.map((offer) => (
          <li key={offer.id} className="flex column gap-2 card">
            <div className="row-2 between note weight-600">
              <span>{offer.partner}</span>
              {offer.category && <Tag>{offer.category}</Tag>}
            </div>
            <h3 className="text-xl miles-ink">{offer.award}</h3>
            <p className="text-s weight-600">{offer.qualifier}</p>
            {offer.description && <p className="text-s">{offer.description}</p>}
            <p className="push-down text-s dim">{t('offers.ends', { date: format.date(offer.endsOn) })}</p>
            <Conditions text={offer.legalText} />
          </li>
        ))}
      </ul>
    </>
  )
}

/** Opens the conditions of an offer by one touch; hidden if it has no conditions. `level`: level of the heading. */
export function Conditions({ text, level = 3 }: { readonly text: string | null; readonly level?: number }) {
  const { t } = useI18n()
  if (!text) return null
  return (
    <Disclosure>
      <Heading level={level} className="flush">
        <AriaButton slot="trigger" className={`target text-s weight-600 borderless pad-0 ${styles['open']}`}>
          {t('offers.legal')}
        </AriaButton>
      </Heading>
      <DisclosurePanel className={`text-xs dim ${styles['text']}`}>{text}</DisclosurePanel>
    </Disclosure>
  )
}
