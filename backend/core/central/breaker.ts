import type { Clock } from '../clock.ts'

/** Circuit breaker for a service that does not answer (docs/decisions/0014-queue-drains-by-backoff-and-a-cap.md). */
export interface Breaker {
  /** Whether a call may be sent now. An open breaker lets one probe pass after each pause. */
  admits(): boolean
  record(answered: boolean): void
  readonly isOpen: boolean
}

const FAILURES = 3
/** Pause between probes of an open breaker in ms; longer than the timeout of a call. */
const PAUSE_MS = 15_000

/**
 * Circuit breaker that opens after several failures in a row and then admits one call after each pause; any answer
 * closes it.
 */
export function createBreaker(clock: Pick<Clock, 'monotonic'>): Breaker {
  let inARow = 0
  let nextProbeAt = 0

  return {
    admits() {
      if (inARow < FAILURES) return true
      if (clock.monotonic() < nextProbeAt) return false
      // A probe starts the next pause: until it is answered or the pause is over, other calls are rejected.
      nextProbeAt = clock.monotonic() + PAUSE_MS
      return true
    },
    record(answered) {
      inARow = answered ? 0 : inARow + 1
      if (inARow === FAILURES) nextProbeAt = clock.monotonic() + PAUSE_MS
    },
    get isOpen() {
      return inARow >= FAILURES
    },
  }
}
