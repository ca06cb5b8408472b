/**
 * Client-side throttling (Beyer et al., Site Reliability Engineering, ch. 21 "Handling Overload"): a lane whose calls
 * are rejected sends fewer optional calls. Old answers lose weight. Times are monotonic, in ms.
 */
export interface Throttle {
  readonly sent: number
  readonly taken: number
  readonly at: number
  readonly askedUntil: number
}

/** Decay time of the counts, in ms: after it, a call counts for a third. */
const FADE_MS = 120_000
/**
 * The share of optional calls to throttle is this multiple of the share of rejected calls: with one rejection in ten,
 * four in ten optional calls are throttled. The SRE rule admits twice the accepted calls, because it may throttle any
 * call; here most calls are a customer's and only optional ones can be throttled.
 */
const SHARPNESS = 4
/**
 * Kinds of optional calls, in the order in which they are throttled (SRE's "sheddable" and "sheddable plus"):
 * background calls, then calls whose result a customer sees.
 */
export type Sheddable = 'background' | 'preview'
/**
 * Accepted calls that are assumed before the first answer, so that one rejection in two calls does not stop a
 * customer's previews for minutes. They have little effect on larger counts.
 */
const PRIOR: Readonly<Record<Sheddable, number>> = { background: 1, preview: 10 }
/**
 * Maximum share of optional calls to hold back: the answers to the others show when the service accepts calls again.
 */
const MAX_SKIPPED_SHARE = 0.9

export const OPEN_THROTTLE: Throttle = { sent: 0, taken: 0, at: 0, askedUntil: -Infinity }

function decayed(throttle: Throttle, now: number): Throttle {
  const left = Math.exp((throttle.at - now) / FADE_MS)
  return { ...throttle, sent: throttle.sent * left, taken: throttle.taken * left, at: now }
}

export function admits(throttle: Throttle, now: number, fraction: number, kind: Sheddable): boolean {
  if (now < throttle.askedUntil) return false
  const { sent, taken } = decayed(throttle, now)
  return fraction >= Math.min(MAX_SKIPPED_SHARE, (SHARPNESS * (sent - taken)) / (sent + PRIOR[kind]))
}

/** Records an answer: whether the service accepted the call, and how long it asked to wait. */
export function answered(
  throttle: Throttle,
  now: number,
  { isTaken, retryAfterMs }: { readonly isTaken: boolean; readonly retryAfterMs: number | null },
): Throttle {
  const before = decayed(throttle, now)
  return {
    ...before,
    sent: before.sent + 1,
    taken: before.taken + (isTaken ? 1 : 0),
    askedUntil: Math.max(before.askedUntil, retryAfterMs === null ? -Infinity : now + retryAfterMs),
  }
}
