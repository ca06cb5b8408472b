import type {
  MilesKind,
  MilesState,
  MilesType,
  OfferStateState,
  OperationKind,
  OperationState,
  OperationType,
} from './states.ts'

/** What may change while an operation goes through its states. */
export interface OperationFacts {
  readonly nextAttemptAt: number | null
  /** Answers of 500 so far; only they use up an issuance's attempts. */
  readonly failures: number
  /** Answers of 400 without a code that says why (specification 3 §4.2 rule 5): after so many a person decides. */
  readonly refusals: number
  readonly approvedOnAttempt: number | null
  readonly units: number | null
  readonly amountCents: number | null
  /** Of an issuance that was answered: those that were confirmed. Null: the answer does not say how many. */
  readonly miles: number | null
  readonly pendingMiles: number | null
  readonly rejectedMiles: number | null
  readonly confirmationNumber: string | null
  readonly transDateTime: string | null
  readonly transactionId: string | null
  readonly responseCode: string | null
  readonly outcome: string | null
  readonly detail: string | null
}
export type Facts = Partial<OperationFacts>

export interface Operation extends OperationFacts {
  readonly id: string
  readonly kind: OperationKind
  readonly type: OperationType
  readonly saleId: string
  /** Hex of the keyed hash of the collector number: the name of the queue that its calls take. */
  readonly collector: string
  readonly state: OperationState
  readonly createdAt: number
  readonly changedAt: number
  /** How often its newest call was sent, and when first. */
  readonly sends: number
  readonly firstSentAt: number | null
  /** The number of its newest entry in the journal. */
  readonly newestEntry: number
  readonly afterOperationId: string | null
  readonly correctsId: string | null
}

/** An operation of the manager's queue. */
export type MilesOperation = Operation & {
  readonly kind: MilesKind
  readonly type: MilesType
  readonly state: MilesState
}
/** A change of offer states. */
export type OfferStateOperation = Operation & { readonly kind: 'offer-state'; readonly state: OfferStateState }
export const movesMiles = (operation: Operation): operation is MilesOperation => operation.kind !== 'offer-state'

/** Of a call that nothing is known of yet. */
export const NO_FACTS: OperationFacts = {
  nextAttemptAt: null,
  failures: 0,
  refusals: 0,
  approvedOnAttempt: null,
  units: null,
  amountCents: null,
  miles: null,
  pendingMiles: null,
  rejectedMiles: null,
  confirmationNumber: null,
  transDateTime: null,
  transactionId: null,
  responseCode: null,
  outcome: null,
  detail: null,
}
