import { expect, test } from 'vitest'
import { todosOf, type LaneFacts } from './todos.ts'

const NOW = Date.parse('2026-11-24T12:00:00Z')
const DAY_MS = 86_400_000
const host = (validTo: string | null) => ({
  host: 'miles.example:443',
  services: [],
  cause: null,
  code: null,
  validTo,
  plain: false,
  proxied: false,
})
const checkOf = (validTo: string | null): LaneFacts['check'] => ({
  id: '6f1c0f7e-3c0a-4f8e-9a54-4a1d1f1f0a01',
  startedAt: '2026-11-24T11:00:00Z',
  endedAt: '2026-11-24T11:00:02Z',
  steps: [
    {
      step: 'tls',
      state: 'ok',
      ms: 12,
      cause: null,
      code: null,
      skippedFor: null,
      trace: null,
      hosts: [host(validTo)],
    },
  ],
})
const HEALTHY: LaneFacts = {
  now: NOW,
  queue: { waiting: 0, sending: 0, attention: 0, central: 'online' },
  devices: [{ role: 'printer', state: 'ready', detail: null }],
  maintenance: {
    clock: { state: 'right', aheadSeconds: null },
    backup: { outcome: 'kept', at: new Date(NOW - DAY_MS).toJSON(), file: 'daily.db', bytes: 1, detail: null },
    room: { freeMb: 50_000, neededMb: 65, state: 'enough' },
  },
  notOnPaper: 0,
  emails: 0,
  held: 0,
  waiting: { closed: 0, counted: 0, open: 1 },
  check: checkOf('2027-06-01T00:00:00Z'),
}
const kinds = (over: Partial<LaneFacts>): string[] => todosOf({ ...HEALTHY, ...over }).map(({ kind }) => kind)

test('the overview lists no task for the manager of a healthy lane', () => {
  expect(kinds({})).toEqual([])
})

test.each([
  ['undecided', { queue: { waiting: 0, sending: 0, attention: 2, central: 'online' } }],
  ['unsent', { queue: { waiting: 3, sending: 0, attention: 0, central: 'online' } }],
  ['central', { queue: { waiting: 0, sending: 0, attention: 0, central: 'outage' } }],
  ['device', { devices: [{ role: 'scanner', state: 'unavailable', detail: null }] }],
  ['clock', { maintenance: { ...HEALTHY.maintenance, clock: { state: 'off-central', aheadSeconds: 90 } } }],
  ['room', { maintenance: { ...HEALTHY.maintenance, room: { freeMb: 3, neededMb: 65, state: 'short' } } }],
  ['backup', { maintenance: { ...HEALTHY.maintenance, backup: null } }],
  [
    'bundle',
    { maintenance: { ...HEALTHY.maintenance, bundle: { kind: 'refused', number: 7, at: '2026-11-24T11:00:00Z' } } },
  ],
  ['receipts', { notOnPaper: 1 }],
  ['held', { held: 1 }],
  ['drawers', { waiting: { closed: 1, counted: 0, open: 0 } }],
  ['unchecked', { check: null }],
  ['certificate', { check: checkOf('2026-12-20T00:00:00Z') }],
] as [string, Partial<LaneFacts>][])(
  'the overview lists only the task %s for the manager when it alone is due',
  (kind, over) => {
    expect(kinds(over)).toEqual([kind])
  },
)

test('the overview lists a backup task if the last backup failed or is older than a day and a half', () => {
  const backup = HEALTHY.maintenance?.backup
  if (!HEALTHY.maintenance || !backup) throw new Error('the lane has a backup')
  const of = (over: object) =>
    kinds({ maintenance: { ...HEALTHY.maintenance, backup: { ...backup, ...over } } as never })
  expect(of({ at: new Date(NOW - 1.4 * DAY_MS).toJSON() })).toEqual([])
  expect(of({ at: new Date(NOW - 1.6 * DAY_MS).toJSON() })).toEqual(['backup'])
  expect(of({ outcome: 'failed' })).toEqual(['backup'])
})

test('the overview lists the task of an expired certificate before the task of unprinted receipts', () => {
  expect(kinds({ notOnPaper: 1, check: checkOf('2026-11-20T00:00:00Z') })).toEqual(['certificate', 'receipts'])
})
