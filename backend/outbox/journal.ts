import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { traceIdOfUuid, type TraceId } from '../../contracts/trace.ts'
import { timeOrderedUuid, type Rng, type Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Transact, Tx } from '../db/transact.ts'
import type { Chain } from './chain.ts'
import { createGroupCommit } from './group-commit.ts'
import { createNotices } from './notices.ts'
import { operationDigests } from './operation-digest.ts'
import type { Seal } from './seal.ts'
import {
  EXPECTED_REFUSAL,
  isOpen,
  mayBeOrdered,
  mayMove,
  type OfferStateState,
  type MilesKind,
  type MilesState,
  type MilesType,
  type OperationType,
  type OperationKind,
  type OperationState,
} from './states.ts'
import type { StepObserver } from './step-observer.ts'
import { traceNow } from '../trace.ts'
import { createStoredCalls, placeOfCall, placeOfDraft, type CallPurpose, type NewCall } from './stored-calls.ts'

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

export interface NewOperation {
  readonly kind: OperationKind
  readonly type: OperationType
  readonly saleId: string
  readonly collectorHash: Uint8Array
  readonly state: 'intent' | 'queued'
  readonly call: NewCall
  /** True when the call's first send follows this commit at once: after a crash it counts as possibly sent. */
  readonly sending: boolean
  /** The call is a draft: its bytes and its key are stored with the transition that sends it. */
  readonly draft?: boolean
  readonly facts: Facts
  readonly afterOperationId?: string
  readonly correctsId?: string
}

export interface Change {
  readonly facts?: Facts
  /** The call whose send is counted in this commit, which must return before the first byte leaves. */
  readonly sending?: CallPurpose
  /** The bytes of a further call, stored beside the transition. */
  readonly newCall?: NewCall
  /** What no column holds; it stands in the journal's entry alone. Never a collector number. */
  readonly kept?: object
  /** Written in the same transaction. */
  readonly also?: (tx: Tx, changed: Operation) => void
}

const FACTS = {
  nextAttemptAt: 'next_attempt_at',
  failures: 'failures',
  refusals: 'refusals',
  approvedOnAttempt: 'approved_on_attempt',
  units: 'units',
  amountCents: 'amount_cents',
  miles: 'miles',
  pendingMiles: 'pending_miles',
  rejectedMiles: 'rejected_miles',
  confirmationNumber: 'confirmation_number',
  transDateTime: 'trans_date_time',
  transactionId: 'transaction_id',
  responseCode: 'response_code',
  outcome: 'outcome',
  detail: 'detail',
} as const satisfies Record<keyof OperationFacts, string>
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
const FACT_COLUMNS = Object.entries(FACTS)
/** What of an operation its digest covers: the name in the program, and the column. */
export const DIGESTED = {
  id: 'id',
  kind: 'kind',
  type: 'type',
  saleId: 'sale_id',
  collector: 'collector_hash',
  state: 'state',
  createdAt: 'created_at',
  changedAt: 'changed_at',
  sends: 'sends',
  firstSentAt: 'first_sent_at',
  newestEntry: 'newest_entry',
  afterOperationId: 'after_operation_id',
  correctsId: 'corrects_id',
  ...FACTS,
} as const satisfies Record<keyof Operation, string>

const SELECT = `SELECT id, kind, type, sale_id AS saleId, lower(hex(collector_hash)) AS collector, state,
  created_at AS createdAt, changed_at AS changedAt,
  after_operation_id AS afterOperationId, corrects_id AS correctsId,
  ${FACT_COLUMNS.map(([fact, column]) => `${column} AS ${fact}`).join(', ')},
  sends, first_sent_at AS firstSentAt, newest_entry AS newestEntry FROM operation`
const CHANGING =
  'state = @state, changed_at = @changedAt, sends = @sends, first_sent_at = @firstSentAt, newest_entry = ' +
  `@newestEntry, digest = @digest, ${FACT_COLUMNS.map(([fact, column]) => `${column} = @${fact}`).join(', ')}`
/**
 * Outcome of a reversal that goes on by itself and was not answered so far: a manager sees it while its window is open.
 */
