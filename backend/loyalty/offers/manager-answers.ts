import type {
  ManagerOffer,
  ManagerOfferAnswer,
  ManagerOfferDetail,
  ManagerOfferPage,
  ManagerOfferQuery,
  OfferFacets,
} from '../../../contracts/loyalty/offers.ts'
import type { Offer, OfferListResponse, OfferSort } from '../../../contracts/central/offers.ts'
import {
  OFFER_FILTERS,
  OFFER_WARNINGS,
  type OFFER_SORTS,
  type OfferFilterName,
} from '../../../contracts/loyalty/kinds.ts'
import type { Region } from '../../../contracts/core/regions.ts'
import type { OfferListQuery } from '../services/offers.ts'
import { shortened } from '../../core/masking.ts'
import { ROOM } from './fetch.ts'
import { isShownAt, type StoredOffer, type StoredOffers } from './offers.sql.ts'

/** Local date-times of the store: `now`, and `soon`, by which an offer must end to count as "ends soon". */
export interface Moments {
  readonly now: string
  readonly soon: string
}

const SORTS: Readonly<Record<(typeof OFFER_SORTS)[number], OfferSort>> = {
  'ending-soon': 'endingSoon',
  'region-relevance': 'regionRelevance',
}

/** Converts the manager's filters to parameters of the service (specification 1 §4.2). */
export const listQueryOf = (asked: Omit<ManagerOfferQuery, 'locale'>, region: Region): OfferListQuery => ({
  region,
  ...(asked.partner && { partnerIds: asked.partner }),
  ...(asked.category && { categoryIds: asked.category }),
  ...(asked.subcategory && { subcategoryIds: asked.subcategory }),
  ...(asked.promotion !== undefined && { promotionId: asked.promotion }),
  ...(asked.type && { types: asked.type }),
  ...(asked.programType && { programTypes: asked.programType }),
  ...(asked.availability && { availability: asked.availability }),
  ...(asked.event !== undefined && { eventBased: asked.event }),
  ...(asked.excludePartner && { excludePartnerIds: asked.excludePartner }),
  ...(asked.experiment && { experiments: asked.experiment }),
  ...(asked.sort && { sort: [SORTS[asked.sort]] }),
  offset: asked.offset,
  limit: asked.limit,
  extendedMetadata: true,
})

export function facetsOf({ partners, categories }: OfferListResponse['metadata']): OfferFacets | null {
  if (!partners || !categories) return null
  return {
    partners,
    categories: categories.map(({ subCategories = [], ...category }) => ({
      ...category,
      subcategories: subCategories,
    })),
  }
}

function validityOf(
  { startDate, endDate }: Pick<Offer, 'startDate' | 'endDate'>,
  { now, soon }: Moments,
): ManagerOffer['validity'] {
  if (endDate <= now) return 'over'
  if (startDate > now) return 'not-started'
  return endDate <= soon ? 'ends-soon' : 'usable'
}

const optionalText = (text: string | undefined, maxLength: number): string | null =>
  text === undefined ? null : shortened(text, maxLength)

export const offerOf = (offer: Offer, moments: Moments): ManagerOffer => ({
  id: offer.id,
  partner: shortened(offer.partnerLabel, ROOM.name),
  partnerId: offer.partnerId,
  category: optionalText(offer.categoryLabel, ROOM.name),
  promotion:
    offer.promotionId === undefined
      ? null
      : { id: offer.promotionId, label: optionalText(offer.promotionLabel, ROOM.name) ?? offer.promotionId },
  award: shortened(offer.awardShort, ROOM.words),
  qualifier: shortened(offer.qualifierShort, ROOM.words),
  displayDate: offer.displayDate,
  startDate: offer.startDate,
  endDate: offer.endDate,
  validity: validityOf(offer, moments),
})

