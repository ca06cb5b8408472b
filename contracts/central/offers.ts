import { z } from 'zod'

/** Wire of the offer service: specification 1 §2, §4. */
export const OFFER_PATHS = { list: '/offers' } as const

export const OfferProgramType = z.enum(['traditionalcore', 'cardlinked', 'loyaltyshops', 'bankpreapp'])
export type OfferProgramType = z.infer<typeof OfferProgramType>
export const OfferAvailability = z.enum(['online', 'in-store'])
export type OfferAvailability = z.infer<typeof OfferAvailability>
/**
 * The specification does not define how "ending soon" is named in a request (1 §4.2); `offers.sortTokens` of the
 * profile does.
 */
export const OfferSort = z.enum(['endingSoon', 'regionRelevance', 'collectorRelevance'])
export type OfferSort = z.infer<typeof OfferSort>
/** Filter of a list of offers by the collector's states of them (specification 1 §4.2). */
export const OfferStateFilter = z.enum(['SAVED', 'OPTED_IN'])
export type OfferStateFilter = z.infer<typeof OfferStateFilter>
/** Largest page of GET /offers (specification 1 §8). */
export const MAX_OFFERS_PER_PAGE = 96

/** Changes that a collector can make to an offer (specification 1 §4.4). */
export const OfferStateChange = z.discriminatedUnion('name', [
  z.object({ name: z.literal('SAVE'), value: z.enum(['SAVED', 'UNSAVED']) }),
  z.object({ name: z.literal('OPT_IN'), value: z.literal('OPTED_IN') }),
])
export type OfferStateChange = z.infer<typeof OfferStateChange>
export const OfferStatesRequest = z.object({ states: z.array(OfferStateChange).min(1).max(20) })
export type OfferStatesRequest = z.infer<typeof OfferStatesRequest>

/** `YYYY-MM-DDTHH:MM:SS` without a zone (specification 1 §2.2). Compared as text; screens show only the day. */
const LocalDateTime = z.iso.datetime({ local: true }).refine((text) => !/z$/i.test(text), 'has no zone')
/** Highest number in an offer, above any award and any purchase. A higher or invalid number is read as missing. */
const MAX = 1_000_000_000
const amount = z.number().min(0).max(MAX).optional().catch(undefined)

/**
 * A field that the lane does not rely on: if its value is invalid, it is read as missing, and the offer stays valid.
 */
const lenient = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined)

export const Offer = z.object({
  id: z.uuid(),
  partnerId: z.uuid(),
  partnerLabel: z.string(),
  partnerLogo: lenient(z.object({ url: z.string() })),
  partnerProfileURL: lenient(z.string()),
  categoryId: z.uuid().optional(),
  categoryLabel: z.string().optional(),
  promotionId: z.uuid().optional(),
  promotionLabel: z.string().optional(),
  awardShort: z.string(),
  qualifierShort: z.string(),
  image: lenient(z.object({ url: z.string() })),
  displayDate: LocalDateTime,
  startDate: LocalDateTime,
  endDate: LocalDateTime,
  description: z.string().optional(),
  programType: z.string(),
  massOffer: z.boolean(),
  eventBasedOffer: lenient(z.boolean()),
  displayPriority: lenient(z.int()),
  tiers: z.array(
    z.object({
      awardValue: amount,
      qualifierValue: amount,
      awardLong: z.string(),
      qualifierLong: z.string(),
    }),
  ),
  mechanisms: z.array(
    z.object({
      mechanismType: z.string(),
      mechanismLabel: z.string().optional(),
      mechanismValue: z.string().optional(),
    }),
  ),
  states: z.array(z.object({ name: z.string(), value: z.string(), updatedAt: z.string() })).optional(),
  legalText: z.string().optional(),
  cardType: lenient(z.array(z.string())),
  ctaLabel: lenient(z.record(z.string(), z.string())),
  ctaUrl: lenient(z.record(z.string(), z.string())),
})
export type Offer = z.infer<typeof Offer>

const Counted = z.object({ id: z.uuid(), label: z.string(), count: z.int() })
export const OfferListResponse = z.object({
  offers: z.array(Offer),
  metadata: z.object({
    total: z.int(),
    partners: z.array(Counted).optional(),
    categories: z.array(Counted.extend({ subCategories: z.array(Counted).optional() })).optional(),
  }),
})
export type OfferListResponse = z.infer<typeof OfferListResponse>

export const OfferResponse = z.object({
  offer: Offer.optional(),
  warning: z.object({ errorCode: z.string(), message: z.string() }).nullable(),
})
export type OfferResponse = z.infer<typeof OfferResponse>
