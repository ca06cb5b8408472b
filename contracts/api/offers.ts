import { z } from 'zod'

/** One offer of the region as the terminal shows it; copy is in the language asked for. */
export const OfferCard = z.object({
  id: z.uuid(),
  partner: z.string(),
  category: z.string().nullable(),
  award: z.string(),
  qualifier: z.string(),
  description: z.string().nullable(),
  endsOn: z.string().describe('local date YYYY-MM-DD'),
  legalText: z.string().nullable(),
  forDisplay: z.boolean().describe("may stand on the customer's display: usable now, in this store"),
})
export type OfferCard = z.infer<typeof OfferCard>

/**
 * GET /api/offers?locale=… `fetchedAt` tells the age when the offer service cannot be reached and the last list is
 * shown.
 */
export const OfferList = z.object({
  offers: z.array(OfferCard),
  total: z.int(),
  fetchedAt: z.string().nullable(),
  stale: z.boolean(),
})
export type OfferList = z.infer<typeof OfferList>
