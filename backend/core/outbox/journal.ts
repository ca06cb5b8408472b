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
import { isManualMove, mayMove, type OperationKind, type OperationState, type OperationType } from './states.ts'

export interface NewOperation {
  readonly kind: OperationKind
  readonly type: OperationType
  readonly saleId: string
  readonly collectorHash: Uint8Array
  readonly state: 'intent' | 'queued'
  readonly call: NewCall
  /** Whether the call is sent right after this commit, so that after a crash it counts as possibly sent. */
  readonly sending: boolean
  /** Whether the call is a draft: the transition that sends it stores its final bytes and idempotency key. */
  readonly draft?: boolean
  readonly facts: Facts
  readonly afterOperationId?: string
  readonly correctsId?: string
}

export interface Change {
  readonly facts?: Facts
  /**
   * The call that is sent after this commit, which counts the send; the commit must return before the first byte
   * leaves.
   */
  readonly sending?: CallPurpose
  readonly newCall?: NewCall
  /** Details for the journal entry alone, which have no column. They never contain a collector number. */
  readonly entryDetails?: object
  readonly also?: (tx: Tx, changed: Operation) => void
}

export class ForbiddenTransitionError extends Error {
  override name = 'ForbiddenTransitionError'
}

/** Trace to store with a call; none when the call's tracking number already is its trace. */
function traceOfCall({ traceId }: NewCall): { readonly trace?: TraceId } {
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
  // Emitted in the transaction, so that writes of subscribers commit with the operation.
  'operation.opened': [tx: Tx, operation: Operation]
  'operation.moved': [tx: Tx, operation: Operation]
}

type JournalComponents = ReturnType<typeof componentsOf>

const componentsOf = ({ db, seal, ...options }: JournalOptions) => ({
  ...options,
  rows: createOperationRows(db, seal),
  callStore: createCallStore(db, seal),
  events: new EventEmitter<JournalEvents>(),
})

function require({ rows }: JournalComponents, id: string): Operation {
  const operation = rows.get(id)
  if (!operation) throw new Error(`no operation ${id} in the journal`)
  return operation
}

function applyChange(
  { rows, callStore, chain, clock, events, observer }: JournalComponents,
  tx: Tx,
  operation: Operation,
  to: OperationState,
  { facts = {}, sending, newCall, entryDetails, also }: Change,
  by: object,
): Operation {
  const at = clock.now()
  const sha256 = newCall ? callStore.store(tx, operation.id, newCall) : undefined
  const tip = chain.tip()
  // A new call of the operation becomes its newest one and has no sends yet.
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
      ...(newCall ? { key: newCall.idempotencyKey, sha256, ...traceOfCall(newCall) } : {}),
      ...(entryDetails ? { kept: entryDetails } : {}),
      ...by,
    },
  })
  observer?.wrote?.(`${operation.type} ${operation.state}→${to}`)
  also?.(tx, changed)
  events.emit('operation.moved', tx, changed)
  return changed
}

function move(components: JournalComponents, tx: Tx, id: string, to: OperationState, change: Change = {}): Operation {
  const operation = require(components, id)
  if (!mayMove(operation.kind, operation.state, to))
    throw new ForbiddenTransitionError(`${operation.kind} ${operation.state} → ${to}`)
  return applyChange(components, tx, operation, to, change, {})
}

function open(
  { rows, callStore, chain, clock, rng, events, observer }: JournalComponents,
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
      ...traceOfCall(call),
      ...(draft ? { draft } : {}),
      ...(sending ? { sending: call.purpose } : {}),
    },
  })
  observer?.wrote?.(`${type} →${state}`)
  events.emit('operation.opened', tx, operation)
  return operation
}

export type Journal = ReturnType<typeof createJournal>

export function createJournal(options: JournalOptions) {
  const { db, transact, seal, clock } = options
  const components = componentsOf(options)
  const lists = createOperationLists(db)
  const calls = createStoredCalls(db, seal)
  const groupCommit = createGroupCommit({ transact, clock })
  const notices = createNotices({ db, clock })

  return {
    open: (tx: Tx, opening: NewOperation): Operation => open(components, tx, opening),

    events: components.events,

    /**
     * Applies one transition to an operation. Throws ForbiddenTransitionError for an invalid one; final states allow no
     * transition.
     */
    move: (tx: Tx, id: string, to: OperationState, change?: Change): Operation => move(components, tx, id, to, change),

    /**
     * Like `move`, in a commit that is shared with other transitions of the same tick. Resolves when the transition is
     * on disk.
     */
    moveSoon: (id: string, to: OperationState, change?: Change): Promise<Operation> =>
      groupCommit.soon((tx) => move(components, tx, id, to, change)),
    flush: groupCommit.now,

    /**
     * Applies a transition that a person requested (MANUAL_TRANSITIONS). Throws ForbiddenTransitionError for any other.
     */
    moveManually(tx: Tx, id: string, to: OperationState, staffId: string, change: Change = {}): Operation {
      const operation = require(components, id)
      if (!isManualMove(operation.kind, operation.state, to))
        throw new ForbiddenTransitionError(`${operation.kind} ${operation.state} → ${to}, requested by a person`)
      return applyChange(components, tx, operation, to, change, { orderedBy: staffId })
    },

    get: components.rows.get,
    ...lists,
    counts() {
      const { waiting, sending, attention } = lists.counts()
      return { waiting, sending, attention: attention + notices.count() }
    },

    traceIdOf: calls.traceIdOf,
    entriesOf: calls.entriesOf,
    mayBeDone: calls.mayBeDone,
    call: calls.call,

    notices,
  }
}
