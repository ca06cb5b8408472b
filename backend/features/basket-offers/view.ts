import type { BasketOffer, OfferChangeRefusal } from '../../../contracts/api/basket-offers.ts'
import type { OfferAtBasket } from '../../domain/basket-offers.ts'
import type { OfferStateNow } from '../../loyalty/offer-states.ts'
import { isOpen } from '../../outbox/states.ts'
import type { KeptOffer } from '../offers/repository.ts'

/**
 * An offer at a basket as a screen may see it: its code is not among it, since nobody has to read it. `wish`: the
 * newest that the member asked for.
 */
export function basketOffer(
  { offer, ladder, reached, next, ...at }: OfferAtBasket<KeptOffer>,
  wish: OfferStateNow | undefined,
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
    optIn: at.optIn,
    saved: at.saved,
    changing: wish && isOpen(wish.state) ? wish.change : null,
    refused: wish?.state === 'refused' ? refusalOf(wish.why) : null,
    refusedReference: wish?.state === 'refused' ? wish.correlationId : null,
    coupon: at.coupon,
  }
}

/** The program's warnings (specification 1 §7) by what they say; which of them a write gives is not shown. */
const REFUSALS: Readonly<Record<string, OfferChangeRefusal>> = {
  'err-expired': 'expired',
  'err-not-live': 'not-live',
  'err-region': 'region',
  'err-exclusive': 'exclusive',
  'err-not-found': 'not-found',
  'not-found': 'not-found',
}
const refusalOf = (why: string | null): OfferChangeRefusal => REFUSALS[why ?? ''] ?? 'other'
