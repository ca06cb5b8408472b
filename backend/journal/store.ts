import { createHash, randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Transact } from '../db/transact.ts'
import type { Seal } from './seal.ts'
import { mayMove, type OperationKind, type OperationState } from './states.ts'

export type CallPurpose = 'redeem' | 'reverse' | 'issue'

/** A call as it was stored before its first byte left. `request` is the exact bytes, opened from their seal. */
export interface StoredCall {
  readonly purpose: CallPurpose
  readonly path: string
  readonly idempotencyKey: string
  readonly traceId: string
  readonly dateTime: string
  readonly request: Buffer<ArrayBuffer>
  readonly sends: number
  readonly firstSentAt: number | null
}

export interface NewCall {
  readonly purpose: CallPurpose
  readonly path: string
  readonly idempotencyKey: string
  readonly traceId: string
  readonly dateTime: string
  readonly request: Uint8Array
}

export interface Operation {
  readonly id: string
  readonly kind: OperationKind
  readonly saleId: string
  /** Hex of the keyed hash of the collector number: the name of the lane that its calls take. */
  readonly collector: string
  readonly state: OperationState
  readonly createdAt: number
  readonly changedAt: number
  readonly nextAttemptAt: number | null
  /** How often its newest call was sent. */
  readonly sends: number
  /** Answers of 500 so far; only they use up an issuance's attempts. */
  readonly failures: number
  readonly approvedOnAttempt: number | null
  readonly units: number | null
  readonly amountCents: number | null
  readonly miles: number | null
  readonly confirmationNumber: string | null
  readonly transDateTime: string | null
  readonly transactionId: string | null
  readonly responseCode: string | null
  readonly outcome: string | null
  readonly detail: string | null
}

export type Facts = Partial<Pick<Operation, 'nextAttemptAt' | 'failures' | 'approvedOnAttempt' | 'units' | 'amountCents' | 'miles' | 'confirmationNumber' | 'transDateTime' | 'transactionId' | 'responseCode' | 'outcome' | 'detail'>>

const COLUMNS = {
  nextAttemptAt: 'next_attempt_at', failures: 'failures', approvedOnAttempt: 'approved_on_attempt', units: 'units', amountCents: 'amount_cents', miles: 'miles',
  confirmationNumber: 'confirmation_number', transDateTime: 'trans_date_time', transactionId: 'transaction_id', responseCode: 'response_code', outcome: 'outcome', detail: 'detail',
} as const satisfies Record<keyof Facts, string>

const SELECT = `SELECT id, kind, sale_id AS saleId, lower(hex(collector_hash)) AS collector, state, created_at AS createdAt, changed_at AS changedAt,
  next_attempt_at AS nextAttemptAt, failures, approved_on_attempt AS approvedOnAttempt, units, amount_cents AS amountCents, miles,
  confirmation_number AS confirmationNumber, trans_date_time AS transDateTime, transaction_id AS transactionId,
  response_code AS responseCode, outcome, detail,
  (SELECT sends FROM operation_call WHERE operation_id = operation.id ORDER BY purpose DESC LIMIT 1) AS sends FROM operation`

const OPEN_STATES = `state IN ('intent', 'retry', 'reversing', 'queued', 'sent')`
/** Outcome of an issuance that ended as the collector had been told before it was sent: final, and no work for a manager. */
export const FORETOLD = 'foretold'
const ATTENTION_STATES = `state IN ('escalated', 'dead', 'rejected', 'reversal-expired', 'reversal-escalated') AND outcome IS NOT '${FORETOLD}'`
const GENESIS = Buffer.alloc(32)

export class ForbiddenTransitionError extends Error {
  override name = 'ForbiddenTransitionError'
}

export interface NewOperation {
  readonly kind: OperationKind
  readonly saleId: string
  readonly collectorHash: Uint8Array
  readonly state: 'intent' | 'queued'
  readonly call: NewCall
  /** True when the call's first send follows this commit at once: after a crash it counts as possibly sent. */
  readonly sending: boolean
  readonly facts: Facts
}

