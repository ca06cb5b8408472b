/**
 * The state machines as data. Every transition is one committed transaction, made before the next byte leaves;
 * a state without transitions is final and absorbs.
 */
export const REDEMPTION_TRANSITIONS = {
  intent: ['retry', 'approved', 'declined', 'escalated'],
  /** `retry → reversing`: an approval that cannot be applied as asked goes back by its number. */
  retry: ['approved', 'declined', 'escalated', 'reversing'],
  /** `approved → reversal-expired`: it is given up when its window is known to be closed. */
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
   * `queued → dead` and `queued → escalated`: what it would take back never came to be, or nobody knows whether it did.
   */
  queued: ['sent', 'dead', 'escalated'],
  /** `sent → queued`: provably not delivered, or to be sent again later with the same bytes and key. */
  sent: ['queued', 'sent', 'confirmed', 'accepted', 'rejected', 'dead', 'escalated'],
  confirmed: [],
  accepted: [],
  rejected: [],
  dead: [],
  escalated: [],
} as const satisfies Record<string, readonly string[]>
export type IssuanceState = keyof typeof ISSUANCE_TRANSITIONS

/** What a member who is signed in did with offers (specification 1 §3). The same change once more changes nothing. */
export const OFFER_STATE_TRANSITIONS = {
  /** `queued → lapsed`: the sale ended, or has another collector, before it could be sent. */
  queued: ['sent', 'lapsed'],
  /** `sent → queued`: to be sent again with the same bytes. `sent → lapsed`: nobody knows whether it arrived. */
  sent: ['queued', 'confirmed', 'refused', 'lapsed'],
  confirmed: [],
  refused: [],
  lapsed: [],
} as const satisfies Record<string, readonly string[]>
export type OfferStateState = keyof typeof OFFER_STATE_TRANSITIONS

export type OperationKind = 'redemption' | 'issuance' | 'offer-state'
export type OperationState = RedemptionState | IssuanceState | OfferStateState

/** What moves miles stands before the manager; what a member did with offers is between the member and the program. */
export type MilesKind = Exclude<OperationKind, 'offer-state'>
export type MilesState = RedemptionState | IssuanceState

const TRANSITIONS: Readonly<Record<OperationKind, Readonly<Record<string, readonly string[]>>>> = {
  redemption: REDEMPTION_TRANSITIONS,
  issuance: ISSUANCE_TRANSITIONS,
  'offer-state': OFFER_STATE_TRANSITIONS,
}

/** What an operation is meant to do at the loyalty service. */
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
 * Transitions that only a person's order makes, after support has mended what was broken: the same bytes under the same
 * key go out again, which can do nothing twice (specification 3 §4.1, §4.2 rule 4). To the machine these states are
 * final.
 */
export const MANUAL_TRANSITIONS = {
  redemption: { 'reversal-escalated': 'reversing' },
  issuance: { escalated: 'queued' },
  'offer-state': {},
} as const satisfies Record<OperationKind, Partial<Record<OperationState, OperationState>>>

export const mayMove = (kind: OperationKind, from: OperationState, to: OperationState): boolean =>
  TRANSITIONS[kind][from]?.includes(to) ?? false

export function mayBeOrdered(kind: OperationKind, from: OperationState, to: OperationState): boolean {
  const transitions: Partial<Record<OperationState, OperationState>> = MANUAL_TRANSITIONS[kind]
  return transitions[from] === to
}

/**
 * Outcome of an issuance that ended as the collector had been told before it was sent: final, and no work for a
 * manager.
 */
export const EXPECTED_REFUSAL = 'expected-refusal'

/** True when the machine does nothing more with it. */
export const isFinal = (kind: OperationKind, state: OperationState): boolean =>
  state !== 'approved' && (TRANSITIONS[kind][state]?.length ?? 0) === 0

const OPEN: ReadonlySet<OperationState> = new Set<OperationState>(['intent', 'retry', 'reversing', 'queued', 'sent'])

/** True while the machine has work with it. The database holds the same set and refuses a row that says otherwise. */
export const isOpen = (state: OperationState): boolean => OPEN.has(state)
