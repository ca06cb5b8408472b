import { z } from 'zod'
import { SaleId } from '../core/ids.ts'
import { TraceId } from '../core/trace.ts'
import { QueueEntry } from '../loyalty/queue.ts'

/** One step of a call as the journal has it. `sent`: the bytes left for the program with it. */
export const TraceStep = z.object({
  at: z.string(),
  state: QueueEntry.shape.state,
  sent: z.boolean(),
})
export type TraceStep = z.infer<typeof TraceStep>

/** A call that moves miles: how it is found again in logs and at the program, and what became of it, oldest first. */
export const TracedCall = z.object({
  operation: z.string(),
  purpose: QueueEntry.shape.kind,
  trace: TraceId,
  trackingNumber: z.string().describe('what the program was given for it: traceId or checkoutTransactionId'),
  path: z.string(),
  steps: z.array(TraceStep),
})
export type TracedCall = z.infer<typeof TracedCall>

/** GET /api/journal/:receipt/traces: the calls of a sale, those of its returns too, oldest first. */
export const ReceiptTraces = z.object({ receipt: SaleId, calls: z.array(TracedCall) })
export type ReceiptTraces = z.infer<typeof ReceiptTraces>
