import type { Clock } from '../clock.ts'

/** Whether a service that does not answer is asked at all (docs/decisions/0014-queue-drains-by-backoff-and-a-cap.md). */
export interface Breaker {
  /** Whether a call may go now. While the service is away: the first after a pause, as a probe. */
  admits(): boolean
  /** What a call that was admitted came to. */
  heard(answered: boolean): void
  /** Whether the service counts as away. */
  readonly isOpen: boolean
}

/** The service counts as away after this many calls in a row without an answer. */
const FAILURES = 3
/** How long no call waits for it then: longer than a call may take. */
const PAUSE_MS = 15_000

/** Opens after some failures in a row and lets one call through after each pause; any answer closes it. */
export function createBreaker(clock: Pick<Clock, 'monotonic'>): Breaker {
  let inARow = 0
  let nextProbeAt = 0

  return {
    admits() {
      if (inARow < FAILURES) return true
      if (clock.monotonic() < nextProbeAt) return false
      // The probe begins the next pause: others are turned away until it was heard, or the pause is over.
      nextProbeAt = clock.monotonic() + PAUSE_MS
      return true
    },
    heard(answered) {
      inARow = answered ? 0 : inARow + 1
      if (inARow === FAILURES) nextProbeAt = clock.monotonic() + PAUSE_MS
    },
    get isOpen() {
      return inARow >= FAILURES
    },
  }
}
