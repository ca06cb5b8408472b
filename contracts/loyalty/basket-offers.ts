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

/** What a member who is signed in may do with an offer (specification 1 §3): there is no way out of an opt-in. */
export const OfferChange = z.enum(['opt-in', 'save', 'unsave'])
export type OfferChange = z.infer<typeof OfferChange>

/** Why the program did not take a change: its warnings (specification 1 §7), or none of its words. */
export const OfferChangeRefusal = z.enum(['expired', 'not-live', 'region', 'exclusive', 'not-found', 'other'])
export type OfferChangeRefusal = z.infer<typeof OfferChangeRefusal>

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
  image: z.string().nullable().describe('path of its picture at this terminal; null: none is kept'),
  optIn: z
    .enum(['none', 'to-do', 'done'])
    .describe('whether it asks that the member opts in; to-do where nobody is signed in'),
  saved: z.boolean(),
  changing: OfferChange.nullable().describe('what the member asked for and the program has not confirmed yet'),
  refused: OfferChangeRefusal.nullable().describe('why the newest change was not taken'),
  refusedReference: z.string().nullable().describe('under which the program knows the refused call, for support'),
  coupon: z.enum(['none', 'to-apply', 'applied']),
})
export type BasketOffer = z.infer<typeof BasketOffer>

/** What the member who is signed in has of offers. failed: the program did not answer; the region's offers stand. */
export const MemberOffersState = z.object({
  state: z.enum(['loading', 'ready', 'failed']),
  optedIn: z.int().nullable().describe('how many offers the member has opted into, all told; null: not known'),
  changing: z.int().describe('changes that the program has not confirmed yet'),
})
export type MemberOffersState = z.infer<typeof MemberOffersState>

/** GET /api/sales/:id/offers?locale=…, ranked by what the customer can have now. */
export const BasketOffers = z.object({
  version: z.int().describe('of the sale that they were worked out for'),
  offers: z.array(BasketOffer),
  fetchedAt: z.string().nullable().describe('of the list; null: there is none yet'),
  stale: z.boolean(),
  member: MemberOffersState.nullable().describe('null: nobody is signed in'),
  optInAll: z
    .object({ offerIds: z.array(z.uuid()).min(1), miles: z.number().nullable() })
    .nullable()
    .describe('offers that this basket would earn once opted into, and what they give where all of them say so'),
})
export type BasketOffers = z.infer<typeof BasketOffers>

/** POST /api/sales/:id/offer-coupons: applies the code of an offer to the sale, or takes it off again. */
export const ApplyOfferCoupon = z.object({
  version: z.int().min(0),
  offerId: z.uuid(),
  applied: z.boolean(),
})
export type ApplyOfferCoupon = z.infer<typeof ApplyOfferCoupon>

/** Changes in one command. */
export const MOST_OFFER_CHANGES = 100

/**
 * POST /api/sales/:id/offer-states: what the member who is signed in wants. It is recorded and answered at once; what
 * the program says is told by the event `offer-states`. What is so already is passed over.
 */
export const ChangeOfferStates = z.object({
  changes: z
    .array(z.object({ offerId: z.uuid(), change: OfferChange }))
    .min(1)
    .max(MOST_OFFER_CHANGES),
})
export type ChangeOfferStates = z.infer<typeof ChangeOfferStates>

export const OfferStatesChanged = z.object({ changing: z.int().describe('changes of this sale that are under way') })
export type OfferStatesChanged = z.infer<typeof OfferStatesChanged>
