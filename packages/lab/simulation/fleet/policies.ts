import { PACE, type PaceRules } from '../../../../backend/loyalty/calls/queue-pace.ts'

/** How lanes behave: the product's rules, or what is done where nobody thinks of ten thousand lanes. */
export interface Policy {
  readonly name: string
  readonly pace: PaceRules
  /**
   * The product's own: throttle, tokens that are renewed ahead, intervals that differ. False: none
   * of it.
   */
  readonly isAdaptive: boolean
}

/** The queue waits as `waitMs` says, whatever the service asks for, and leaves eight at a time when it is back. */
const naive = (name: string, waitMs: (failures: number) => number): Policy => ({
  name,
  isAdaptive: false,
  pace: {
    places: ({ failures }) => (failures > 0 ? 1 : 8),
    sent: (pace) => pace,
    heard(pace, heard, { now }) {
      if (heard.kind === 'taken') return { ...pace, failures: 0 }
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
