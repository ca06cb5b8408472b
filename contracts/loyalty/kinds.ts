/** What the offer service is asked by (specification 1 §4.2). Its words are in `offersManager` of the catalogs. */
export const OFFER_TYPES = ['buy', 'spend'] as const
export const PROGRAM_TYPES = ['traditionalcore', 'cardlinked', 'loyaltyshops', 'bankpreapp'] as const
export const OFFER_AVAILABILITIES = ['in-store', 'online'] as const
export const OFFER_SORTS = ['ending-soon', 'region-relevance'] as const

/** The filters of the manager’s page, in the order in which they stand there. */
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

/** Why the offer service did not answer; words and what to do are in every language. */
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

/** How an offer stands by the store's clock. Ends soon: within three days. */
export const OFFER_VALIDITIES = ['usable', 'ends-soon', 'not-started', 'over'] as const

/** What the service says of an offer beside it, or in its place (specification 1 §7). */
export const OFFER_WARNINGS = [
  'err-login-required',
  'err-region',
  'err-not-found',
  'err-expired',
  'err-not-live',
  'err-exclusive',
] as const

export type OfferFilterName = (typeof OFFER_FILTERS)[number]

/** How a member's history is asked for, and what is told of it. Its words are in `memberHistory` of the catalogs. */

/** How far back: `2-years` is as far as the service goes (specification 2 §8). */
export const HISTORY_RANGES = ['30-days', '3-months', '1-year', '2-years'] as const
export type HistoryRange = (typeof HISTORY_RANGES)[number]

/** Of every sponsor of the program, or of the store's own. */
export const HISTORY_SPONSORS = ['all', 'store'] as const
export type HistorySponsors = (typeof HISTORY_SPONSORS)[number]

export const HISTORY_ORDERS = ['newest', 'oldest', 'most-miles', 'fewest-miles', 'sponsor'] as const
export type HistoryOrder = (typeof HISTORY_ORDERS)[number]

/** Types of the service (specification 2 §2.3 shows the first alone) and of the reference services. */
export const ACTIVITY_TYPES = ['ISSUANCE', 'RETURN', 'ISSUANCE_REVERSAL', 'REDEMPTION', 'REDEMPTION_REVERSAL'] as const
export type ActivityType = (typeof ACTIVITY_TYPES)[number]

/** Why there is no history to show; words and what to do are in every language. */
export const HISTORY_CAUSES = [...OFFER_CAUSES, 'collector-refused'] as const
export type HistoryCause = (typeof HISTORY_CAUSES)[number]

const DAY_MS = 86_400_000
const DATE = 'YYYY-MM-DD'.length
const MIDNIGHT = '00:00:00'

/** The last day, YYYY-MM-DD, of an offer that is over at this local date-time: at midnight the day before. */
export function lastDayOf(endDate: string): string {
  const day = endDate.slice(0, DATE)
  if (endDate.slice(DATE + 1) !== MIDNIGHT) return day
  return new Date(Date.parse(`${day}T00:00:00Z`) - DAY_MS).toISOString().slice(0, DATE)
}

/** Date, hour and minute of a local date-time, `YYYY-MM-DDTHH:MM:SS`. */
export const partsOf = (moment: string): { date: string; hour: string; minute: string } => ({
  date: moment.slice(0, DATE),
  hour: moment.slice(DATE + 1, DATE + 3),
  minute: moment.slice(DATE + 4, DATE + 6),
})

/** Marks beside the names of sponsors. The specification has no colours of theirs; each is legible in both themes. */
export const SPONSOR_COLOURS = ['blue', 'green', 'red', 'violet', 'teal', 'brown', 'pink', 'grey'] as const
export type SponsorColour = (typeof SPONSOR_COLOURS)[number]

/** The colour of a sponsor that the profile gives none: the same for a code at every lane and every time. */
export function colourOfSponsor(code: string): SponsorColour {
  // FNV-1a over UTF-16 units: short codes that differ in one letter fall apart.
  let hash = 0x811c9dc5
  for (let at = 0; at < code.length; at += 1) hash = Math.imul(hash ^ code.charCodeAt(at), 0x01000193) >>> 0
  return SPONSOR_COLOURS[hash % SPONSOR_COLOURS.length] ?? 'grey'
}

/** So many entries of the queue a page begins with, and so many more each time that more are asked for. */
export const QUEUE_PAGE = 200
