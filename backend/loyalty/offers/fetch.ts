import { Temporal } from 'temporal-polyfill/implementation'
import type { OfferFailure } from '../../../contracts/loyalty/offers.ts'
import { MOST_OFFERS_A_PAGE, type Offer } from '../../../contracts/central/offers.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { Region } from '../../../contracts/core/regions.ts'
import type { OffersClient } from '../services/offers.ts'
import { OfferType } from './offer-terms.ts'
import { shortened } from '../../core/masking.ts'
import type { MemberAccess } from '../services/member-sign-in.ts'
import type { Logger } from '../../core/log.ts'
import type { KeptOffer } from './offers.sql.ts'
import type { Failed } from '../../core/central/service-result.ts'

/** A list that does not end is not a list; nor is one that a service without limits has made as long as that. */
const MAX_PAGES = 50
const MAX_OFFERS = MAX_PAGES * MOST_OFFERS_A_PAGE

export interface OfferQuery {
  readonly client: Pick<OffersClient, 'list'>
  readonly log: Logger
  /** Told of each offer that was left out. */
  readonly onLeftOut?: () => void
  readonly region: Region
  readonly locale: Locale
  /** Only offers of this type (specification 1 §4.2); left out: all of them. */
  readonly type?: OfferType
  /** Whose targeted offers alone are asked for; left out: the public's. */
  readonly member?: MemberAccess
}

/**
 * All offers of a region in one language, page by page: by the public flow, without a token, mass offers only
 * (specification 1 §1); or those that are for one member. A page that fails fails the list: half a list would be shown
 * as if it were whole.
 */
export async function fetchOffers({
  client,
  log,
  onLeftOut,
  region,
  locale,
  type,
  member,
}: OfferQuery): Promise<{ offers: KeptOffer[] } | { failed: OfferFailure }> {
  const found = new Map<string, KeptOffer>()
  let received = 0
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await client.list(
      // What can be used at a lane: offers of the web alone are for nobody who stands there (specification 1 §4.2).
      {
        region,
        availability: ['in-store'],
        limit: MOST_OFFERS_A_PAGE,
        offset: received,
        ...(type === undefined ? {} : { types: [type] }),
        ...(member ? { massOffer: false } : {}),
      },
      { locale, ...member },
    )
    if (answer.kind === 'failed') return { failed: offerFailure(answer) }
    const { offers, leftOut, metadata } = answer.body
    for (const offer of offers) found.set(offer.id, keptOffer(offer))
    for (const fields of leftOut) {
      log.warn({ fields }, 'an offer was left out: it does not have the documented fields')
      onLeftOut?.()
    }
    received += answer.body.received
    if (received > MAX_OFFERS) break
    if (received >= metadata.total || answer.body.received === 0) return { offers: [...found.values()] }
  }
  log.warn({ received }, 'the offer list did not end')
  return { failed: { cause: 'malformed', code: null, correlationId: null } }
}

/**
 * What of an offer has room on a screen and a receipt, in characters and in tiers: a list may hold anything, and is
 * looked through after every item.
 */
export const ROOM = { name: 100, words: 300, description: 2_000, legal: 20_000, address: 2_000, tiers: 20 } as const

/** It is not usable any more at the moment of its end: what ends at midnight has ended the day before. */
const lastDayOf = (endDate: string): string =>
  Temporal.PlainDateTime.from(endDate).subtract({ seconds: 1 }).toPlainDate().toString()

/** An offer of the service as the lane keeps it. `type`: null, since no answer says it of an offer. */
export const keptOffer = (offer: Offer): KeptOffer => ({
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

/** Why the service did not answer, for a person. By the public flow no collector is asked about. */
export const offerFailure = ({ cause, code, correlationId }: Failed): OfferFailure => ({
  cause: cause === 'collector-refused' ? 'refused' : cause,
  code,
  correlationId,
})

export type OfferTypes = ReadonlyMap<string, OfferType>

/**
 * The type of each offer of the region, by its id. No field of an offer says it (specification 1 §2.2), so that the
 * list is asked for by each type (§4.2). One that stands in both lists is taken as neither.
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

export const typesOf = (offers: readonly KeptOffer[]): OfferTypes =>
  new Map(offers.flatMap(({ card, terms }) => (terms.type === null ? [] : [[card.id, terms.type] as const])))

export const withTypes = (offers: readonly KeptOffer[], types: OfferTypes): KeptOffer[] =>
  offers.map((offer) => ({ ...offer, terms: { ...offer.terms, type: types.get(offer.card.id) ?? null } }))
