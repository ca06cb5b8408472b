import { Temporal } from 'temporal-polyfill/implementation'
import type { OfferFailure } from '../../../contracts/loyalty/offers.ts'
import { MAX_OFFERS_PER_PAGE, type Offer } from '../../../contracts/central/offers.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { Region } from '../../../contracts/core/regions.ts'
import type { OffersClient } from '../services/offers.ts'
import { OfferType } from './offer-terms.ts'
import { shortened } from '../../core/masking.ts'
import type { MemberAccess } from '../services/member-sign-in.ts'
import type { Logger } from '../../core/log.ts'
import type { StoredOffer } from './offers.sql.ts'
import type { Failed } from '../../core/central/service-result.ts'

/**
 * Maximum number of pages of a list. A longer list is rejected: the service ignores the page size or never ends the
 * list.
 */
const MAX_PAGES = 50
const MAX_OFFERS = MAX_PAGES * MAX_OFFERS_PER_PAGE

export interface OfferQuery {
  readonly client: Pick<OffersClient, 'list'>
  readonly log: Logger
  readonly countDropped?: () => void
  readonly region: Region
  readonly locale: Locale
  /** Requests only offers of this type (specification 1 §4.2); by default of all types. */
  readonly type?: OfferType
  readonly member?: MemberAccess
}

/**
 * Fetches all in-store offers of a region in one language, page by page: public mass offers without a token
 * (specification 1 §1), or a member's targeted offers. One failed page fails the list, because a partial list would
 * look complete.
 */
export async function fetchOffers({
  client,
  log,
  countDropped,
  region,
  locale,
  type,
  member,
}: OfferQuery): Promise<{ offers: StoredOffer[] } | { failed: OfferFailure }> {
  const found = new Map<string, StoredOffer>()
  let received = 0
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await client.list(
      // Request only offers that can be used at a lane, not those of the web alone (specification 1 §4.2).
      {
        region,
        availability: ['in-store'],
        limit: MAX_OFFERS_PER_PAGE,
        offset: received,
        ...(type === undefined ? {} : { types: [type] }),
        ...(member ? { massOffer: false } : {}),
      },
      { locale, ...member },
    )
    if (answer.kind === 'failed') return { failed: offerFailure(answer) }
    const { offers, leftOut, metadata } = answer.body
    for (const offer of offers) found.set(offer.id, toStoredOffer(offer))
    for (const fields of leftOut) {
      log.warn({ fields }, 'skipped an offer that lacks documented fields')
      countDropped?.()
    }
    received += answer.body.received
    if (received > MAX_OFFERS) break
    if (received >= metadata.total || answer.body.received === 0) return { offers: [...found.values()] }
  }
  log.warn({ received }, 'rejected an offer list that does not end')
  return { failed: { cause: 'malformed', code: null, correlationId: null } }
}

/**
 * Maximum number of characters of each text of an offer; `tiers` is the maximum number of its tiers. The limits keep
 * the list small, which is evaluated after every item.
 */
export const ROOM = { name: 100, words: 300, description: 2_000, legal: 20_000, address: 2_000, tiers: 20 } as const

/** The end of an offer is exclusive: if it is midnight, the last day is the day before. */
const lastDayOf = (endDate: string): string =>
  Temporal.PlainDateTime.from(endDate).subtract({ seconds: 1 }).toPlainDate().toString()

/** Converts an offer of the service for storage. `type` is null because no answer contains it. */
export const toStoredOffer = (offer: Offer): StoredOffer => ({
  displayDate: offer.displayDate,
  endDate: offer.endDate,
  startDate: offer.startDate,
  partnerId: offer.partnerId,
  imageUrl: offer.image && offer.image.url.length <= ROOM.address ? offer.image.url : null,
  card: {
    id: offer.id,
    partner: shortened(offer.partnerLabel, ROOM.name),
    category: offer.categoryLabel === undefined ? null : shortened(offer.categoryLabel, ROOM.name),
    award: shortened(offer.awardShort, ROOM.words),
    qualifier: shortened(offer.qualifierShort, ROOM.words),
    description: offer.description === undefined ? null : shortened(offer.description, ROOM.description),
    endsOn: lastDayOf(offer.endDate),
    legalText: offer.legalText === undefined ? null : shortened(offer.legalText, ROOM.legal),
  },
  terms: {
    type: null,
    programType: offer.programType,
    targeted: !offer.massOffer,
    priority: offer.displayPriority ?? null,
    promotionId: offer.promotionId ?? null,
    categoryId: offer.categoryId ?? null,
    tiers: offer.tiers.slice(0, ROOM.tiers).map(({ awardValue, qualifierValue, awardLong, qualifierLong }) => ({
      miles: awardValue ?? null,
      asks: qualifierValue ?? null,
      award: shortened(awardLong, ROOM.words),
      qualifier: shortened(qualifierLong, ROOM.words),
    })),
    mechanisms: offer.mechanisms.map(({ mechanismType, mechanismValue }) => ({
      type: mechanismType,
      value: mechanismValue ?? null,
    })),
  },
})

export const offerFailure = ({ cause, code, correlationId }: Failed): OfferFailure => ({
  cause: cause === 'collector-refused' ? 'refused' : cause,
  code,
  correlationId,
})

export type OfferTypes = ReadonlyMap<string, OfferType>

/**
 * Fetches the type of each offer of the region, by offer id. Offers lack this field (specification 1 §2.2), so the list
 * of each type is requested (specification 1 §4.2). An offer in the lists of two types gets no type.
 */
export async function fetchOfferTypes(
  query: Omit<OfferQuery, 'type'>,
): Promise<{ types: OfferTypes } | { failed: OfferFailure }> {
  const types = new Map<string, OfferType>()
  const twice = new Set<string>()
  for (const type of OfferType.options) {
    const answer = await fetchOffers({ ...query, type })
    if ('failed' in answer) return answer
    for (const { card } of answer.offers) {
      if (types.has(card.id)) twice.add(card.id)
      types.set(card.id, type)
    }
  }
  for (const id of twice) types.delete(id)
  return { types }
}

export const typesOf = (offers: readonly StoredOffer[]): OfferTypes =>
  new Map(offers.flatMap(({ card, terms }) => (terms.type === null ? [] : [[card.id, terms.type] as const])))

export const withTypes = (offers: readonly StoredOffer[], types: OfferTypes): StoredOffer[] =>
  offers.map((offer) => ({ ...offer, terms: { ...offer.terms, type: types.get(offer.card.id) ?? null } }))
