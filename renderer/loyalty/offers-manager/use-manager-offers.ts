import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { z } from 'zod'
import type { ManagerOfferFilter, ManagerOfferPage, OfferLists } from '../../../contracts/loyalty/offers.ts'
import { showAnswer, storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { clearProblems, notify, report } from '../../core/state/notices.ts'

export type Filter = z.input<typeof ManagerOfferFilter>

export const PAGE = 20
const LISTS = ['offer-lists']
const LOOK_AGAIN_MS = 400

export function useOfferPage(filter: Filter, offset: number) {
  const { format } = useI18n()
  const [choices, setChoices] = useState(NO_CHOICES)
  const page = useQuery({
    queryKey: ['manager-offers', format.locale, filter, offset],
    queryFn: async ({ signal }) => {
      const asked = { ...filter, offset, limit: PAGE, locale: format.locale }
      const answer = await storeApi.managerOffers(asked, signal)
      setChoices((known) => choicesWith(known, answer, filter))
      return answer
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const { refetch } = page
  const failed = (page.data?.failure ?? null) !== null
  const isOnline = useEvents((state) => state.queue?.central === 'online')
  const wasOnline = useRef(isOnline)
  // When the loyalty service is reachable again, load its offers in place of the lane's stored list.
  useEffect(() => {
    if (isOnline && !wasOnline.current && failed) void refetch()
    wasOnline.current = isOnline
  }, [isOnline, failed, refetch])
  return { page, choices }
}

export interface Choice {
  readonly id: string
  readonly label: string
  /** Number of offers for this choice; null: not counted under these filters. */
  readonly count: number | null
}
export interface Choices {
  readonly partner: readonly Choice[]
  readonly category: readonly Choice[]
  readonly subcategory: readonly Choice[]
  readonly promotion: readonly Choice[]
}
const NO_CHOICES: Choices = { partner: [], category: [], subcategory: [], promotion: [] }

/**
 * Merges filter choices. The service counts under the current filter, so its answer contains only the chosen partner:
 * the other choices stay selectable, without a count.
 */
function merged(known: readonly Choice[], counted: readonly Choice[], chosen: boolean): readonly Choice[] {
  if (!chosen) return counted
  const news = new Map(counted.map((choice) => [choice.id, choice]))
  const updated = known.map((choice) => news.get(choice.id) ?? { ...choice, count: null })
  return [...updated, ...counted.filter(({ id }) => known.every((choice) => choice.id !== id))]
}

function choicesWith(known: Choices, { offers, facets }: ManagerOfferPage, filter: Filter): Choices {
  // The service lists no promotions: collect them from the offers seen so far.
  const seen = new Map(
    offers.flatMap(({ promotion }) => (promotion ? [[promotion.id, { ...promotion, count: null }] as const] : [])),
  )
  const promotion = merged(known.promotion, [...seen.values()], true)
  if (!facets) return { ...known, promotion }
  const partner = merged(known.partner, facets.partners, filter.partner !== undefined)
  if (!facets.categories) return { ...known, promotion, partner }
  const subcategories = facets.categories
    .filter(({ id }) => filter.category === undefined || id === filter.category)
    .flatMap((category) => category.subcategories)
  return {
    promotion,
    partner,
    category: merged(known.category, facets.categories, filter.category !== undefined),
    subcategory: merged(known.subcategory, subcategories, filter.subcategory !== undefined),
  }
}

/** Loads the lane's stored lists; a refresh loads every language, and then the shown page. */
export function useOfferLists() {
  const queries = useQueryClient()
  const refresh = useMutation({
    mutationFn: storeApi.refreshOfferLists,
    async onSuccess(answer) {
      await showAnswer<OfferLists>(queries, LISTS, answer)
      const failed = answer.lists.filter((list) => list.failed !== null).length
      clearProblems()
      if (failed === 0) notify('success', (i18n) => i18n.t('offersManager.refreshed'))
      else notify('warning', (i18n) => i18n.t('offersManager.refreshFailed', { failed, count: answer.lists.length }))
    },
    onError: report,
    onSettled: () => queries.invalidateQueries({ queryKey: ['manager-offers'] }),
  })
  const lists = useQuery({
    queryKey: LISTS,
    queryFn: storeApi.offerLists,
    refetchInterval: ({ state: { data } }) =>
      refresh.isPending || data?.lists.some(({ loading }) => loading) ? LOOK_AGAIN_MS : false,
  })
  return { lists, refresh }
}
