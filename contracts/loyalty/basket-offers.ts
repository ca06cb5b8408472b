import { z } from 'zod'
import { OfferCard } from './offers.ts'

/**
 * Status of an offer for the basket of a sale. earned: the basket meets its conditions; the program decides in the end.
 * coupon-first, opt-in-first: only this step is missing. shown: the lane cannot evaluate the conditions. coming: the
 * offer begins later.
 */
export const OfferStatus = z.enum(['earned', 'coupon-first', 'opt-in-first', 'nearly', 'open', 'shown', 'coming'])
export type OfferStatus = z.infer<typeof OfferStatus>

/** Amount that is missing to reach a tier: cents before tax, or pieces. */
export const MissingForTier = z.object({ unit: z.enum(['cents', 'pieces']), amount: z.number() })
export type MissingForTier = z.infer<typeof MissingForTier>

export const OfferTier = z.object({
  award: z.string(),
  qualifier: z.string(),
  isReached: z.boolean().describe('the basket is sufficient for it'),
})
export type OfferTier = z.infer<typeof OfferTier>

/** Changes of an offer by a signed-in member (specification 1 §3). An opt-in cannot be undone. */
export const OfferChange = z.enum(['opt-in', 'save', 'unsave'])
export type OfferChange = z.infer<typeof OfferChange>

/** Why the program refused a change of an offer: its warnings (specification 1 §7), or `other`. */
export const OfferChangeRefusal = z.enum(['expired', 'not-live', 'region', 'exclusive', 'not-found', 'other'])
export type OfferChangeRefusal = z.infer<typeof OfferChangeRefusal>

export const BasketOffer = OfferCard.omit({ forDisplay: true }).extend({
  standing: OfferStatus.describe('status of the offer for this basket'),
  startsOn: z.string().describe('local date YYYY-MM-DD'),
  ladder: z.array(OfferTier).describe('tiers, the lowest first'),
  reached: z
    .object({ tier: z.int(), miles: z.number().nullable(), award: z.string() })
    .nullable()
    .describe('best tier that the basket reaches; earned if the status is earned'),
  next: z
    .object({
      tier: z.int(),
      miles: z.number().nullable(),
      award: z.string(),
      missing: MissingForTier,
      near: z.boolean().describe('close enough to mention it to the customer'),
    })
    .nullable()
    .describe('nearest higher tier'),
  targeted: z.boolean().describe('for this member'),
  endingSoon: z.boolean().describe('ends within three days'),
  image: z.string().nullable().describe('path of its image at this terminal; null: no image'),
  optIn: z.enum(['none', 'to-do', 'done']).describe('whether it requires an opt-in; to-do when no member is signed in'),
  saved: z.boolean(),
  changing: OfferChange.nullable().describe('change that the program has not confirmed yet'),
  refused: OfferChangeRefusal.nullable().describe('why the newest change was refused'),
  refusedReference: z.string().nullable().describe('trace of the refused call, for support'),
  coupon: z.enum(['none', 'to-apply', 'applied']),
})
export type BasketOffer = z.infer<typeof BasketOffer>

/**
 * State of the signed-in member's offers. failed: the program did not answer, and only the region's offers are shown.
 */
export const MemberOffersState = z.object({
  state: z.enum(['loading', 'ready', 'failed']),
  optedIn: z.int().nullable().describe('number of offers that the member has opted into; null: not known'),
  changing: z.int().describe('changes that the program has not confirmed yet'),
})
export type MemberOffersState = z.infer<typeof MemberOffersState>

/** GET /api/sales/:id/offers?locale=… returns offers, ranked by what the customer can get now. */
export const BasketOffers = z.object({
  version: z.int().describe('of the sale for which they were evaluated'),
  offers: z.array(BasketOffer),
  fetchedAt: z.string().nullable().describe('of the list; null: no list yet'),
  stale: z.boolean(),
  member: MemberOffersState.nullable().describe('null: no member is signed in'),
  optInAll: z
    .object({ offerIds: z.array(z.uuid()).min(1), miles: z.number().nullable() })
    .nullable()
    .describe('offers that this basket would earn after an opt-in, and their total if all of them have one'),
})
export type BasketOffers = z.infer<typeof BasketOffers>

/** POST /api/sales/:id/offer-coupons adds the code of an offer to the sale, or removes it. */
export const ApplyOfferCoupon = z.object({
  version: z.int().min(0),
  offerId: z.uuid(),
  applied: z.boolean(),
})
export type ApplyOfferCoupon = z.infer<typeof ApplyOfferCoupon>

/** Maximum number of offer changes in one command. */
export const MAX_OFFER_CHANGES = 100

/**
 * POST /api/sales/:id/offer-states has changes of offers that the signed-in member requested. They are recorded and
 * answered at once; the program's answer is sent as the event `offer-states`. Changes without effect are ignored.
 */
export const ChangeOfferStates = z.object({
  changes: z
    .array(z.object({ offerId: z.uuid(), change: OfferChange }))
    .min(1)
    .max(MAX_OFFER_CHANGES),
})
export type ChangeOfferStates = z.infer<typeof ChangeOfferStates>

export const OfferStatesChanged = z.object({ changing: z.int().describe('changes of this sale in progress') })
export type OfferStatesChanged = z.infer<typeof OfferStatesChanged>

/** The offers for whose conditions one item counts. */
export const ItemOffers = z.object({ offers: z.array(OfferCard.pick({ id: true, award: true, qualifier: true })) })
export type ItemOffers = z.infer<typeof ItemOffers>
