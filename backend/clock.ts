/** The only source of wall time in the backend, so that tests and simulations can hold it still or move it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** ISO 8601 in UTC with milliseconds, as the local API writes times. */
export const isoOf = (epochMs: number): string => new Date(epochMs).toISOString()
