import { EventEmitter } from 'node:events'
import { traceIdOfUuid, type TraceId } from '../../../contracts/core/trace.ts'
import { timeOrderedUuid, type Rng, type Clock } from '../clock.ts'
import type { Database } from '../db/database.ts'
import type { Transact, Tx } from '../db/transact.ts'
import { traceNow } from '../trace.ts'
import { type CallPurpose, type NewCall, createCallStore, createStoredCalls } from './stored-calls.ts'
import type { Chain } from './chain.ts'
import { createGroupCommit } from './group-commit.ts'
import { createNotices } from './notices.ts'
import { type Facts, NO_FACTS, type Operation, type StepObserver, createOperationRows } from './operation.ts'
import { createOperationLists } from './operation-lists.ts'
import type { Seal } from '../integrity/seal.ts'
import { mayBeOrdered, mayMove, type OperationKind, type OperationState, type OperationType } from './states.ts'

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

type Parts = ReturnType<typeof partsOf>

const partsOf = ({ db, seal, ...options }: JournalOptions) => ({
  ...options,
  rows: createOperationRows(db, seal),
  callStore: createCallStore(db, seal),
  events: new EventEmitter<JournalEvents>(),
})

function require({ rows }: Parts, id: string): Operation {
  const operation = rows.get(id)
  if (!operation) throw new Error(`no operation ${id} in the journal`)
  return operation
}

function change(
  { rows, callStore, chain, clock, events, observer }: Parts,
  tx: Tx,
  operation: Operation,
  to: OperationState,
  { facts = {}, sending, newCall, kept, also }: Change,
  by: object,
): Operation {
  const at = clock.now()
  const sha256 = newCall ? callStore.store(tx, operation.id, newCall) : undefined
  const tip = chain.tip()
  // A further call has not been sent yet, and becomes the newest one.
  const before = newCall ? { sends: 0, firstSentAt: null } : operation
  const changed: Operation = {
    ...operation,
    ...facts,
    state: to,
    changedAt: at,
    newestEntry: tip.seq + 1,
    sends: before.sends + (sending ? 1 : 0),
    firstSentAt: before.firstSentAt ?? (sending ? at : null),
  }
  rows.update(tx, operation, changed)
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

function move(parts: Parts, tx: Tx, id: string, to: OperationState, what: Change = {}): Operation {
  const operation = require(parts, id)
  if (!mayMove(operation.kind, operation.state, to))
    throw new ForbiddenTransitionError(`${operation.kind} ${operation.state} → ${to}`)
  return change(parts, tx, operation, to, what, {})
}

function open(
  { rows, callStore, chain, clock, rng, events, observer }: Parts,
  tx: Tx,
  opening: NewOperation,
): Operation {
  const { kind, type, saleId, collectorHash, state, call, sending, draft = false, facts } = opening
  const at = clock.now()
  const id = timeOrderedUuid(at, rng)
  const tip = chain.tip()
  const operation: Operation = {
    id,
    kind,
    type,
    saleId,
    collector: Buffer.from(collectorHash).toString('hex'),
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
  rows.insert(tx, operation)
  const sha256 = draft ? callStore.storeDraft(tx, id, call) : callStore.store(tx, id, call)
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
}

/** The durable record of calls to others, and the only writer of it. */
export type Journal = ReturnType<typeof createJournal>

export function createJournal(options: JournalOptions) {
  const { db, transact, seal, clock } = options
  const parts = partsOf(options)
  const lists = createOperationLists(db)
  const calls = createStoredCalls(db, seal)
  const groupCommit = createGroupCommit({ transact, clock })
  const notices = createNotices({ db, clock })

  return {
    /** Records an operation with the exact bytes of its first call, before any of them leaves. */
    open: (tx: Tx, opening: NewOperation): Operation => open(parts, tx, opening),

    events: parts.events,

    /**
     * One transition of the state machine.
     * Throws ForbiddenTransitionError for a transition that does not exist: a final state absorbs.
     */
    move: (tx: Tx, id: string, to: OperationState, what?: Change): Operation => move(parts, tx, id, to, what),

    /**
     * As `move`, in a commit that it may share with transitions of other operations that come in the same turn; on disk
     * when it resolves.
     */
    moveSoon: (id: string, to: OperationState, what?: Change): Promise<Operation> =>
      groupCommit.soon((tx) => move(parts, tx, id, to, what)),
    /** Commits now what `moveSoon` holds. */
    settle: groupCommit.now,

    /** A transition that a person orders (MANUAL_TRANSITIONS). Throws ForbiddenTransitionError for any other. */
    order(tx: Tx, id: string, to: OperationState, staffId: string, what: Change = {}): Operation {
      const operation = require(parts, id)
      if (!mayBeOrdered(operation.kind, operation.state, to))
        throw new ForbiddenTransitionError(`${operation.kind} ${operation.state} → ${to}, ordered by a person`)
      return change(parts, tx, operation, to, what, { orderedBy: staffId })
    },

    get: parts.rows.get,
    ...lists,
    counts() {
      const { waiting, sending, attention } = lists.counts()
      return { waiting, sending, attention: attention + notices.count() }
    },

    traceIdOf: calls.traceIdOf,
    entriesOf: calls.entriesOf,
    mayBeDone: calls.mayBeDone,
    call: calls.call,

    /** Codes of the issuance service that stand before the manager until somebody mends them. */
    notices,
  }
}
