/** Whether a service that does not answer is asked at all (docs/decisions/0068-a-breaker-for-reads.md). */
export interface Breaker {
  /** Whether a call may go now. While the service is away: the first after a pause, as a probe. */
  admits(): boolean
  /** What a call that was admitted came to. */
  heard(answered: boolean): void
  /** Whether the service counts as away. */
  readonly isOpen: boolean
}

export interface BreakerOptions {
  /** Time that nobody can set, in milliseconds. */
  readonly monotonic: () => number
  /** So many calls without an answer, one after another, and the service counts as away. */
  readonly failures?: number
  /** How long nobody waits for it then, in milliseconds: longer than a call may take. */
  readonly pauseMs?: number
}

/** Opens after some failures in a row and lets one call through after each pause; any answer closes it. */
export function createBreaker({ monotonic, failures = 3, pauseMs = 15_000 }: BreakerOptions): Breaker {
  let inARow = 0
  let nextProbeAt = 0

  return {
    admits() {
      if (inARow < failures) return true
      if (monotonic() < nextProbeAt) return false
      // The probe begins the next pause: others are turned away until it was heard, or the pause is over.
      nextProbeAt = monotonic() + pauseMs
      return true
    },
    heard(answered) {
      inARow = answered ? 0 : inARow + 1
      if (inARow === failures) nextProbeAt = monotonic() + pauseMs
    },
    get isOpen() {
      return inARow >= failures
    },
  }
}
