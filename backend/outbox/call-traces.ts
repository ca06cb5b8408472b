import { TraceId } from '../../contracts/trace.ts'
import type { Database } from '../db/open.ts'
import { traceOfCall } from '../trace.ts'
import { entriesFrom, NEWEST_OF_OPERATION } from './chain.ts'

/** The trace that the newest entry of an operation names, where one does. */
export const NAMED_TRACE = `${entriesFrom(NEWEST_OF_OPERATION)}
  SELECT json_extract(detail, '$.trace') AS trace FROM entry_of CROSS JOIN journal_entry USING (seq)
  WHERE json_extract(detail, '$.trace') IS NOT NULL ORDER BY seq DESC LIMIT 1`

/** The trace of each call of the journal: a REDEEM's is its tracking number, any other's stands in its entry. */
export function createCallTraces(db: Database) {
  const named = db.prepare<[string], string>(NAMED_TRACE).pluck()
  return {
    of(operationId: string, { purpose, traceId }: { readonly purpose: string; readonly traceId: string }): TraceId {
      // The entry that a redemption may have of a trace is that of its reversal.
      const kept = purpose === 'redeem' ? null : TraceId.safeParse(named.get(operationId)).data
      return kept ?? traceOfCall(operationId, traceId)
    },
  }
}
