import type { OfferFailure } from '../../../contracts/api/offers-manager.ts'
import { OfferType } from '../../domain/offer-terms.ts'
import { fetchOffers, type OfferQuery } from './fetch.ts'
import type { KeptOffer } from './repository.ts'

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