export const REVERSAL_UNANSWERED = 'reversal-unanswered'
const MOVES_MILES = `kind <> 'offer-state'`
const UNANSWERED = `open = 1 AND state = 'reversing' AND outcome = '${REVERSAL_UNANSWERED}'`
export const ATTENTION_STATES =
  `state IN ('escalated', 'dead', 'rejected', 'reversal-expired', 'reversal-escalated') AND outcome IS NOT ` +
  `'${EXPECTED_REFUSAL}'`
export const UNRESOLVED = `NOT EXISTS (SELECT 1 FROM operation_resolution WHERE operation_id = operation.id)`
/** What a person may order once more: an issuance without an outcome, a reversal that nobody answered. */
const GIVEN_UP = `((state = 'escalated' AND kind = 'issuance') OR state = 'reversal-escalated')`

export class ForbiddenTransitionError extends Error {
  override name = 'ForbiddenTransitionError'
}

/** The trace in which a call was recorded, where its tracking number is not that trace itself. */
function begunIn({ traceId }: NewCall): { readonly trace?: TraceId } {
  const trace = traceNow()
  return trace === null || trace === traceIdOfUuid(traceId) ? {} : { trace }
}

export interface JournalOptions {
  readonly db: Database
  readonly transact: Transact
  readonly chain: Chain
  readonly seal: Seal
  readonly clock: Clock
  readonly rng: Rng
  readonly observer?: StepObserver
}

export interface JournalEvents {
  // What subscribers write commits with it, or not at all.
  'operation.opened': [tx: Tx, operation: Operation]
  'operation.moved': [tx: Tx, operation: Operation]
}

/** The durable record of calls to others, and the only writer of it. */
export type Journal = ReturnType<typeof createJournal>

