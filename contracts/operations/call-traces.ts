import { z } from 'zod'
import { SaleId } from '../core/ids.ts'
import { TraceId } from '../core/trace.ts'
import { QueueEntry } from '../loyalty/queue.ts'

/** One step of a call in the journal. `sent`: whether the request was sent at this step. */
export const TraceStep = z.object({
  at: z.string(),
  state: QueueEntry.shape.state,
  sent: z.boolean(),
})
export type TraceStep = z.infer<typeof TraceStep>

/** A call that moves miles, with the ids under which logs and the program know it, and its steps, oldest first. */
export const TracedCall = z.object({
  operation: z.string(),
  purpose: QueueEntry.shape.kind,
  trace: TraceId,
  trackingNumber: z.string().describe('its id at the program: traceId or checkoutTransactionId'),
  path: z.string(),
  steps: z.array(TraceStep),
})
export type TracedCall = z.infer<typeof TracedCall>

export const ReceiptTraces = z.object({ receipt: SaleId, calls: z.array(TracedCall) })
export type ReceiptTraces = z.infer<typeof ReceiptTraces>
