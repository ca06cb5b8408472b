/**
 * State machines of operations as data. Each transition is committed before the next byte leaves; a state without
 * transitions is final. See docs/decisions/0010-journal-stores-sealed-bytes.md.
 */
export const REDEMPTION_TRANSITIONS = {
  intent: ['retry', 'approved', 'declined', 'escalated'],
  /**
   * `retry → reversing`: an approval that came on the retry cannot be applied as requested, so the terminal reverses it
   * by its confirmation number.
   */
  retry: ['approved', 'declined', 'escalated', 'reversing'],
  /** `approved → reversal-expired`: the reversal window of the redemption has closed. */
  approved: ['reversing', 'reversal-expired'],
  declined: [],
  escalated: [],
  reversing: ['reversing', 'reversed', 'reversal-expired', 'reversal-escalated'],
  reversed: [],
  'reversal-expired': [],
  'reversal-escalated': [],
} as const satisfies Record<string, readonly string[]>
export type RedemptionState = keyof typeof REDEMPTION_TRANSITIONS

export const ISSUANCE_TRANSITIONS = {
  /**
   * `queued → dead` and `queued → escalated`: the issuance that this call should take back failed, or has an unknown
   * outcome.
   */
  queued: ['sent', 'dead', 'escalated'],
  /**
   * `sent → queued`: the call certainly did not arrive, or is sent again later with the same bytes and idempotency key.
   */
  sent: ['queued', 'sent', 'confirmed', 'accepted', 'rejected', 'dead', 'escalated'],
  confirmed: [],
  accepted: [],
  rejected: [],
  dead: [],
  escalated: [],
} as const satisfies Record<string, readonly string[]>
export type IssuanceState = keyof typeof ISSUANCE_TRANSITIONS

/** Transitions of a signed-in member's offer change (specification 1 §3), which may be sent any number of times. */
export const OFFER_STATE_TRANSITIONS = {
  /** `queued → lapsed`: the sale ended or got another collector before the change was sent. */
  queued: ['sent', 'lapsed'],
  /** `sent → queued`: the change is sent again with the same bytes. `sent → lapsed`: its outcome is unknown. */
  sent: ['queued', 'confirmed', 'refused', 'lapsed'],
  confirmed: [],
  refused: [],
  lapsed: [],
} as const satisfies Record<string, readonly string[]>
export type OfferStateState = keyof typeof OFFER_STATE_TRANSITIONS

export type OperationKind = 'redemption' | 'issuance' | 'offer-state'
export type OperationState = RedemptionState | IssuanceState | OfferStateState

/** Operations that move miles are listed for a manager when they fail; offer changes are not. */
export type MilesKind = Exclude<OperationKind, 'offer-state'>
export type MilesState = RedemptionState | IssuanceState

const TRANSITIONS: Readonly<Record<OperationKind, Readonly<Record<string, readonly string[]>>>> = {
  redemption: REDEMPTION_TRANSITIONS,
  issuance: ISSUANCE_TRANSITIONS,
  'offer-state': OFFER_STATE_TRANSITIONS,
}

export type IssuanceOperationType =
  | 'issue'
  | 'return'
  | 'record'
  | 'post'
  | 'post-event'
  | 'post-reverse'
  | 'reverse-event'
export type MilesType = 'redeem' | IssuanceOperationType
export type OperationType = MilesType | 'offer-state'

/**
 * Transitions that only a person can request, after support has corrected the cause: the same bytes are sent again
 * under the same idempotency key, which cannot take effect twice (specification 3 §4.1, §4.2 rule 4). For the state
 * machine these states are final.
 */
export const MANUAL_TRANSITIONS = {
  redemption: { 'reversal-escalated': 'reversing' },
  issuance: { escalated: 'queued' },
  'offer-state': {},
} as const satisfies Record<OperationKind, Partial<Record<OperationState, OperationState>>>

export const mayMove = (kind: OperationKind, from: OperationState, to: OperationState): boolean =>
  TRANSITIONS[kind][from]?.includes(to) ?? false

export function isManualMove(kind: OperationKind, from: OperationState, to: OperationState): boolean {
  const transitions: Partial<Record<OperationState, OperationState>> = MANUAL_TRANSITIONS[kind]
  return transitions[from] === to
}

/**
 * Outcome of an issuance whose refusal was expected and shown to the collector before it was sent: final, without work
 * for a manager.
 */
export const EXPECTED_REFUSAL = 'expected-refusal'

export const isFinal = (kind: OperationKind, state: OperationState): boolean =>
  state !== 'approved' && (TRANSITIONS[kind][state]?.length ?? 0) === 0

const OPEN: ReadonlySet<OperationState> = new Set<OperationState>(['intent', 'retry', 'reversing', 'queued', 'sent'])

/** Whether an operation in this state is still processed. A database constraint defines the same set. */
export const isOpen = (state: OperationState): boolean => OPEN.has(state)
