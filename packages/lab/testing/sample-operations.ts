import type { NewOperation } from '../../../backend/core/outbox/journal.ts'
import type { OperationKind } from '../../../backend/core/outbox/states.ts'
import { testClock } from '../../../backend/core/http/testing.ts'
import { openJournalHarness, openSale, type JournalHarness } from './loyalty-harness.ts'

export const COLLECTOR = '81234567890'
const BYTES = Buffer.from(JSON.stringify({ collectorNumber: COLLECTOR, note: 'é œ \u0000' }))
let keys = 0
const newKey = (): string => `key-${(keys += 1)}`

export const sampleOperation = (
  journalHarness: JournalHarness,
  kind: OperationKind,
  change: Partial<NewOperation> = {},
): NewOperation => ({
  kind,
  type: kind === 'redemption' ? 'redeem' : 'issue',
  saleId: 'SALE00000001',
  collectorHash: journalHarness.seal.keyedHash(COLLECTOR),
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

export async function openJournalWithSale(
  options: Partial<Parameters<typeof openJournalHarness>[0]> = {},
): Promise<JournalHarness> {
  const harness = await openJournalHarness({ clock: testClock(), ...options })
  if (!options.folder) openSale(harness.db, 'SALE00000001')
  return harness
}
