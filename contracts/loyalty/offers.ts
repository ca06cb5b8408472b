import { z } from 'zod'
import { Locale } from '../core/locales.ts'
import {
  OFFER_AVAILABILITIES,
  OFFER_CAUSES,
  OFFER_FILTERS,
  OFFER_SORTS,
  OFFER_TYPES,
  OFFER_VALIDITIES,
  OFFER_WARNINGS,
  PROGRAM_TYPES,
} from './kinds.ts'

/** One offer of the region as the terminal shows it. Its texts are in the requested language. */
export const OfferCard = z.object({
  id: z.uuid(),
  partner: z.string(),
  category: z.string().nullable(),
  award: z.string(),
  qualifier: z.string(),
  description: z.string().nullable(),
  endsOn: z.string().describe('local date YYYY-MM-DD'),
  legalText: z.string().nullable(),
  forDisplay: z.boolean().describe('may be shown on the customer display: usable now, in this store'),
})
export type OfferCard = z.infer<typeof OfferCard>

/**
 * GET /api/offers?locale=… returns a list of offers. `fetchedAt`: when the list was loaded from the offer service, to
 * show its age while the service is unreachable.
 */
export const OfferList = z.object({
  offers: z.array(OfferCard),
  total: z.int(),
  fetchedAt: z.string().nullable(),
  stale: z.boolean(),
})
export type OfferList = z.infer<typeof OfferList>

const SEPARATOR = ','
const MAX_VALUES = 50
/** Several values of one filter, separated by commas. An offer matches the filter if it has one of the values. */
const listOf = <Value extends z.ZodType<string, string>>(value: Value) =>
  z
    .string()
    .regex(/^\S*$/)
    .transform((text) => text.split(SEPARATOR))
    .pipe(z.array(value).min(1).max(MAX_VALUES))
    .optional()

/** Filters of the manager's list of offers. A missing field filters nothing. An offer must match every filter. */
export const ManagerOfferFilter = z.object({
  partner: listOf(z.uuid()),
  category: listOf(z.uuid()),
  subcategory: listOf(z.uuid()),
  promotion: z.uuid().optional(),
  type: listOf(z.enum(OFFER_TYPES)),
  programType: listOf(z.enum(PROGRAM_TYPES)),
  availability: listOf(z.enum(OFFER_AVAILABILITIES)),
  event: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('whether it belongs to an event'),
  excludePartner: listOf(z.uuid()),
  experiment: listOf(z.string().min(1).max(40)).describe('arms of an experiment of the program'),
  sort: z.enum(OFFER_SORTS).optional().describe("left out: the service's own order"),
})
export type ManagerOfferFilter = z.infer<typeof ManagerOfferFilter>

const language = Locale.optional().describe("left out: the signed-in person's language")

/** Query of GET /api/manager/offers. The limits are those of the service (specification 1 §8). */
export const ManagerOfferQuery = ManagerOfferFilter.extend({
  limit: z.coerce.number().pipe(z.int().min(1).max(96)).default(20),
  offset: z.coerce.number().pipe(z.int().min(0).max(1_000_000)).default(0),
  locale: language,
})
export type ManagerOfferQuery = z.infer<typeof ManagerOfferQuery>

export const OfferFailure = z.object({
  cause: z.enum(OFFER_CAUSES),
  code: z.string().nullable().describe('an HTTP status or the system’s error code'),
  correlationId: z.string().nullable().describe('trace for the program’s support (specification 1 §7)'),
})
export type OfferFailure = z.infer<typeof OfferFailure>

const LocalDateTime = z.string().describe('YYYY-MM-DDTHH:MM:SS, without zone (specification 1 §2.2)')

