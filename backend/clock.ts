import { randomUUID } from 'node:crypto'

/**
 * The only source of time in the backend, so that tests and the simulation can hold it still, move it, or set it back.
 * Dates and deadlines go by the wall clock; waiting goes by the monotonic one, which nobody can set.
 */
export interface Clock {
  /** Wall time: milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds since some moment of this run; never goes back. */
  monotonic(): number
  /** Runs the work once, this many milliseconds from now; answers what calls it off. */
  after(ms: number, work: () => void): () => void
}

/** The only source of chance in what moves miles, so that a run can be repeated exactly. */
export interface Chance {
  /** A fresh version 4 UUID. */
  uuid(): string
  /** A fraction in [0, 1). */
  fraction(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms)
    return () => { clearTimeout(timer) }
  },
}

export const systemChance: Chance = { uuid: () => randomUUID(), fraction: () => Math.random() }

/** ISO 8601 in UTC with milliseconds, as the local API writes times. */
export const isoOf = (epochMs: number): string => new Date(epochMs).toISOString()
