import { z } from 'zod'
import { OfferCard } from './offers.ts'

/**
 * How an offer stands to the basket of a sale. earned: by what is in it, and what the program says is what counts.
 * coupon-first, opt-in-first: a step is missing. shown: the lane cannot tell what it asks. coming: begins later.
 */
export const OfferStanding = z.enum(['earned', 'coupon-first', 'opt-in-first', 'nearly', 'open', 'shown', 'coming'])
export type OfferStanding = z.infer<typeof OfferStanding>

/** What is missing for a tier: cents before tax, or pieces. */
export const MissingForTier = z.object({ unit: z.enum(['cents', 'pieces']), amount: z.number() })
export type MissingForTier = z.infer<typeof MissingForTier>

export const OfferRung = z.object({
  award: z.string(),
  qualifier: z.string(),
  isReached: z.boolean().describe('what is in the basket is enough for it'),
})
export type OfferRung = z.infer<typeof OfferRung>

/** An offer as it stands to the basket; copy is in the language asked for. */
export const BasketOffer = OfferCard.omit({ forDisplay: true }).extend({
  standing: OfferStanding,
  startsOn: z.string().describe('local date YYYY-MM-DD'),
  ladder: z.array(OfferRung).describe('tiers, the one that asks least first'),
  reached: z
    .object({ tier: z.int(), miles: z.number().nullable(), award: z.string() })
    .nullable()
    .describe('best tier that the basket reaches; earned where the standing says so'),
  next: z
    .object({
      tier: z.int(),
      miles: z.number().nullable(),
      award: z.string(),
      missing: MissingForTier,
      near: z.boolean().describe('little enough to say so to the customer'),
    })
    .nullable()
    .describe('nearest tier that gives more'),
  targeted: z.boolean().describe('for this member'),
  endingSoon: z.boolean().describe('ends within three days'),
  saved: z.boolean(),
  coupon: z.enum(['none', 'to-apply', 'applied']),
})
export type BasketOffer = z.infer<typeof BasketOffer>

/** GET /api/sales/:id/offers?locale=…, ranked by what the customer can have now. */
export const BasketOffers = z.object({
  version: z.int().describe('of the sale that they were worked out for'),
  offers: z.array(BasketOffer),
  fetchedAt: z.string().nullable().describe('of the list; null: there is none yet'),
  stale: z.boolean(),
})
export type BasketOffers = z.infer<typeof BasketOffers>

/** POST /api/sales/:id/offer-coupons: applies the code of an offer to the sale, or takes it off again. */
export const ApplyOfferCoupon = z.object({
  version: z.int().min(0),
  offerId: z.uuid(),
  applied: z.boolean(),
})
export type ApplyOfferCoupon = z.infer<typeof ApplyOfferCoupon>