export function createJournal({ db, transact, chain, seal, clock, rng, observer }: JournalOptions) {
  const insertOperation =
    db.prepare(`INSERT INTO operation (id, kind, type, sale_id, collector_hash, state, created_at, changed_at,
      after_operation_id, corrects_id, open, sends, first_sent_at, newest_entry, digest,
      ${FACT_COLUMNS.map(([, column]) => column).join(', ')})
    VALUES (@id, @kind, @type, @saleId, @collectorHash, @state, @createdAt, @changedAt, @afterOperationId, @correctsId,
    1, @sends, @firstSentAt, @newestEntry, @digest, ${FACT_COLUMNS.map(([fact]) => `@${fact}`).join(', ')})`)
  // Most transitions leave an operation open, or final: they do not name the column that the index of open ones goes
  // by, and so leave it alone.
  const updateOperation = db.prepare(`UPDATE operation SET ${CHANGING} WHERE id = @id`)
  const openOrClose = db.prepare(`UPDATE operation SET ${CHANGING}, open = @open WHERE id = @id`)
  const insertCall = db.prepare(
    `INSERT INTO operation_call (operation_id, purpose, path, idempotency_key, trace_id, date_time, request_sealed,
      request_sha256) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertDraft = db.prepare(
    `INSERT INTO operation_draft (operation_id, path, trace_id, date_time, request_sealed, request_sha256)
      VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const selectOne = db.prepare<[string], Operation>(`${SELECT} WHERE id = ?`)
  // `+?` where there is an order: see db/open.ts. The kind stands in the text for the same reason.
  const selectOfSale = db.prepare<[string, string], MilesOperation>(
    `${SELECT} WHERE sale_id = +? AND kind = +? ORDER BY rowid DESC`,
  )
  const selectNewestOfSale = (kind: MilesKind, which = '') =>
    db.prepare<[string], MilesOperation>(
      `${SELECT} WHERE sale_id = +? AND kind = '${kind}' ${which} ORDER BY rowid DESC LIMIT 1`,
    )
  // What a sale earned is an ISSUE or a POST; what was taken back or recorded beside it is not.
  const newestOfSale = {
    redemption: selectNewestOfSale('redemption'),
    issuance: selectNewestOfSale('issuance', "AND type IN ('issue', 'post')"),
  } as const
  // In the order of birth, which is not the order of the wall clock: it may be set back. `+` keeps the partial index in
  // use.
  const selectOpenPage = db.prepare<[number], MilesOperation>(
    `${SELECT} WHERE open = 1 AND ${MOVES_MILES} ORDER BY created_at LIMIT ?`,
  )
  const selectOpenRedemptions = db.prepare<[], MilesOperation>(
    `${SELECT} WHERE open = 1 AND kind = 'redemption' ORDER BY +rowid`,
  )
  const selectNextIssuance = db.prepare<[Buffer], MilesOperation>(
    // mutant: newest-first
    // mutant: takes-up-final
    `${SELECT} WHERE collector_hash = +? AND open = 1 AND kind = 'issuance' ORDER BY rowid LIMIT 1`,
  )
  const selectWaitingCollectors = db.prepare<[], { collector: string }>(
    `SELECT lower(hex(collector_hash)) AS collector FROM operation WHERE open = 1 AND kind = 'issuance'
      GROUP BY collector_hash ORDER BY min(rowid)`,
  )
  const selectAttention = db.prepare<[number], MilesOperation>(
    `${SELECT} WHERE ${ATTENTION_STATES} AND ${UNRESOLVED} ORDER BY changed_at DESC LIMIT ?`,
  )
  const selectAccepted = db.prepare<[number], MilesOperation>(
    `${SELECT} WHERE state = 'accepted' AND ${UNRESOLVED} ORDER BY changed_at DESC LIMIT ?`,
  )
  const countAccepted = db
    .prepare<[], number>(`SELECT count(*) FROM operation WHERE state = 'accepted' AND ${UNRESOLVED}`)
    .pluck()
  const selectGivenUp = db.prepare<[number], MilesOperation>(
    `${SELECT} WHERE ${ATTENTION_STATES} AND ${GIVEN_UP} AND ${UNRESOLVED} ORDER BY changed_at LIMIT ?`,
  )
  const selectUnanswered = db.prepare<[number], MilesOperation>(
    `${SELECT} WHERE ${UNANSWERED} ORDER BY +rowid DESC LIMIT ?`,
  )
  const selectOpenOfferStates = db.prepare<[], OfferStateOperation>(
    `${SELECT} WHERE open = 1 AND kind = 'offer-state' ORDER BY +rowid`,
  )
  const selectOfferStatesOfSale = db.prepare<[string], OfferStateOperation>(
    `${SELECT} WHERE sale_id = +? AND kind = 'offer-state' ORDER BY rowid`,
  )
  const selectStanding = db.prepare<[string, string], { id: string }>(
    `SELECT id FROM operation WHERE kind = 'redemption' AND confirmation_number = ? AND id <> ?
      AND state NOT IN ('retry', 'declined') LIMIT 1`,
  )
  const traceIdOf = db
    .prepare<[string, string], string>('SELECT trace_id FROM operation_call WHERE purpose = ? AND operation_id = ?')
    .pluck()
  const countByState = db.prepare<[], { waiting: number; sending: number; attention: number }>(`SELECT
    (SELECT count(*) FROM operation WHERE open = 1 AND state = 'queued' AND ${MOVES_MILES}) AS waiting,
    (SELECT count(*) FROM operation WHERE open = 1 AND state <> 'queued' AND ${MOVES_MILES}) AS sending,
    (SELECT count(*) FROM operation WHERE ${ATTENTION_STATES} AND ${UNRESOLVED}) + (SELECT count(*) FROM operation
    WHERE ${UNANSWERED}) AS attention`)
  const oldestOpenAt = db
    .prepare<[], number | null>(`SELECT min(created_at) FROM operation WHERE open = 1 AND ${MOVES_MILES}`)
    .pluck()
  const calls = createStoredCalls(db, seal)
  const digestOf = operationDigests(seal, DIGESTED)
  const groupCommit = createGroupCommit({ transact, clock })
  const events = new EventEmitter<JournalEvents>()
  const notices = createNotices({ db, clock })

  function storeCall(tx: Tx, operationId: string, call: NewCall): string {
    const sha256 = createHash('sha256').update(call.request).digest()
    tx.run(
      insertCall,
      operationId,
      call.purpose,
      call.path,
      call.idempotencyKey,
      call.traceId,
      call.dateTime,
      seal.seal(call.request, placeOfCall(operationId, call)),
      sha256,
    )
    return sha256.toString('hex')
  }

  function storeDraft(tx: Tx, operationId: string, draft: NewCall): string {
    const { path, traceId, dateTime, request } = draft
    const sha256 = createHash('sha256').update(request).digest()
    tx.run(
      insertDraft,
      operationId,
      path,
      traceId,
      dateTime,
      seal.seal(request, placeOfDraft(operationId, draft)),
      sha256,
    )
    return sha256.toString('hex')
  }

  function require(id: string): Operation {
    const operation = selectOne.get(id)
    if (!operation) throw new Error(`no operation ${id} in the journal`)
    return operation
  }

  function change(
    tx: Tx,
    operation: Operation,
    to: OperationState,
    { facts = {}, sending, newCall, kept, also }: Change,
    by: object,
  ): Operation {
    const at = clock.now()
    const sha256 = newCall ? storeCall(tx, operation.id, newCall) : undefined
    const tip = chain.tip()
    // A further call has not been sent yet, and becomes the newest one.
    const before = newCall ? { sends: 0, firstSentAt: null } : operation
    const changed: Operation = {
      ...operation,
      ...facts,
      state: to,
      changedAt: at,
      newestEntry: tip.seq + 1,
      // mutant: send-not-counted
      sends: before.sends + (sending ? 1 : 0),
      firstSentAt: before.firstSentAt ?? (sending ? at : null),
    }
    if (isOpen(to) === isOpen(operation.state)) tx.run(updateOperation, { ...changed, digest: digestOf(changed) })
    else tx.run(openOrClose, { ...changed, digest: digestOf(changed), open: isOpen(to) ? 1 : 0 })
    chain.append(tx, tip, {
      operationId: operation.id,
      at,
      fromState: operation.state,
      toState: to,
      previous: operation.newestEntry,
      detail: {
        ...facts,
        ...(sending ? { sending } : {}),
        ...(newCall ? { key: newCall.idempotencyKey, sha256, ...begunIn(newCall) } : {}),
        ...(kept ? { kept } : {}),
        ...by,
      },
    })
    observer?.wrote?.(`${operation.type} ${operation.state}→${to}`)
    also?.(tx, changed)
    events.emit('operation.moved', tx, changed)
    return changed
  }

  function move(tx: Tx, id: string, to: OperationState, what: Change = {}): Operation {
    const operation = require(id)
    if (!mayMove(operation.kind, operation.state, to))
      throw new ForbiddenTransitionError(`${operation.kind} ${operation.state} → ${to}`)
    return change(tx, operation, to, what, {})
  }

  return {
    /** Records an operation with the exact bytes of its first call, before any of them leaves. */
    open(tx: Tx, opening: NewOperation): Operation {
      const { kind, type, saleId, collectorHash, state, call, sending, draft = false, facts } = opening
      const at = clock.now()
      const id = timeOrderedUuid(at, rng)
      const hash = Buffer.from(collectorHash)
      const tip = chain.tip()
      const operation: Operation = {
        id,
        kind,
        type,
        saleId,
        collector: hash.toString('hex'),
        state,
        createdAt: at,
        changedAt: at,
        sends: sending ? 1 : 0,
        firstSentAt: sending ? at : null,
        newestEntry: tip.seq + 1,
        afterOperationId: opening.afterOperationId ?? null,
        correctsId: opening.correctsId ?? null,
        ...NO_FACTS,
        ...facts,
      }
      tx.run(insertOperation, { ...operation, collectorHash: hash, digest: digestOf(operation) })
      const sha256 = draft ? storeDraft(tx, id, call) : storeCall(tx, id, call)
      chain.append(tx, tip, {
        operationId: id,
        at,
        fromState: null,
        toState: state,
        previous: null,
        detail: {
          type,
          purpose: call.purpose,
          key: call.idempotencyKey,
          sha256,
          ...begunIn(call),
          ...(draft ? { draft } : {}),
          ...(sending ? { sending: call.purpose } : {}),
        },
      })
      observer?.wrote?.(`${type} →${state}`)
      events.emit('operation.opened', tx, operation)
      return operation
    },

    events,

    /**
     * One transition of the state machine.
     * Throws ForbiddenTransitionError for a transition that does not exist: a final state absorbs.
     */
    move,

    /**
     * As `move`, in a commit that it may share with transitions of other operations that come in the same turn; on disk
     * when it resolves.
     */
    moveSoon: (id: string, to: OperationState, what?: Change): Promise<Operation> =>
      groupCommit.soon((tx) => move(tx, id, to, what)),
    /** Commits now what `moveSoon` holds. */
    settle: groupCommit.now,

    /** A transition that a person orders (MANUAL_TRANSITIONS). Throws ForbiddenTransitionError for any other. */
    order(tx: Tx, id: string, to: OperationState, staffId: string, what: Change = {}): Operation {
      const operation = require(id)
      if (!mayBeOrdered(operation.kind, operation.state, to))
        throw new ForbiddenTransitionError(`${operation.kind} ${operation.state} → ${to}, ordered by a person`)
      return change(tx, operation, to, what, { orderedBy: staffId })
    },

    get: (id: string): Operation | undefined => selectOne.get(id),
    ofSale: (saleId: string, kind: MilesKind): MilesOperation[] => selectOfSale.all(saleId, kind),
    /** The newest redemption of a sale, or the newest call that issues its miles. */
    newestOfSale: (saleId: string, kind: MilesKind): MilesOperation | undefined => newestOfSale[kind].get(saleId),
    /** The first of the open operations by age, for a list that a person reads. */
    oldestOpen: (limit: number): MilesOperation[] => selectOpenPage.all(limit),
    /** When the oldest of the open operations was recorded, in epoch ms; null without one. */
    oldestOpenAt: (): number | null => oldestOpenAt.get() ?? null,
    openRedemptions: (): MilesOperation[] => selectOpenRedemptions.all(),
    /** Changes of offer states that are not final, the oldest first. */
    openOfferStates: (): OfferStateOperation[] => selectOpenOfferStates.all(),
    /** Every change of offer states of a sale, the oldest first. */
    offerStatesOf: (saleId: string): OfferStateOperation[] => selectOfferStatesOfSale.all(saleId),
    /** The oldest open issuance of a collector: its queue's next piece of work. */
    nextIssuance: (collector: string): MilesOperation | undefined =>
      selectNextIssuance.get(Buffer.from(collector, 'hex')),
    /** Collectors with open issuances, the longest waiting first. */
    waitingCollectors: (): string[] => selectWaitingCollectors.all().map(({ collector }) => collector),
    /**
     * Reversals that nobody has answered so far, and what the machine gave up on and no person has resolved yet; newest
     * first.
     */
    attention: (limit: number): MilesOperation[] =>
      [...selectUnanswered.all(limit), ...selectAttention.all(limit)].slice(0, limit),
    /** Accepted at the program and not settled by a person: their miles are still to come. Newest first. */
    accepted: (limit: number): MilesOperation[] => selectAccepted.all(limit),
    acceptedCount: (): number => countAccepted.get() ?? 0,
    /** What the machine gave up on and a person may order once more; the longest waiting first. */
    givenUp: (limit: number): MilesOperation[] => selectGivenUp.all(limit),
    /**
     * Whether another redemption of this terminal has this confirmation number. Asked once in a blue moon: no index is
     * kept for it.
     */
    redemptionStands: (confirmationNumber: string, otherThan: string): boolean =>
      selectStanding.get(confirmationNumber, otherThan) !== undefined,
    /** The trace id of a call, which support asks for; null when there is no such call. */
    traceIdOf: (id: string, purpose: CallPurpose): string | null => traceIdOf.get(purpose, id) ?? null,
    counts() {
      const { waiting, sending, attention } = countByState.get() ?? { waiting: 0, sending: 0, attention: 0 }
      return { waiting, sending, attention: attention + notices.count() }
    },

    entriesOf: calls.entriesOf,
    call: calls.call,

    /** Codes of the issuance service that stand before the manager until somebody mends them. */
    notices,
  }
}
