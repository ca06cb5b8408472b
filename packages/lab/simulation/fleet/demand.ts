/**
 * Members per hour at a supermarket lane of medium size, chosen before the first run; docs/fleet.md has the reasons.
 * The busiest hour is after work.
 */
const MEMBERS_AN_HOUR = 15
const SHARE_OF_HOUR: readonly number[] = [
  0, 0, 0, 0, 0, 0, 0, 0, 0.4, 0.6, 0.8, 1, 1.1, 1, 0.9, 1, 1.3, 1.6, 1.4, 1, 0.6, 0, 0, 0,
]
export const HOUR_MS = 3_600_000
export const MINUTE_MS = 60_000

export const membersPerMs = (timeOfDayMs: number): number =>
  (MEMBERS_AN_HOUR * (SHARE_OF_HOUR[Math.floor(timeOfDayMs / HOUR_MS) % 24] ?? 0)) / HOUR_MS

export const REDEEMS = 0.1
/** Number of pauses in ringing during a sale. Each pause sends CALCULATE. */
export const PREVIEWS = 3
/** Times from the member’s swipe to the payment, and to the end of the sale. */
export const PAYS_AFTER_MS = 60_000
export const ENDS_AFTER_MS = 75_000
