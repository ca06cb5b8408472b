import { expect, test } from 'vitest'
import { runningFacts, type RunningComponents } from './lane-facts.ts'

const SECRET = '80012345678'
const AT = '2026-11-20T15:00:00.000Z'

const running: RunningComponents = {
  startedAt: Date.parse(AT) - 60_000,
  timeZone: 'America/Toronto',
  stopped: () => null,
  clock: () => ({ state: 'right', aheadSeconds: null }),
  health: () => [
    {
      role: 'printer',
      state: 'unavailable',
      detail: SECRET,
      trouble: { kind: 'in-use', holder: SECRET, code: SECRET },
    },
    { role: 'scanner', state: 'ready', detail: SECRET },
  ],
  details: () => [
    {
      role: 'printer',
      category: 'POSPrinter',
      connection: { kind: 'serial', path: `/home/${SECRET}`, baudRate: 9600 },
      language: SECRET,
      columns: 42,
      identity: {
        manufacturerName: SECRET,
        modelName: SECRET,
        firmwareRevision: SECRET,
        serialNumber: SECRET,
      },
      statistics: { paperCutCount: 3 },
      jobs: { confirmed: 1, sent: 0, unknown: 0, failed: 0 },
      lastRead: { kind: 'item', shown: SECRET, at: AT },
      bytes: [{ at: AT, text: SECRET }],
    },
  ],
  central: () => 'online',
  connection: () => ({ state: 'online', since: AT }),
  copies: () => ({ state: 'off' }),
  offers: () => ({ at: AT, lists: [] }),
  settings: () => [
    { name: 'receipt.header', profile: [], value: [SECRET], differs: true, change: null, planned: [], newest: 1 },
    { name: 'limits.pinDigits', profile: 4, value: SECRET, differs: true, change: null, planned: [], newest: 1 },
    { name: 'signIn.badges', profile: false, value: false, differs: false, change: null, planned: [], newest: 0 },
  ],
}

test('the facts of a running lane contain states and counts of devices and names of settings, and no free text', () => {
  const facts = runningFacts(running, Date.parse(AT))
  expect(facts.devices).toEqual([
    {
      role: 'printer',
      state: 'unavailable',
      position: null,
      trouble: 'in-use',
      code: 'other',
      connection: 'serial',
      statistics: { paperCutCount: 3 },
      jobs: { confirmed: 1, sent: 0, unknown: 0, failed: 0 },
    },
    {
      role: 'scanner',
      state: 'ready',
      position: null,
      trouble: null,
      code: null,
      connection: null,
      statistics: {},
      jobs: null,
    },
  ])
  expect(facts.settings).toEqual([
    { name: 'receipt.header', value: null },
    { name: 'limits.pinDigits', value: null },
  ])
  expect(JSON.stringify(facts)).not.toContain(SECRET)
})
