/**
 * How long is waited before a call that was not taken goes again. Pure: the lane and the simulation of a fleet ask the
 * same functions.
 */
export interface Backoff {
  readonly baseMs: number
  readonly capMs: number
}

/**
 * Full jitter: anywhere between now and the exponential cap, so that lanes that failed together do not return
 * together. `tries`: failures in a row; `fraction` in [0, 1).
 */
export const fullJitter = ({ baseMs, capMs }: Backoff, tries: number, fraction: number): number =>
  Math.round(fraction * Math.min(capMs, baseMs * 2 ** Math.min(tries, 20)))
