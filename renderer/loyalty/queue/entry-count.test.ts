import { expect, test } from 'vitest'
import type { Queue } from '../../../contracts/loyalty/queue.ts'
import { ENTRIES, NOTICES, UNANSWERED_DETAIL } from './queue.fixture.ts'
import { entryCount } from './queue-page.tsx'

const secretRefused = { since: '2026-11-21T14:03:12.000Z', says: {}, todo: {} }

test('the number of entries in the exceptions queue counts each entry once, and no notice', () => {
  const entries = [...ENTRIES, UNANSWERED_DETAIL]
  // Open work: a dead, an escalated and an unanswered entry, a notice and the rejected secret. One entry is queued; the
  // unanswered one is also in flight.
  const summary = { attention: 5, waiting: 1, sending: 1, central: 'secret-refused' }
  expect(entryCount({ summary, accepted: 0, entries, notices: NOTICES, secretRefused } as unknown as Queue)).toBe(
    entries.length,
  )
})
