/**
 * Client-side throttling (Beyer et al., Site Reliability Engineering, ch. 21 "Handling Overload"): a lane that is
 * turned away sends fewer of the calls that nobody misses. Pure; counts fade with time. Times are monotonic, in ms.
 */
export interface Throttle {
  /** Calls that were sent and answered. */
  readonly sent: number
  /** Calls that the service took. */
  readonly taken: number
  readonly at: number
  /** The service asked to be left alone until then. */
  readonly askedUntil: number
}

/** A call that was answered this long ago counts for a third of one of now. */
const FADE_MS = 120_000
/**
 * Where one in ten is turned away, four in ten of these calls are held back. SRE's own rule lets twice of what is taken
 * through, since it may turn away any call; here most of them are a customer's, and only these can give way.
 */
const SHARPNESS = 4
/**
 * Of calls that nobody misses, in the order in which they give way (SRE's "sheddable" and "sheddable plus"): what the
 * lane asks for by itself, and what a customer would see.
 */
export type Sheddable = 'background' | 'preview'
/**
 * Calls that count as taken before any was sent. One that was turned away of two says little, and shall not cost a
 * customer the previews of minutes; of fifty it says the same as without.
 */
const PRIOR: Readonly<Record<Sheddable, number>> = { background: 1, preview: 10 }
/**
 * Of the calls that may be held back, some go in any case: else nobody would hear that the service takes them again.
 */
const MOST_HELD_BACK = 0.9

export const OPEN_THROTTLE: Throttle = { sent: 0, taken: 0, at: 0, askedUntil: -Infinity }

function faded(throttle: Throttle, now: number): Throttle {
  const left = Math.exp((throttle.at - now) / FADE_MS)
  return { ...throttle, sent: throttle.sent * left, taken: throttle.taken * left, at: now }
}

/** Whether a call that nobody misses may go. */
export function admits(throttle: Throttle, now: number, fraction: number, what: Sheddable): boolean {
  if (now < throttle.askedUntil) return false
  const { sent, taken } = faded(throttle, now)
  return fraction >= Math.min(MOST_HELD_BACK, (SHARPNESS * (sent - taken)) / (sent + PRIOR[what]))
}

/** A call that was sent: whether the service took it, and how long it asked to be left alone. */
export function answered(
  throttle: Throttle,
  now: number,
  { isTaken, retryAfterMs }: { readonly isTaken: boolean; readonly retryAfterMs: number | null },
): Throttle {
  const before = faded(throttle, now)
  return {
    ...before,
    sent: before.sent + 1,
    taken: before.taken + (isTaken ? 1 : 0),
    askedUntil: Math.max(before.askedUntil, retryAfterMs === null ? -Infinity : now + retryAfterMs),
  }
}
