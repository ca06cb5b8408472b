import type { RedeemMeaning } from '../domain/answers.ts'

/**
 * Whether the first send of a redemption is in doubt: then the one identical retry goes at once (specification 3 §4.5
 * rule 6), whatever a gateway may have asked for. `meaning`: of the answer, null where there is none: "no response" is
 * no connection too.
 */
export const isRetried = (
  meaning: RedeemMeaning | null,
): meaning is Extract<RedeemMeaning, { kind: 'unknown' }> | null => meaning === null || meaning.kind === 'unknown'
