/**
 * How long is waited before a call that was not taken goes again. Pure: the lane and the simulation of a fleet ask the
 * same functions.
 */
export interface Backoff {
  readonly baseMs: number
  readonly capMs: number
  /** By how much the longest wait grows with each try; 2 where nothing is said. */
  readonly factor?: number
}

/**
 * Full jitter: anywhere between now and the exponential cap, so that lanes that failed together do not return
 * together. `tries`: failures in a row; `fraction` in [0, 1).
 */
export const fullJitter = ({ baseMs, capMs, factor = 2 }: Backoff, tries: number, fraction: number): number =>
  Math.round(fraction * Math.min(capMs, baseMs * factor ** Math.min(tries, 20)))

/** The same, and at least half of it: for what a manager sees waiting, of which a lane has a few at most. */
export const equalJitter = (backoff: Backoff, tries: number, fraction: number): number =>
  fullJitter(backoff, tries, 0.5 + fraction / 2)

/**
 * A wait that a service asked for, and up to half as much after it, so that lanes that were asked together come back
 * apart: never earlier than asked. In ms; 0 where nothing was asked.
 */
export const afterAsked = (retryAfterMs: number | null, fraction: number): number =>
  Math.ceil((retryAfterMs ?? 0) * (1 + fraction / 2))

/** An interval of this length on average, so that lanes that were started together do not stay together. */
export const spread = (intervalMs: number, fraction: number): number => Math.round(intervalMs * (0.75 + fraction / 2))
