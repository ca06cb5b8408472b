import { z } from 'zod'
import { OfferAvailability, OfferProgramType, OfferSort, OfferStateFilter } from '../../../contracts/central/offers.ts'
import { Region } from '../../../contracts/core/regions.ts'
import type { OfferLanguage, OfferStates, StoredOffer, Viewer } from './offers.sql.ts'

const single = z.string({ error: 'exactly one value is expected' })
const listOf = <Output>(item: z.ZodType<Output, string>) =>
  single.transform((value) => value.split(',')).pipe(z.array(item))
const bool = single.pipe(z.enum(['true', 'false'])).transform((value) => value === 'true')
const whole = (low: number, high: number) =>
  single
    .regex(/^\d{1,9}$/, 'a whole number')
    .transform(Number)
    .pipe(z.int().min(low).max(high))

/** Query of GET /offers (specification 1 §4.2). */
export const OfferQuery = z.strictObject({
  region: single.pipe(Region).meta({ examples: ['ON'] }),
  partner_id: listOf(z.uuid()).optional(),
  category_id: listOf(z.uuid()).optional(),
  subcategory_id: listOf(z.uuid()).optional(),
  promotion_id: single.pipe(z.uuid()).optional(),
  exclude_partner_id: listOf(z.uuid()).optional(),
  type: listOf(z.string().min(1)).optional(),
  program_type: listOf(OfferProgramType).optional(),
  availability: listOf(OfferAvailability).optional(),
  event_based: bool.optional(),
  experiment: listOf(z.string().min(1)).optional(),
  mass_offer: bool.optional(),
  states: single.pipe(OfferStateFilter).optional(),
  sort: listOf(OfferSort).optional(),
  extended_metadata: bool.default(false),
  offset: whole(0, 1_000_000).default(0),
  limit: whole(1, 96).default(20),
})
export type OfferQuery = z.infer<typeof OfferQuery>

/** Parameters that the list of saved offers ignores, even if their values are invalid (specification 1 §4.2). */
const IGNORED_WHEN_SAVED: ReadonlySet<string> = new Set([
  'partner_id',
  'category_id',
  'subcategory_id',
  'promotion_id',
  'type',
  'program_type',
  'availability',
  'mass_offer',
  'event_based',
  'experiment',
  'exclude_partner_id',
  'sort',
] satisfies (keyof OfferQuery)[])

/**
 * Returns the effective query: parameters bound to the client (specification 1 §4.1) override the client's own, and the
 * list of saved offers drops the parameters that it ignores.
 */
export function effectiveQuery(sent: unknown, bound: Readonly<Record<string, string>>): unknown {
  const query: Record<string, unknown> = { ...(sent as Record<string, unknown>), ...bound }
  if (query.states !== 'SAVED') return query
  return Object.fromEntries(Object.entries(query).filter(([name]) => !IGNORED_WHEN_SAVED.has(name)))
}

export const AUTHENTICATED_ONLY = ['states', 'mass_offer'] as const satisfies readonly (keyof OfferQuery)[]

export interface OfferPage {
  readonly page: readonly StoredOffer[]
  readonly matching: readonly StoredOffer[]
  readonly anyRegion: readonly StoredOffer[]
}

type Predicate = (offer: StoredOffer) => boolean

const among = (
  values: readonly string[] | undefined,
  of: (offer: StoredOffer) => string | null,
): Predicate | undefined => values && ((offer) => values.includes(of(offer) ?? ''))

/**
 * Filters, sorts and pages offers. Values of one parameter are combined with OR, different parameters with AND.
 * `localNow` is a LocalDateTime.
 */
export function selectOffers(
  offers: readonly StoredOffer[],
  query: OfferQuery,
  viewer: Viewer,
  states: OfferStates,
  localNow: string,
): OfferPage {
  const { event_based: eventBased, mass_offer: massOffer, availability, states: state } = query
  const filters: Predicate[] = [
    among(query.partner_id, (offer) => offer.partnerId),
    among(query.category_id, (offer) => offer.categoryId),
    among(query.subcategory_id, (offer) => offer.subCategoryId),
    among(query.promotion_id === undefined ? undefined : [query.promotion_id], (offer) => offer.promotionId),
    among(query.type, (offer) => offer.type),
    among(query.program_type, (offer) => offer.programType),
    among(query.experiment, (offer) => offer.experiment),
    query.exclude_partner_id && ((offer: StoredOffer) => !query.exclude_partner_id?.includes(offer.partnerId)),
    availability && ((offer: StoredOffer) => availability.some((place) => offer.availability.includes(place))),
    eventBased === undefined ? undefined : (offer: StoredOffer) => offer.eventBasedOffer === eventBased,
    massOffer === undefined ? undefined : (offer: StoredOffer) => offer.massOffer === massOffer,
    state && ((offer: StoredOffer) => (states.get(offer.id) ?? []).some(({ value }) => value === state)),
  ].filter((filter) => typeof filter === 'function')
  const anyRegion = offers.filter(
    (offer) => isLive(offer, localNow) && isVisible(offer, viewer) && filters.every((passes) => passes(offer)),
  )
  const matching = anyRegion.filter((offer) => offer.regions.includes(query.region)).sort(orderOf(query, viewer))
  return { page: matching.slice(query.offset, query.offset + query.limit), matching, anyRegion }
}

