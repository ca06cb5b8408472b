type TimedAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: Headers }
  | { readonly kind: 'never-sent' | 'unknown' | 'no-token'; readonly reason: string }

/** Maximum wait that is honoured. A longer one counts as a mistake, so that one header cannot block a queue. */
const LONGEST_MS = 6 * 3_600_000
/** HTTP statuses that mean "not now" (RFC 9110 §15.6.4, RFC 6585 §4). Retry-After is ignored with any other. */
export const NOT_NOW: ReadonlySet<number> = new Set([429, 503])

/**
 * Returns the wait that a service asks for (RFC 9110 §10.2.3: seconds, or a date), in ms, or null. `now`: wall time,
 * epoch ms.
 */
export const retryAfterOf = (answer: TimedAnswer, now: number): number | null =>
  answer.kind === 'answer' ? retryAfterIn(answer, now) : null

export function retryAfterIn({ status, headers }: Pick<Response, 'status' | 'headers'>, now: number): number | null {
  if (!NOT_NOW.has(status)) return null
  const value = headers.get('retry-after')?.trim() ?? ''
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, LONGEST_MS) : null
}

/** Whether the service rejected the call unread because of overload or maintenance. */
export const isRejectedForNow = (answer: TimedAnswer): boolean => answer.kind === 'answer' && NOT_NOW.has(answer.status)

/** Backoff before a rejected call is sent again. Pure: the lane and the fleet simulation share these functions. */
export interface Backoff {
  readonly baseMs: number
  readonly capMs: number
  /** Growth of the longest wait with each failed try; default 2. */
  readonly factor?: number
}

/**
 * Full jitter: a random wait between 0 and the exponential cap, so that lanes that failed together do not retry
 * together. `tries`: number of failures in a row; `fraction` in [0, 1).
 */
export const fullJitter = ({ baseMs, capMs, factor = 2 }: Backoff, tries: number, fraction: number): number =>
  Math.round(fraction * Math.min(capMs, baseMs * factor ** Math.min(tries, 20)))

/** Random wait between half of the exponential cap and all of it, for the few operations whose wait a manager sees. */
export const equalJitter = (backoff: Backoff, tries: number, fraction: number): number =>
  fullJitter(backoff, tries, 0.5 + fraction / 2)

/**
 * Wait that a service asked for plus up to half of it, so that lanes retry at different times and never too early. In
 * ms; 0 when the service asked for none.
 */
export const waitAfterRetryAfter = (retryAfterMs: number | null, fraction: number): number =>
  Math.ceil((retryAfterMs ?? 0) * (1 + fraction / 2))

/** Random interval with this average, so that the timers of lanes started together drift apart. */
export const spread = (intervalMs: number, fraction: number): number => Math.round(intervalMs * (0.75 + fraction / 2))
