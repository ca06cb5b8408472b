import { QueueEntry } from '../../contracts/loyalty/queue.ts'
import type { ReceiptTraces, TraceStep, TracedCall } from '../../contracts/operations/call-traces.ts'
import { SaleId } from '../../contracts/core/ids.ts'
import { type TraceId, uuidOfTraceId } from '../../contracts/core/trace.ts'
import { isoOf } from '../core/clock.ts'
import type { Database } from '../core/db/database.ts'
import { createCallTraces } from '../core/outbox/stored-calls.ts'
import { NEWEST_OF_OPERATION, entriesFrom } from '../core/outbox/chain.ts'
import type { App } from '../core/http/app.ts'
import { reportsContract } from '../../contracts/day/day.routes.ts'
import { serve } from '../core/http/serve.ts'
import { perLane, type Ctx } from '../core/context.ts'

interface CallRow {
  readonly operation: string
  readonly purpose: string
  readonly path: string
  readonly traceId: string
}
interface StepRow {
  readonly at: number
  readonly state: string
  readonly sending: string | null
}

export const TRACE_SQL = {
  calls: `SELECT operation.id AS operation, call.purpose, call.path, call.trace_id AS traceId FROM operation
    JOIN operation_call AS call ON call.operation_id = operation.id
    WHERE operation.sale_id = +? AND operation.kind IN ('redemption', 'issuance')
    UNION ALL SELECT operation.id, operation.type, draft.path, draft.trace_id FROM operation
    JOIN operation_draft AS draft ON draft.operation_id = operation.id
    WHERE operation.sale_id = +? AND NOT EXISTS (SELECT 1 FROM operation_call WHERE operation_id = operation.id)
    ORDER BY 1`,
  steps: `${entriesFrom(NEWEST_OF_OPERATION)}
    SELECT at, to_state AS state, json_extract(detail, '$.sending') AS sending FROM entry_of
    CROSS JOIN journal_entry USING (seq) ORDER BY seq`,
  /** The calls of a return are stored under its sale; without a sale, under the return. */
  ofReturn: 'SELECT sale_id AS saleId FROM sale_return WHERE id = ?',
  endingIn: `SELECT id FROM sale WHERE substr(id, -4) = @end AND substr(id, -length(@text)) = @text
    UNION ALL SELECT id FROM sale_return WHERE substr(id, -4) = @end AND substr(id, -length(@text)) = @text LIMIT 20`,
  /** Scans the journal, which is acceptable because only a person starts this search. */
  ofTrace: `SELECT sale_id AS saleId FROM operation WHERE id IN (
    SELECT operation_id FROM operation_call WHERE trace_id = @uuid OR operation_id = @uuid
    UNION SELECT operation_id FROM journal_entry WHERE json_extract(detail, '$.trace') = @trace) LIMIT 1`,
} as const

export type TraceReader = ReturnType<typeof createTraceReader>

/** Finds the calls of a receipt with their traces and steps, and the receipt of a trace. Read-only. */
export function createTraceReader(db: Database) {
  const traces = createCallTraces(db)
  const calls = db.prepare<[string, string], CallRow>(TRACE_SQL.calls)
  const steps = db.prepare<[string], StepRow>(TRACE_SQL.steps)
  const ofReturn = db.prepare<[string], { saleId: string | null }>(TRACE_SQL.ofReturn)
  const endingIn = db.prepare<{ end: string; text: string }, { id: string }>(TRACE_SQL.endingIn)
  const ofTrace = db.prepare<{ uuid: string; trace: string }, { saleId: string }>(TRACE_SQL.ofTrace)

  /** A reversed redemption has two calls: the steps from the reversal on belong to the second. */
  function stepsOf({ operation, purpose }: CallRow): TraceStep[] {
    const rows = steps.all(operation)
    const reversal = rows.findIndex(({ state }) => state === 'reversing')
    const [first, second] = reversal < 0 ? [rows, []] : [rows.slice(0, reversal), rows.slice(reversal)]
    return (purpose === 'reverse' ? second : first).map(({ at, state, sending }) => ({
      at: isoOf(at),
      state: QueueEntry.shape.state.parse(state),
      sent: sending !== null,
    }))
  }

  const tracedCall = (row: CallRow): TracedCall => ({
    operation: row.operation,
    purpose: QueueEntry.shape.kind.parse(row.purpose),
    trace: traces.of(row.operation, row),
    trackingNumber: row.traceId,
    path: row.path,
    steps: stepsOf(row),
  })

  return {
    ofReceipt(id: string): ReceiptTraces {
      const receipt = ofReturn.get(id)?.saleId ?? id
      const found = calls.all(receipt, receipt).map(tracedCall)
      const startOf = ({ steps: [first] }: TracedCall): string => first?.at ?? ''
      return {
        receipt: SaleId.parse(receipt),
        calls: found.toSorted((one, other) => startOf(one).localeCompare(startOf(other))),
      }
    },
    receiptsEndingIn: (text: string): string[] => endingIn.all({ end: text.slice(-4), text }).map(({ id }) => id),
    receiptOf: (trace: TraceId): string | null => ofTrace.get({ uuid: uuidOfTraceId(trace), trace })?.saleId ?? null,
  }
}

export function tracesRoutes(ctx: Ctx, app: App): void {
  const reader = traceReaderOf(ctx)
  serve(app, reportsContract['GET /journal/:receipt/traces'], (request) => reader.ofReceipt(request.params.receipt))
}

const traceReaderOf = perLane(({ db }) => createTraceReader(db))
