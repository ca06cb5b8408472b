import { OFFER_CAUSES } from './offer-kinds.ts'

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
