import { PACE, type PaceRules } from '../../../../backend/loyalty/calls/queue-pace.ts'

/** The behaviour of the simulated lanes: the terminal’s rules, or naive rules made for a single lane. */
export interface Policy {
  readonly name: string
  readonly pace: PaceRules
  /** Whether lanes use the throttle, early token renewal and random intervals. */
  readonly isAdaptive: boolean
}

/**
 * Creates a naive policy: after a failure the queue waits `waitMs`, regardless of Retry-After, and sends one call at a
 * time; otherwise eight.
 */
const naive = (name: string, waitMs: (failures: number) => number): Policy => ({
  name,
  isAdaptive: false,
  pace: {
    places: ({ failures }) => (failures > 0 ? 1 : 8),
    sent: (pace) => pace,
    recordResult(pace, result, { now }) {
      if (result.kind === 'taken') return { ...pace, failures: 0 }
      if (pace.failures > 0 && now < pace.notBefore) return pace
      const failures = pace.failures + 1
      return { ...pace, failures, notBefore: now + waitMs(failures) }
    },
  },
})

export const OURS: Policy = { name: 'ours', pace: PACE, isAdaptive: true }
export const FIXED: Policy = naive('fixed interval', () => 30_000)
export const EXPONENTIAL: Policy = naive('exponential, no jitter', (failures) =>
  Math.min(300_000, 1_000 * 2 ** Math.min(failures, 20)),
)
export const POLICIES = [OURS, FIXED, EXPONENTIAL] as const
