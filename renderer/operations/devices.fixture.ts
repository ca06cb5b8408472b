import { managed, type ScreenFixtures } from '../testing/screen-fixture.ts'

const AT = '2026-11-21T14:03:12.000Z'
const DETAILS = {
  devices: [
    {
      role: 'card-reader',
      category: 'MSR',
      connection: { kind: 'serial', path: '/dev/serial/by-id/reader', baudRate: 9600 },
      statistics: {
        connections: 1,
        disconnections: 0,
        bytes: 420,
        frames: 11,
        noiseBytes: 0,
        reads: 10,
        refused: 1,
        unreadable: 0,
        stale: 0,
      },
      lastRead: { kind: 'program-card', shown: '0011', at: AT },
      bytes: [{ at: AT, text: ';###########=####?<CR>' }],
    },
    {
      role: 'printer',
      category: 'POSPrinter',
      connection: { kind: 'tcp', host: '10.0.0.7', port: 9100 },
      language: 'esc-pos',
      columns: 42,
      jobs: { confirmed: 12, sent: 0, unknown: 1, failed: 2 },
      identity: {
        manufacturerName: 'MILEPOST',
        modelName: 'VIRTUAL-80',
        firmwareRevision: '1.2',
        serialNumber: 'V0000042',
      },
      statistics: {
        communicationErrorCount: 1,
        receiptLinePrintedCount: 412,
        receiptCharacterPrintedCount: 8_450,
        barcodePrintedCount: 12,
        paperCutCount: 12,
        failedPaperCutCount: 0,
        printerFaultCount: 0,
        maximumTempReachedCount: 0,
        receiptCoverOpenCount: 2,
      },
    },
    {
      role: 'drawer',
      category: 'CashDrawer',
      connection: { kind: 'printer' },
      statistics: { drawerGoodOpenCount: 7, drawerFailedOpenCount: 1 },
    },
    {
      role: 'line-display',
      category: 'LineDisplay',
      connection: { kind: 'serial', path: '/dev/ttyS1', baudRate: 9600 },
      language: 'cd5220',
      columns: 20,
      statistics: { onlineTransitionCount: 2, communicationErrorCount: 1 },
    },
    {
      role: 'scale',
      category: 'Scale',
      connection: { kind: 'serial', path: '/dev/ttyS2', baudRate: 9600 },
      language: 'toledo-8217',
      statistics: { connections: 1, disconnections: 0, bytes: 9_120, frames: 1_140, noiseBytes: 0, reads: 1_140 },
      scale: {
        number: 12,
        unit: 'kg',
        state: 'stable',
        grossThousandths: 1_235,
        decimals: 3,
        isNet: false,
        minimumThousandths: 20,
      },
      bytes: [{ at: AT, text: '<STX>##.###<CR>' }],
    },
  ],
}

export const DEVICES_FACTS = {
  'GET /api/devices': () => ({
    devices: [
      { role: 'card-reader', state: 'ready' },
      { role: 'scanner', state: 'ready' },
      {
        role: 'printer',
        state: 'needs-attention',
        detail: 'paper out',
        trouble: { kind: 'paper-out' },
      },
    ],
  }),
  'GET /api/devices/details': () => DETAILS,
  'POST /api/devices/check': () => ({ devices: [{ role: 'printer', state: 'ready' }] }),
  'POST /api/devices/test-page': () => ({ state: 'failed', detail: 'paper out' }),
  'POST /api/devices/test-read': () => ({ read: { kind: 'program-card', shown: '0011', at: AT } }),
}

const EVERY_DEVICE = [
  {
    role: 'card-reader',
    state: 'unavailable',
    detail: '/dev/ttyS0 did not open: in use by a-till (pid 4711)',
    trouble: { kind: 'in-use', holder: 'a-till (pid 4711)' },
  },
  { role: 'scanner', state: 'not-configured' },
  { role: 'printer', state: 'needs-attention', detail: 'cutter error', trouble: { kind: 'cutter-error' } },
  { role: 'drawer', state: 'ready', position: 'closed' },
  {
    role: 'line-display',
    state: 'unavailable',
    detail: 'ECONNREFUSED',
    trouble: { kind: 'refused', code: 'ECONNREFUSED' },
  },
  {
    role: 'scale',
    state: 'needs-attention',
    detail: 'the scale weighs in lb',
    trouble: { kind: 'scale-unit' },
  },
]

export const DEVICES: ScreenFixtures = {
  devices: managed('devices'),
  'devices-counted': managed('devices', {
    answers: { 'GET /api/devices': { devices: EVERY_DEVICE } },
    act: async (page) => {
      for (const role of [0, 1, 2, 3, 4, 5]) await page.locator('details').nth(role).locator('summary').click()
    },
  }),
}
