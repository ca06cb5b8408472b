/**
 * Query parameters of the offer service (specification 1 §4.2). Their names are the texts `offersManager` in the
 * message catalogs.
 */
export const OFFER_TYPES = ['buy', 'spend'] as const
export const PROGRAM_TYPES = ['traditionalcore', 'cardlinked', 'loyaltyshops', 'bankpreapp'] as const
export const OFFER_AVAILABILITIES = ['in-store', 'online'] as const
export const OFFER_SORTS = ['ending-soon', 'region-relevance'] as const

/** The filters of the manager’s page of offers, in the order of the page. */
export const OFFER_FILTERS = [
  'partner',
  'category',
  'subcategory',
  'promotion',
  'type',
  'availability',
  'sort',
  'programType',
  'event',
  'excludePartner',
  'experiment',
] as const

/** Why the offer service did not answer as expected. The message catalogs explain each cause and its remedy. */
export const OFFER_CAUSES = [
  'unreachable',
  'timeout',
  'refused',
  'token-unreachable',
  'not-found',
  'bad-request',
  'server-error',
  'maintenance',
  'malformed',
  'breaker-open',
] as const

/** Validity of an offer by the store's clock. ends-soon: it can be used, and ends within three days. */
export const OFFER_VALIDITIES = ['usable', 'ends-soon', 'not-started', 'over'] as const

/** Warnings of the service about an offer, in addition to the offer or instead of it (specification 1 §7). */
export const OFFER_WARNINGS = [
  'err-login-required',
  'err-region',
  'err-not-found',
  'err-expired',
  'err-not-live',
  'err-exclusive',
] as const

export type OfferFilterName = (typeof OFFER_FILTERS)[number]

/** Periods of a member's history. `2-years` is the limit of the service (specification 2 §8). */
export const HISTORY_RANGES = ['30-days', '3-months', '1-year', '2-years'] as const
export type HistoryRange = (typeof HISTORY_RANGES)[number]

/** Scope of a member's history: transactions at all sponsors of the program, or only at the store's own. */
export const HISTORY_SPONSORS = ['all', 'store'] as const
export type HistorySponsors = (typeof HISTORY_SPONSORS)[number]

export const HISTORY_ORDERS = ['newest', 'oldest', 'most-miles', 'fewest-miles', 'sponsor'] as const
export type HistoryOrder = (typeof HISTORY_ORDERS)[number]

/**
 * Types of transactions: those of the service (specification 2 §2.3 shows only the first) and of the reference
 * services.
 */
export const ACTIVITY_TYPES = ['ISSUANCE', 'RETURN', 'ISSUANCE_REVERSAL', 'REDEMPTION', 'REDEMPTION_REVERSAL'] as const
export type ActivityType = (typeof ACTIVITY_TYPES)[number]

/** Why a member's history cannot be shown. The message catalogs explain each cause and its remedy. */
export const HISTORY_CAUSES = [...OFFER_CAUSES, 'collector-refused'] as const
export type HistoryCause = (typeof HISTORY_CAUSES)[number]

const DAY_MS = 86_400_000
const DATE = 'YYYY-MM-DD'.length
const MIDNIGHT = '00:00:00'

/**
 * Returns the last day, YYYY-MM-DD, of an offer that ends at this local date-time. If that is midnight, the last day is
 * the day before.
 */
export function lastDayOf(endDate: string): string {
  const day = endDate.slice(0, DATE)
  if (endDate.slice(DATE + 1) !== MIDNIGHT) return day
  return new Date(Date.parse(`${day}T00:00:00Z`) - DAY_MS).toISOString().slice(0, DATE)
}

export const momentFields = (moment: string): { date: string; hour: string; minute: string } => ({
  date: moment.slice(0, DATE),
  hour: moment.slice(DATE + 1, DATE + 3),
  minute: moment.slice(DATE + 4, DATE + 6),
})

/** Colours of sponsors, because the specification defines none. Each colour is legible in both themes. */
export const SPONSOR_COLOURS = ['blue', 'green', 'red', 'violet', 'teal', 'brown', 'pink', 'grey'] as const
export type SponsorColour = (typeof SPONSOR_COLOURS)[number]

/** Returns the colour of a sponsor without a colour in the profile: for a sponsor code always the same one. */
export function colourOfSponsor(code: string): SponsorColour {
  // FNV-1a over UTF-16 units mostly gives different colours to short codes that differ in one letter.
  let hash = 0x811c9dc5
  for (let at = 0; at < code.length; at += 1) hash = Math.imul(hash ^ code.charCodeAt(at), 0x01000193) >>> 0
  return SPONSOR_COLOURS[hash % SPONSOR_COLOURS.length] ?? 'grey'
}

/** Number of entries of the exceptions queue on a page, and in each request for more. */
export const QUEUE_PAGE = 200
