import { z } from 'zod'

/** Values of the `type` parameter that a lane can make something of (specification 1 §4.2). */
export const OfferType = z.enum(['buy', 'spend'])
export type OfferType = z.infer<typeof OfferType>

/**
 * What an offer asks of a basket and gives for it, as the lane keeps it (specification 1 §2.2; what the specification
 * does not say: docs/decisions/0069-what-an-offer-asks.md). `type` comes of the lists by type: no field of an offer has
 * it. `miles` and `asks` of a tier are its awardValue and qualifierValue: dollars of a spend offer, pieces of a buy
 * offer.
 */
export const OfferTerms = z.object({
  type: OfferType.nullable(),
  programType: z.string(),
  targeted: z.boolean(),
  priority: z.int().nullable(),
  promotionId: z.string().nullable(),
  categoryId: z.string().nullable(),
  tiers: z.array(
    z.object({
      miles: z.number().nullable(),
      asks: z.number().nullable(),
      award: z.string(),
      qualifier: z.string(),
    }),
  ),
  mechanisms: z.array(z.object({ type: z.string(), value: z.string().nullable() })),
})
export type OfferTerms = z.infer<typeof OfferTerms>
