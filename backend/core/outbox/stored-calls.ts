import { createHash } from 'node:crypto'
import { TraceId } from '../../../contracts/core/trace.ts'
import type { Database } from '../db/database.ts'
import { AnswerEntries, type AnswerEntry, NEWEST_ENTRIES, MAY_BE_DONE } from './operation-lists.ts'
import { type Seal, placeOf } from '../integrity/seal.ts'
import type { OperationType } from './states.ts'
import type { Tx } from '../db/transact.ts'
import { traceOfCall } from '../trace.ts'
import { NEWEST_OF_OPERATION, entriesFrom } from './chain.ts'

export type CallPurpose = OperationType | 'reverse'

/**
 * A call before it is stored. `idempotencyKey` is null only for RECORD and offer states, whose specifications have no
 * idempotency key (specification 3 §4.3, 1 §4.4).
 */
export interface NewCall {
  readonly purpose: CallPurpose
  readonly path: string
  readonly idempotencyKey: string | null
  readonly traceId: string
  readonly dateTime: string
  readonly request: Uint8Array
}

/** A call as it was stored before its first byte left. `request` is its exact bytes, decrypted. */
export interface StoredCall extends NewCall {
  readonly request: Buffer<ArrayBuffer>
  /**
   * True for a call whose bytes need a value from the answer to the previous call: it has no idempotency key and was
   * not sent.
   */
  readonly draft: boolean
  readonly trace: TraceId
}

/**
 * Place of a call's sealed bytes, together with other columns of its row: the bytes cannot be opened under another
 * idempotency key or date.
 */
export const placeOfCall = (
  operationId: string,
  { purpose, path, idempotencyKey, traceId, dateTime }: Omit<NewCall, 'request'>,
): string => placeOf('operation_call', 'request_sealed', operationId, purpose, path, idempotencyKey, traceId, dateTime)
/** Place of a draft's sealed bytes; a draft has no idempotency key yet. */
export const placeOfDraft = (
  operationId: string,
  { path, traceId, dateTime }: Pick<NewCall, 'path' | 'traceId' | 'dateTime'>,
): string => placeOf('operation_draft', 'request_sealed', operationId, path, traceId, dateTime)

type SealedDraft = Pick<NewCall, 'path' | 'traceId' | 'dateTime'> & { readonly sealed: Buffer; readonly sha256: Buffer }

export function createStoredCalls(db: Database, seal: Pick<Seal, 'open'>) {
  const selectDraft = db.prepare<[string], SealedDraft>(
    `SELECT path, trace_id AS traceId, date_time AS dateTime, request_sealed AS sealed, request_sha256 AS sha256
      FROM operation_draft WHERE operation_id = ?`,
  )
  const selectCall = db.prepare<[string, string], SealedDraft & Pick<NewCall, 'purpose' | 'idempotencyKey'>>(
    `SELECT purpose, path, idempotency_key AS idempotencyKey, trace_id AS traceId, date_time AS dateTime,
      request_sealed AS sealed, request_sha256 AS sha256 FROM operation_call WHERE operation_id = ? AND purpose = ?`,
  )
  const traceIdOf = db
    .prepare<[string, string], string>('SELECT trace_id FROM operation_call WHERE purpose = ? AND operation_id = ?')
    .pluck()
  const selectEntries = db.prepare<[string], { issuances: string }>(NEWEST_ENTRIES)
  const selectMayBeDone = db.prepare<[string], 1>(MAY_BE_DONE).pluck()
  const traces = createCallTraces(db)

  function find(id: string, purpose: CallPurpose): StoredCall | null {
    const sent = selectCall.get(id, purpose)
    const drafted = sent ? undefined : selectDraft.get(id)
    const row = sent ?? (drafted && { ...drafted, purpose, idempotencyKey: null })
    if (!row) return null
    const { sealed, sha256, ...call } = row
    const request = seal.open(sealed, sent ? placeOfCall(id, call) : placeOfDraft(id, call))
    if (!createHash('sha256').update(request).digest().equals(sha256))
      throw new Error(`the stored bytes of ${id} were changed`)
    return { ...call, request, draft: sent === undefined, trace: traces.of(id, call) }
  }

  return {
    find,
    call(id: string, purpose: CallPurpose): StoredCall {
      const call = find(id, purpose)
      if (call === null) throw new Error(`operation ${id} has no ${purpose} call`)
      return call
    },
    traceIdOf: (id: string, purpose: CallPurpose): string | null => traceIdOf.get(purpose, id) ?? null,
    /** Whether an earlier send of the issuance may have succeeded without an answer that reached the lane. */
    mayBeDone: (id: string): boolean => selectMayBeDone.get(id) !== undefined,
    /** Returns the issuance entries of the newest answer that had any; null when none had. */
    entriesOf(id: string): AnswerEntry[] | null {
      const row = selectEntries.get(id)
      return row ? AnswerEntries.parse(JSON.parse(row.issuances)) : null
    },
  }
}

/** Stores the exact bytes of calls, sealed, before their first byte leaves. Returns their hash in hex. */
export function createCallStore(db: Database, seal: Pick<Seal, 'seal'>) {
  const insertCall = db.prepare(
    `INSERT INTO operation_call (operation_id, purpose, path, idempotency_key, trace_id, date_time, request_sealed,
      request_sha256) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertDraft = db.prepare(
    `INSERT INTO operation_draft (operation_id, path, trace_id, date_time, request_sealed, request_sha256)
      VALUES (?, ?, ?, ?, ?, ?)`,
  )

  return {
    store(tx: Tx, operationId: string, call: NewCall): string {
      const { purpose, path, idempotencyKey, traceId, dateTime, request } = call
      const sha256 = createHash('sha256').update(request).digest()
      const sealed = seal.seal(request, placeOfCall(operationId, call))
      tx.run(insertCall, operationId, purpose, path, idempotencyKey, traceId, dateTime, sealed, sha256)
      return sha256.toString('hex')
    },

    storeDraft(tx: Tx, operationId: string, draft: NewCall): string {
      const { path, traceId, dateTime, request } = draft
      const sha256 = createHash('sha256').update(request).digest()
      const sealed = seal.seal(request, placeOfDraft(operationId, draft))
      tx.run(insertDraft, operationId, path, traceId, dateTime, sealed, sha256)
      return sha256.toString('hex')
    },
  }
}

/** SQL for the trace in an operation's newest journal entry that names one. */
export const NAMED_TRACE = `${entriesFrom(NEWEST_OF_OPERATION)}
  SELECT json_extract(detail, '$.trace') AS trace FROM entry_of CROSS JOIN journal_entry USING (seq)
  WHERE json_extract(detail, '$.trace') IS NOT NULL ORDER BY seq DESC LIMIT 1`

/** Trace of each call: the tracking number of a REDEEM, or the trace in the journal entry of any other call. */
export function createCallTraces(db: Database) {
  const named = db.prepare<[string], string>(NAMED_TRACE).pluck()
  return {
    of(operationId: string, { purpose, traceId }: { readonly purpose: string; readonly traceId: string }): TraceId {
      // For a redemption, a trace in a journal entry belongs to its reversal.
      const known = purpose === 'redeem' ? null : TraceId.safeParse(named.get(operationId)).data
      return known ?? traceOfCall(operationId, traceId)
    },
  }
}
