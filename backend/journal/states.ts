/**
 * The two state machines as data. Every arrow is one committed transaction, made before the next byte leaves;
 * a state without arrows is final and absorbs.
 */
export const REDEMPTION_ARROWS = {
  intent: ['retry', 'approved', 'declined', 'escalated'],
  retry: ['approved', 'declined', 'escalated'],
  approved: ['reversing'],
  declined: [],
  escalated: [],
  reversing: ['reversing', 'reversed', 'reversal-expired', 'reversal-escalated'],
  reversed: [],
  'reversal-expired': [],
  'reversal-escalated': [],
} as const satisfies Record<string, readonly string[]>
export type RedemptionState = keyof typeof REDEMPTION_ARROWS

export const ISSUANCE_ARROWS = {
  queued: ['sent'],
  /** `sent → queued`: provably not delivered, or to be sent again later with the same bytes and key. */
  sent: ['queued', 'sent', 'confirmed', 'accepted', 'rejected', 'dead', 'escalated'],
  confirmed: [],
  accepted: [],
  rejected: [],
  dead: [],
  escalated: [],
} as const satisfies Record<string, readonly string[]>
export type IssuanceState = keyof typeof ISSUANCE_ARROWS

export type OperationKind = 'redemption' | 'issuance'
export type OperationState = RedemptionState | IssuanceState

export function mayMove(kind: OperationKind, from: OperationState, to: OperationState): boolean {
  const arrows: Record<string, readonly string[]> = kind === 'redemption' ? REDEMPTION_ARROWS : ISSUANCE_ARROWS
  return arrows[from]?.includes(to) ?? false
}
