import { Queue, QueueSummary, type QueueEntry } from '../../../contracts/api/diagnostics.ts'
import { miles } from '../../../contracts/miles.ts'
import { cents } from '../../../contracts/money.ts'
import { isoOf } from '../../clock.ts'
import type { Routes } from '../../http/app.ts'
import type { Journal, Operation } from '../../journal/store.ts'

const SHOWN = 200

/** What moves miles and is not final yet, and what a manager must see. */
export const queueRoutes = (options: { journal: Journal; summary: () => QueueSummary }): Routes => (app) => {
  app.get('/api/queue/summary', { schema: { summary: 'How the queue stands, for the status bar', response: { 200: QueueSummary } } }, () => options.summary())
  app.get('/api/queue', { config: { access: 'manager' }, schema: { summary: 'The retry queue and the escalations', response: { 200: Queue } } }, () => ({
    summary: options.summary(),
    entries: [...options.journal.attention(SHOWN), ...options.journal.oldestOpen(SHOWN)].map(entryOf),
  }))
}

function entryOf(operation: Operation): QueueEntry {
  const kind = operation.kind === 'issuance' ? 'issue' : operation.state.startsWith('revers') ? 'reverse' : 'redeem'
  return {
    id: operation.id,
    kind,
    saleId: operation.saleId,
    state: operation.state,
    attempts: operation.sends,
    createdAt: isoOf(operation.createdAt),
    amountCents: operation.amountCents === null ? null : cents(operation.amountCents),
    miles: operation.miles === null ? null : miles(operation.miles),
    responseCode: operation.responseCode,
    detail: operation.detail,
  }
}
