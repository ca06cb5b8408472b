import type { BasketOffer } from '../../../contracts/api/basket-offers.ts'
import type { OfferAtBasket } from '../../domain/basket-offers.ts'
import type { KeptOffer } from '../offers/repository.ts'

/** An offer at a basket as a screen may see it: its code is not among it, since nobody has to read it. */
export function basketOffer(
  { offer, ladder, reached, next, ...at }: OfferAtBasket<KeptOffer>,
  pictureOf: (address: string | null) => string | null,
): BasketOffer {
  const awardOf = (tier: number): string => ladder[tier]?.award ?? offer.card.award
  return {
    ...offer.card,
    startsOn: offer.startDate.slice(0, 10),
    standing: at.standing,
    ladder: ladder.map(({ award, qualifier, isReached }) => ({ award, qualifier, isReached })),
    reached: reached && { ...reached, award: awardOf(reached.tier) },
    next: next && { ...next, award: awardOf(next.tier) },
    targeted: offer.terms.targeted,
    endingSoon: at.endingSoon,
    image: pictureOf(offer.imageUrl),
    optIn: 'none',
    saved: at.saved,
    changing: null,
    refused: null,
    coupon: at.coupon,
  }
}
