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

/** A moment by both clocks. `wallMs` (epoch ms) is what the wall clock showed, or what a server said then. */
export interface Moment {
  readonly wallMs: number
  readonly monotonicMs: number
}

export const momentOf = (clock: Pick<Clock, 'now' | 'monotonic'>, wallMs = clock.now()): Moment => ({
  wallMs,
  monotonicMs: clock.monotonic(),
})

/** The wall time that it is now if nothing set the clock since that moment. */
export const timeSince = (clock: Pick<Clock, 'monotonic'>, { wallMs, monotonicMs }: Moment): number =>
  wallMs + clock.monotonic() - monotonicMs

/** The only source of random values in what moves miles, so that a run can be repeated exactly. */
export interface Rng {
  /** A fresh version 4 UUID. */
  uuid(): string
  /** A fraction in [0, 1). */
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
 * A version 7 UUID (RFC 9562 §5.7): born later sorts later, as long as nobody sets the clock. Rows that are written
 * together then stand together in an index, and a commit touches fewer of its pages.
 */
export function timeOrderedUuid(epochMs: number, rng: Pick<Rng, 'uuid'>): string {
  const time = Math.max(0, Math.trunc(epochMs)).toString(16).padStart(12, '0').slice(-12)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rng.uuid().slice(15)}`
}

/** ISO 8601 in UTC with milliseconds, as the local API writes times. */
export const isoOf = (epochMs: number): string => new Date(epochMs).toISOString()
