import { createHash } from 'node:crypto'
import type { Database } from '../db/open.ts'
import type { Tx } from '../db/transact.ts'
import type { Seal } from './seal.ts'
import { placeOfCall, placeOfDraft, type NewCall } from './stored-calls.ts'

/** Writes calls before their first byte leaves: the exact bytes, sealed, with their hash. Each answers it, in hex. */
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

    /** The same of a draft, which has no key yet. */
    storeDraft(tx: Tx, operationId: string, draft: NewCall): string {
      const { path, traceId, dateTime, request } = draft
      const sha256 = createHash('sha256').update(request).digest()
      const sealed = seal.seal(request, placeOfDraft(operationId, draft))
      tx.run(insertDraft, operationId, path, traceId, dateTime, sealed, sha256)
      return sha256.toString('hex')
    },
  }
}
