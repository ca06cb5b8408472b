import { z } from 'zod'
import { DeviceHealth, EchoResult, QueueSummary } from './api/diagnostics.ts'
import { Sale } from './api/sales.ts'
import { Staff } from './api/session.ts'
import { EntryMode, ReadId, SaleId } from './ids.ts'

/**
 * What the backend pushes over GET /api/events (server-sent events). Each event's SSE `id` is `<boot>-<sequence>`;
 * a client that reconnects sends Last-Event-ID and gets what it missed, or `resync` when that is no longer held.
 */
export const TerminalEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('resync') }),
  /** A card was read on a claimed channel. The number stays in the backend; the screen identifies the member with readId. */
  z.object({ type: z.literal('card-read'), readId: ReadId, entryMode: EntryMode, last4: z.string() }),
  z.object({ type: z.literal('card-refused'), reason: z.enum(['not-a-program-card', 'unreadable']) }),
  z.object({ type: z.literal('scan-unknown'), code: z.string() }),
  z.object({ type: z.literal('sale-changed'), sale: Sale, cause: z.enum(['scan', 'command', 'member', 'preview', 'redemption', 'tender', 'issuance', 'recovery']) }),
  z.object({ type: z.literal('sale-closed'), saleId: SaleId, state: z.enum(['completed', 'cancelled']) }),
  z.object({ type: z.literal('queue-changed'), summary: QueueSummary }),
  z.object({ type: z.literal('device-health'), device: DeviceHealth }),
  z.object({ type: z.literal('echo-result'), result: EchoResult }),
  /** `saleId`: the sale, or the return or store credit whose paper it is. */
  z.object({ type: z.literal('print-job'), saleId: SaleId, state: z.enum(['queued', 'sent', 'confirmed', 'unknown', 'failed']) }),
  /** Who is at the lane, for screens that only watch: also after a change of language; null when nobody is. */
  z.object({ type: z.literal('signed-in'), staff: Staff.nullable() }),
  z.object({ type: z.literal('signed-out') }),
  z.object({ type: z.literal('stopped'), reason: z.enum(['storage-failed']) }),
])
export type TerminalEvent = z.infer<typeof TerminalEvent>
