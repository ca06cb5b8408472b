import type { Offer } from '../../contracts/central/offers.ts'
import { present } from '../http/answer.ts'
import type { OfferLanguage, OfferState, StoredOffer } from './model.ts'
import { pictureAddress } from './pictures.ts'

/**
 * An offer as the wire has it, in one language (specification 1 §2.2). Pictures are addresses of nobody (`.example`)
 * but for those that these services draw, below their own `address`. `states` is null for the public; a collector who
 * did nothing with the offer gets an empty list.
 */
export function viewOf(
  offer: StoredOffer,
  language: OfferLanguage,
  states: readonly OfferState[] | null,
  address: string,
): Offer {
  const copy = offer.copy[language]
  const { mechanism } = offer
  const fields = present({
    id: offer.id,
    partnerId: offer.partnerId,
    partnerLabel: offer.partnerLabel,
    partnerLogo: { url: `https://images.miles.example/partners/${offer.partnerSlug}.png` },
    partnerProfileURL: `https://www.miles.example/partners/${offer.partnerSlug}`,
    categoryId: offer.categoryId,
    categoryLabel: copy.categoryLabel,
    promotionId: offer.promotionId,
    promotionLabel: copy.promotionLabel,
    awardShort: copy.awardShort,
    qualifierShort: copy.qualifierShort,
    image: { url: pictureAddress(offer, address) },
    displayDate: offer.displayDate,
    startDate: offer.startDate,
    endDate: offer.endDate,
    description: copy.description,
    programType: offer.programType,
    massOffer: offer.massOffer,
    eventBasedOffer: offer.eventBasedOffer,
    displayPriority: offer.displayPriority,
    tiers: offer.tiers.map((tier, index) => ({
      ...tier,
      awardLong: copy.tiers[index]?.awardLong ?? copy.awardShort,
      qualifierLong: copy.tiers[index]?.qualifierLong ?? copy.qualifierShort,
    })),
    mechanisms: [
      present({ mechanismType: mechanism.type, mechanismLabel: copy.mechanismLabel, mechanismValue: mechanism.value }),
    ],
    legalText: copy.legalText,
    cardType: [...offer.cardTypes],
    ctaLabel: copy.ctaLabel === null ? undefined : { [language]: copy.ctaLabel },
    ctaUrl: copy.ctaLabel === null ? undefined : { [language]: `https://www.miles.example/offers/${offer.id}` },
  })
  return states === null ? fields : { ...fields, states: [...states] }
}