/** The durable record. Callers wrap several of its calls in one `transaction` where they must stand or fall together. */
export type Journal = ReturnType<typeof createJournal>

export function createJournal(db: Database, transact: Transact, seal: Seal, clock: Clock) {
  const insertOperation = db.prepare('INSERT INTO operation (id, kind, sale_id, collector_hash, state, created_at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?)')
  const insertCall = db.prepare('INSERT INTO operation_call (operation_id, purpose, path, idempotency_key, trace_id, date_time, request_sealed, request_sha256) VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const countSend = db.prepare('UPDATE operation_call SET sends = sends + 1, first_sent_at = coalesce(first_sent_at, ?) WHERE operation_id = ? AND purpose = ?')
  const selectCall = db.prepare<[string, string], { purpose: CallPurpose; path: string; idempotencyKey: string; traceId: string; dateTime: string; sealed: Buffer; sha256: Buffer; sends: number; firstSentAt: number | null }>(
    'SELECT purpose, path, idempotency_key AS idempotencyKey, trace_id AS traceId, date_time AS dateTime, request_sealed AS sealed, request_sha256 AS sha256, sends, first_sent_at AS firstSentAt FROM operation_call WHERE operation_id = ? AND purpose = ?')
  const selectOne = db.prepare<[string], Operation>(`${SELECT} WHERE id = ?`)
  const selectOfSale = db.prepare<[string, string], Operation>(`${SELECT} WHERE sale_id = ? AND kind = ? ORDER BY rowid DESC`)
  // In the order of birth, which is not the order of the wall clock: it may be set back. `+` keeps the partial index in use.
  const selectOpen = db.prepare<[], Operation>(`${SELECT} WHERE ${OPEN_STATES} ORDER BY +rowid`)
  const selectAttention = db.prepare<[number], Operation>(`${SELECT} WHERE ${ATTENTION_STATES} ORDER BY changed_at DESC LIMIT ?`)
  const countByState = db.prepare<[], { waiting: number; sending: number; attention: number }>(`SELECT
    (SELECT count(*) FROM operation WHERE ${OPEN_STATES} AND state = 'queued') AS waiting,
    (SELECT count(*) FROM operation WHERE ${OPEN_STATES} AND state <> 'queued') AS sending,
    (SELECT count(*) FROM operation WHERE ${ATTENTION_STATES}) AS attention`)
  const move = db.prepare('UPDATE operation SET state = ?, changed_at = ? WHERE id = ?')
  const setFact = new Map(Object.entries(COLUMNS).map(([fact, column]) => [fact, db.prepare(`UPDATE operation SET ${column} = ? WHERE id = ?`)]))
  const lastEntry = db.prepare<[], { seq: number; hash: Buffer }>('SELECT seq, hash FROM journal_entry ORDER BY seq DESC LIMIT 1')
  const insertEntry = db.prepare('INSERT INTO journal_entry (seq, operation_id, at, from_state, to_state, detail, previous_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const allEntries = db.prepare<[], Entry>('SELECT seq, operation_id AS operationId, at, from_state AS fromState, to_state AS toState, detail, previous_hash AS previousHash, hash FROM journal_entry ORDER BY seq')

  function append(operationId: string, at: number, fromState: string | null, toState: string, detail: object): void {
    const last = lastEntry.get()
    const entry = { seq: (last?.seq ?? 0) + 1, operationId, at, fromState, toState, detail: JSON.stringify(detail), previousHash: last?.hash ?? GENESIS }
    insertEntry.run(entry.seq, operationId, at, fromState, toState, entry.detail, entry.previousHash, hashOf(entry))
  }

  function writeFacts(id: string, facts: Facts): void {
    for (const [fact, value] of Object.entries(facts)) if (value !== undefined) setFact.get(fact)?.run(value, id)
  }

  function storeCall(operationId: string, call: NewCall): string {
    const sha256 = createHash('sha256').update(call.request).digest()
    insertCall.run(operationId, call.purpose, call.path, call.idempotencyKey, call.traceId, call.dateTime, seal.seal(call.request), sha256)
    return sha256.toString('hex')
  }

  function require(id: string): Operation {
    const operation = selectOne.get(id)
    if (!operation) throw new Error(`no operation ${id} in the journal`)
    return operation
  }

  return {
    /** Records an intention with the exact bytes of its first call, before any of them leaves. */
    open({ kind, saleId, collectorHash, state, call, sending, facts }: NewOperation): Operation {
      const id = randomUUID()
      const at = clock.now()
      return transact(() => {
        insertOperation.run(id, kind, saleId, collectorHash, state, at, at)
        writeFacts(id, facts)
        const sha256 = storeCall(id, call)
        if (sending) countSend.run(at, id, call.purpose)
        append(id, at, null, state, { purpose: call.purpose, key: call.idempotencyKey, sha256 })
        return require(id)
      })
    },

    /**
     * One arrow of the state machine in one transaction. With `sending` the call's send is counted in the same commit,
     * which must return before the first byte leaves; with `newCall` the bytes of a further call are stored beside it.
     * Throws ForbiddenTransitionError for an arrow that does not exist: a final state absorbs.
     */
    move(id: string, to: OperationState, change: { facts?: Facts; sending?: CallPurpose; newCall?: NewCall } = {}): Operation {
      const at = clock.now()
      return transact(() => {
        const operation = require(id)
        if (!mayMove(operation.kind, operation.state, to)) throw new ForbiddenTransitionError(`${operation.kind} ${operation.state} → ${to}`)
        const sha256 = change.newCall ? storeCall(id, change.newCall) : undefined
        if (change.sending) countSend.run(at, id, change.sending)
        move.run(to, at, id)
        if (change.facts) writeFacts(id, change.facts)
        append(id, at, operation.state, to, { ...change.facts, ...(change.sending ? { sending: change.sending } : {}), ...(change.newCall ? { key: change.newCall.idempotencyKey, sha256 } : {}) })
        return require(id)
      })
    },

    get: (id: string): Operation | undefined => selectOne.get(id),
    ofSale: (saleId: string, kind: OperationKind): Operation[] => selectOfSale.all(saleId, kind),
    openOperations: (): Operation[] => selectOpen.all(),
    attention: (limit: number): Operation[] => selectAttention.all(limit),
    counts: () => countByState.get() ?? { waiting: 0, sending: 0, attention: 0 },

    /** Opens the stored bytes and proves that they are the ones that were recorded. */
    call(id: string, purpose: CallPurpose): StoredCall {
      const row = selectCall.get(id, purpose)
      if (!row) throw new Error(`operation ${id} has no ${purpose} call`)
      const request = seal.open(row.sealed)
      if (!createHash('sha256').update(request).digest().equals(row.sha256)) throw new Error(`the stored bytes of ${id} were changed`)
      return { purpose: row.purpose, path: row.path, idempotencyKey: row.idempotencyKey, traceId: row.traceId, dateTime: row.dateTime, request, sends: row.sends, firstSentAt: row.firstSentAt }
    },

    /** Walks the hash chain; answers the number of the first entry that does not fit, or null when all do. */
    firstBrokenEntry(): number | null {
      let previous: Buffer = GENESIS
      let expected = 1
      for (const entry of allEntries.iterate()) {
        if (entry.seq !== expected || !entry.previousHash.equals(previous) || !entry.hash.equals(hashOf(entry))) return expected
        previous = entry.hash
        expected += 1
      }
      return null
    },
  }
}

interface Entry {
  readonly seq: number
  readonly operationId: string
  readonly at: number
  readonly fromState: string | null
  readonly toState: string
  readonly detail: string
  readonly previousHash: Buffer
  readonly hash: Buffer
}

function hashOf(entry: Omit<Entry, 'hash'>): Buffer {
  const text = JSON.stringify([entry.seq, entry.operationId, entry.at, entry.fromState, entry.toState, entry.detail])
  return createHash('sha256').update(entry.previousHash).update(text).digest()
}
