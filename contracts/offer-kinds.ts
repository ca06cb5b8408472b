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
