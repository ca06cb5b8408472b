/**
 * How a newer version stands on a lane: see NextVersion. `ready`: it is installed as soon as the lane is closed;
 * `tonight`: a manager has said so; `not-now`: not for a week. The words are `updates.state.<code>` in the catalogs.
 */
export const NEXT_STATES = ['fetching', 'ready', 'tonight', 'not-now'] as const

/** How an update of a lane ended. `failed`: it was never tried; `went-back`: it was tried, or ran, and was left. */
export const UPDATE_OUTCOMES = ['running', 'went-back', 'failed'] as const

/**
 * Why a lane left a version: WhyRefused of `delivery/updates/slots-state.ts`. The words are `updates.why.<code>`.
 */
export const UPDATE_LEFT_WHYS = ['ended', 'hung', 'crashed', 'killed', 'damaged', 'asked'] as const

/** Why the last look for a newer version found none: the words are `updates.trouble.<code>`. */
export const UPDATE_TROUBLES = [
  'unreachable',
  'expired',
  'older',
  'unsigned',
  'key-unknown',
  'key-revoked',
  'changed',
  'damaged',
  'disk-full',
  'not-writable',
] as const