export const detailOf = (offer: Offer, moments: Moments): ManagerOfferDetail => ({
  ...offerOf(offer, moments),
  description: optionalText(offer.description, ROOM.description),
  programType: offer.programType,
  massOffer: offer.massOffer,
  eventBased: offer.eventBasedOffer ?? null,
  tiers: offer.tiers.slice(0, ROOM.tiers).map(({ awardLong, qualifierLong }) => ({
    award: shortened(awardLong, ROOM.words),
    qualifier: shortened(qualifierLong, ROOM.words),
  })),
  mechanisms: offer.mechanisms.map(({ mechanismType, mechanismLabel, mechanismValue }) => ({
    type: mechanismType,
    label: optionalText(mechanismLabel, ROOM.words),
    value: optionalText(mechanismValue, ROOM.address),
  })),
  cardTypes: offer.cardType ?? null,
  legalText: optionalText(offer.legalText, ROOM.legal),
})

export const warningOf = (
  warning: { readonly errorCode: string; readonly message: string } | null,
): ManagerOfferAnswer['warning'] =>
  warning && {
    code: OFFER_WARNINGS.find((code) => code === warning.errorCode) ?? null,
    message: shortened(warning.message, ROOM.words),
  }

const storedSummaryOf = ({ card, ...rest }: StoredOffer, moments: Moments): ManagerOffer => ({
  id: card.id,
  partner: card.partner,
  category: card.category,
  promotion: null,
  award: card.award,
  qualifier: card.qualifier,
  ...rest,
  validity: validityOf(rest, moments),
})

export const storedDetailOf = (offer: StoredOffer, moments: Moments): ManagerOfferDetail => ({
  ...storedSummaryOf(offer, moments),
  description: offer.card.description,
  programType: null,
  massOffer: null,
  eventBased: null,
  tiers: null,
  mechanisms: null,
  cardTypes: null,
  legalText: offer.card.legalText,
})

type StoredPage = Pick<ManagerOfferPage, 'offers' | 'total' | 'offset' | 'facets' | 'notApplied'>

/**
 * Returns a page of the stored offers that may be displayed now; the list has only in-store offers. Filters only by
 * partner, and sorts only by end.
 */
export function storedPage(list: StoredOffers | undefined, asked: ManagerOfferQuery, moments: Moments): StoredPage {
  const live = (list?.offers ?? []).filter((offer) => isShownAt(offer, moments.now))
  const fitting = live.filter(
    ({ partnerId }) =>
      (asked.partner?.includes(partnerId) ?? true) && !(asked.excludePartner?.includes(partnerId) ?? false),
  )
  const sorted =
    asked.sort === 'ending-soon'
      ? fitting.toSorted((a, b) => (a.endDate < b.endDate ? -1 : a.endDate > b.endDate ? 1 : 0))
      : fitting
  return {
    offers: sorted.slice(asked.offset, asked.offset + asked.limit).map((offer) => storedSummaryOf(offer, moments)),
    total: sorted.length,
    offset: asked.offset,
    facets: list ? { partners: partnersOf(live), categories: null } : null,
    notApplied: OFFER_FILTERS.filter((name) => asked[name] !== undefined && !isStoredFilter(name, asked)),
  }
}

function isStoredFilter(name: OfferFilterName, { availability, sort }: ManagerOfferQuery): boolean {
  switch (name) {
    case 'partner':
    case 'excludePartner':
      return true
    case 'availability':
      return availability?.includes('in-store') === true
    case 'sort':
      return sort === 'ending-soon'
    case 'category':
    case 'subcategory':
    case 'promotion':
    case 'type':
    case 'programType':
    case 'event':
    case 'experiment':
      return false
  }
}

function partnersOf(offers: readonly StoredOffer[]): OfferFacets['partners'] {
  const counts = new Map<string, OfferFacets['partners'][number]>()
  for (const { partnerId, card } of offers) {
    const before = counts.get(partnerId)?.count ?? 0
    counts.set(partnerId, { id: partnerId, label: card.partner, count: before + 1 })
  }
  return [...counts.values()].toSorted((a, b) => a.label.localeCompare(b.label))
}