export const isLive = (offer: StoredOffer, localNow: string): boolean =>
  offer.displayDate <= localNow && localNow < offer.endDate

export const isVisible = (offer: StoredOffer, viewer: Viewer): boolean =>
  offer.massOffer || (viewer.kind === 'collector' && offer.eligible.includes(viewer.collectorNumber))

type Order = (a: StoredOffer, b: StoredOffer) => number

const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byPriorities: Order = (a, b) =>
  a.partnerPriority - b.partnerPriority || a.displayPriority - b.displayPriority || text(a.id, b.id)
/**
 * Default order: offers of a promotion first, grouped; then targeted before mass offers; then by priority
 * (specification 1 §4.2).
 */
const byDefault: Order = (a, b) =>
  text(a.promotionId ?? '~', b.promotionId ?? '~') || Number(a.massOffer) - Number(b.massOffer) || byPriorities(a, b)

function orderOf({ sort = [], region }: OfferQuery, viewer: Viewer): Order {
  if (sort.length === 0) return byDefault
  const preferences = viewer.kind === 'collector' ? viewer.preferences : []
  const liking = (offer: StoredOffer): number =>
    preferences.includes(offer.categoryId) ? preferences.indexOf(offer.categoryId) : preferences.length
  const orders: Record<OfferSort, Order> = {
    endingSoon: (a, b) => text(a.endDate, b.endDate),
    regionRelevance: (a, b) => (b.popularity[region] ?? 0) - (a.popularity[region] ?? 0),
    collectorRelevance: (a, b) => liking(a) - liking(b),
  }
  return (a, b) => {
    for (const token of sort) {
      const order = orders[token](a, b)
      if (order !== 0) return order
    }
    return byPriorities(a, b)
  }
}

interface Count {
  id: string
  label: string
  count: number
}
interface CategoryCount extends Count {
  subCategories?: Count[]
}

/**
 * Returns the partners of the region and the categories of every region, with their numbers of matching offers
 * (specification 1 §2.3).
 */
export function extendedMetadata(
  { matching, anyRegion }: OfferPage,
  language: OfferLanguage,
): { partners: Count[]; categories: CategoryCount[] } {
  const partners = tally(matching, (offer) => ({ id: offer.partnerId, label: offer.partnerLabel }))
  const categories = tally(anyRegion, (offer) => ({
    id: offer.categoryId,
    label: offer.copy[language].categoryLabel,
  })).map((category) => {
    const subCategories = tally(
      anyRegion.filter((offer) => offer.categoryId === category.id),
      (offer) => {
        const label = offer.copy[language].subCategoryLabel
        return offer.subCategoryId !== null && label !== null ? { id: offer.subCategoryId, label } : undefined
      },
    )
    return subCategories.length > 0 ? { ...category, subCategories } : category
  })
  return { partners, categories }
}

function tally(
  offers: readonly StoredOffer[],
  of: (offer: StoredOffer) => { id: string; label: string } | undefined,
): Count[] {
  const counts = new Map<string, Count>()
  for (const offer of offers) {
    const named = of(offer)
    if (!named) continue
    const count = counts.get(named.id) ?? { ...named, count: 0 }
    count.count += 1
    counts.set(named.id, count)
  }
  return [...counts.values()].sort((a, b) => text(a.label, b.label))
}

export const WARNINGS = {
  'err-login-required': { returned: true, message: 'This offer is for selected collectors: sign in to use it' },
  'err-region': { returned: true, message: 'This offer is not for this region' },
  'err-not-found': { returned: false, message: 'There is no such offer' },
  'err-expired': { returned: false, message: 'This offer has expired' },
  'err-not-live': { returned: false, message: 'This offer has not started yet' },
  'err-exclusive': { returned: false, message: 'This offer is for other collectors' },
} as const
export type WarningCode = keyof typeof WARNINGS

export interface Warned {
  readonly warning: { readonly errorCode: WarningCode; readonly message: string } | null
  readonly returned: boolean
}

/** Returns the warning of an offer (specification 1 §7). A warning that hides the offer has priority over others. */
export function warningOf(offer: StoredOffer | undefined, region: Region, viewer: Viewer, localNow: string): Warned {
  const code = codeOf(offer, region, viewer, localNow)
  return code === null
    ? { warning: null, returned: true }
    : { warning: { errorCode: code, message: WARNINGS[code].message }, returned: WARNINGS[code].returned }
}

function codeOf(offer: StoredOffer | undefined, region: Region, viewer: Viewer, localNow: string): WarningCode | null {
  if (!offer) return 'err-not-found'
  if (localNow >= offer.endDate) return 'err-expired'
  if (localNow < offer.displayDate) return 'err-not-live'
  if (!isVisible(offer, viewer)) return viewer.kind === 'public' ? 'err-login-required' : 'err-exclusive'
  return offer.regions.includes(region) ? null : 'err-region'
}