export const ManagerOffer = z.object({
  id: z.uuid(),
  partner: z.string(),
  partnerId: z.uuid(),
  category: z.string().nullable(),
  promotion: z.object({ id: z.uuid(), label: z.string() }).nullable(),
  award: z.string(),
  qualifier: z.string(),
  displayDate: LocalDateTime,
  startDate: LocalDateTime,
  endDate: LocalDateTime.describe('first moment after its end'),
  validity: z.enum(OFFER_VALIDITIES),
})
export type ManagerOffer = z.infer<typeof ManagerOffer>

/** Number of offers with this filter value that match the other filters (specification 1 §2.3). */
const Counted = z.object({ id: z.uuid(), label: z.string(), count: z.int().min(0) })
export const OfferFacets = z.object({
  partners: z.array(Counted),
  categories: z
    .array(Counted.extend({ subcategories: z.array(Counted) }))
    .nullable()
    .describe('null in a stored list, which does not have their ids'),
})
export type OfferFacets = z.infer<typeof OfferFacets>

/**
 * A page of the region's public offers. `kept` on the wire: the offer service did not answer, and this is the lane's
 * stored list of `fetchedAt`, which holds only offers that can be used in a store and supports only some filters.
 */
export const ManagerOfferPage = z.object({
  source: z.enum(['service', 'kept']),
  offers: z.array(ManagerOffer),
  total: z.int().min(0),
  offset: z.int().min(0),
  facets: OfferFacets.nullable().describe('null where they were not counted'),
  failure: OfferFailure.nullable(),
  notApplied: z.array(z.enum(OFFER_FILTERS)).describe('requested filters that could not be applied'),
  fetchedAt: z.string().nullable().describe('of the stored list; null without one'),
})
export type ManagerOfferPage = z.infer<typeof ManagerOfferPage>

/** Details of an offer. Fields that a stored list lacks are null. */
export const ManagerOfferDetail = ManagerOffer.extend({
  description: z.string().nullable(),
  programType: z.string().nullable(),
  massOffer: z.boolean().nullable().describe('false: for chosen members'),
  eventBased: z.boolean().nullable(),
  tiers: z.array(z.object({ award: z.string(), qualifier: z.string() })).nullable(),
  mechanisms: z
    .array(z.object({ type: z.string(), label: z.string().nullable(), value: z.string().nullable() }))
    .nullable(),
  cardTypes: z.array(z.string()).nullable(),
  legalText: z.string().nullable(),
})
export type ManagerOfferDetail = z.infer<typeof ManagerOfferDetail>

/** GET /api/manager/offers/:id */
export const ManagerOfferAnswer = z.object({
  source: z.enum(['service', 'kept']),
  offer: ManagerOfferDetail.nullable().describe('null when the service withholds it, or the lane does not have it'),
  warning: z
    .object({
      code: z.enum(OFFER_WARNINGS).nullable().describe('null: a code that this program does not know'),
      message: z.string().describe('text of the service'),
    })
    .nullable(),
  failure: OfferFailure.nullable(),
  fetchedAt: ManagerOfferPage.shape.fetchedAt,
})
export type ManagerOfferAnswer = z.infer<typeof ManagerOfferAnswer>
export const ManagerOfferLocale = z.object({ locale: language })

/**
 * GET /api/manager/offer-lists describes the lists of offers that the lane stores for times when the service does not
 * answer, one for each language.
 */
export const OfferLists = z.object({
  at: z.string().describe('of this answer: ages are by the clock of the lane'),
  lists: z.array(
    z.object({
      locale: Locale,
      count: z.int().min(0),
      fetchedAt: z.string().nullable(),
      dueAt: z.string().nullable().describe('when the lane refreshes it by itself; null if it never had a list'),
      loading: z.boolean(),
      failed: OfferFailure.extend({ at: z.string() }).nullable().describe('the last attempt, if it failed'),
    }),
  ),
})
export type OfferLists = z.infer<typeof OfferLists>

/** POST /api/manager/offers/:id/shelf-card prepares a file, which is then fetched once by its number. */
export const ShelfCardExport = z.object({ number: z.int(), fileName: z.string() })
export type ShelfCardExport = z.infer<typeof ShelfCardExport>
