import { randomUUID } from 'node:crypto'

/**
 * The only source of time in the backend, so that tests and the simulation control it. Dates and deadlines use the wall
 * clock; waits use the monotonic clock, which cannot be set.
 */
export interface Clock {
  now(): number
  monotonic(): number
  after(ms: number, work: () => void): () => void
}

/** A moment read from both clocks. `wallMs` (epoch ms) comes from the wall clock or from a server. */
export interface Moment {
  readonly wallMs: number
  readonly monotonicMs: number
}

export const momentOf = (clock: Pick<Clock, 'now' | 'monotonic'>, wallMs = clock.now()): Moment => ({
  wallMs,
  monotonicMs: clock.monotonic(),
})

export const timeSince = (clock: Pick<Clock, 'monotonic'>, { wallMs, monotonicMs }: Moment): number =>
  wallMs + clock.monotonic() - monotonicMs

/** The only source of random values for operations on miles, so that the simulation can repeat a run. */
export interface Rng {
  uuid(): string
  fraction(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, work) {
    if (ms === 0) {
      const soon = setImmediate(work)
      return () => {
        clearImmediate(soon)
      }
    }
    const timer = setTimeout(work, ms)
    return () => {
      clearTimeout(timer)
    }
  },
}

export const systemRng: Rng = { uuid: () => randomUUID(), fraction: () => Math.random() }

/**
 * Creates a version 7 UUID (RFC 9562 §5.7), which sorts by creation time unless the clock is set. Rows that are written
 * together are adjacent in an index, so a commit touches fewer pages.
 */
export function timeOrderedUuid(epochMs: number, rng: Pick<Rng, 'uuid'>): string {
  const time = Math.max(0, Math.trunc(epochMs)).toString(16).padStart(12, '0').slice(-12)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rng.uuid().slice(15)}`
}

/** Formats a time as ISO 8601 in UTC with milliseconds, the format of the local API. */
export const isoOf = (epochMs: number): string => new Date(epochMs).toISOString()
