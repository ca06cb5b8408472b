import type { NewOperation } from '../outbox/journal.ts'
import type { OperationKind } from '../outbox/states.ts'
import { testClock } from '../http/testing.ts'
import { keepBooks, openSale, type Books } from './till.ts'

export const COLLECTOR = '81234567890'
const BYTES = Buffer.from(JSON.stringify({ collectorNumber: COLLECTOR, note: 'é œ \u0000' }))
let keys = 0
/** Never the same twice. */
const newKey = (): string => `key-${(keys += 1)}`

/** An operation of the sale S1 as a feature would open it. */
export const intention = (books: Books, kind: OperationKind, change: Partial<NewOperation> = {}): NewOperation => ({
  kind,
  intention: kind === 'redemption' ? 'redeem' : 'issue',
  saleId: 'SALE00000001',
  collectorHash: books.seal.keyedHash(COLLECTOR),
  state: kind === 'redemption' ? 'intent' : 'queued',
  sending: kind === 'redemption',
  facts: {},
  call: {
    purpose: kind === 'redemption' ? 'redeem' : 'issue',
    path: '/p',
    idempotencyKey: newKey(),
    traceId: 'trace',
    dateTime: '2026-11-20T10:00:00.000-05:00',
    request: BYTES,
  },
  ...change,
})

/** The durable half of a terminal with an open sale S1; in a folder that is given, with what was there. */
export async function openedBooks(options: Partial<Parameters<typeof keepBooks>[0]> = {}): Promise<Books> {
  const kept = await keepBooks({ clock: testClock(), ...options })
  if (!options.folder) openSale(kept.db, 'SALE00000001')
  return kept
}
