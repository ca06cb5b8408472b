import { expect, test } from 'vitest'
import { trainingProfile } from '../../../../packages/lab/testing/loyalty-harness.ts'
import type { DeviceReport } from './report.ts'
import { toolMessages } from './messages.ts'

const lane = { id: '01' }
const printer: DeviceReport = {
  role: 'printer',
  category: 'POSPrinter',
  connection: { kind: 'tcp', host: '10.0.0.7', port: 9100 },
  identity: null,
  scale: null,
  printer: { language: 'esc-pos', columns: 42 },
  says: { manufacturerName: 'EPSON', modelName: 'TM-T88VI', firmwareRevision: '30.21 ESC/POS', serialNumber: null },
  health: {
    state: 'needs-attention',
    detail: 'cutter error',
    trouble: { kind: 'cutter-error', holder: null, code: null },
  },
  statistics: {
    receiptLinePrintedCount: 412,
    paperCutCount: 12,
    failedPaperCutCount: 1,
    printerFaultCount: 1,
    communicationErrorCount: 0,
  },
  lastRead: null,
}
const drawer: DeviceReport = {
  ...printer,
  role: 'drawer',
  category: 'CashDrawer',
  connection: { kind: 'printer' },
  printer: null,
  says: null,
  health: { state: 'ready', detail: null, position: 'closed' },
  statistics: { drawerGoodOpenCount: 7, drawerFailedOpenCount: 1 },
}

const facts = (locale: 'en-CA' | 'fr-CA', report: DeviceReport): string[] =>
  toolMessages(locale, trainingProfile(), lane)
    .picture([report])
    .map((line) => line.trim().replaceAll(/ {2,}/g, ': '))

test('the devices CLI command shows identity, fault, remedy and counts of a printer, and counts of its drawer', () => {
  expect(facts('en-CA', printer)).toEqual(
    expect.arrayContaining([
      'reports: EPSON TM-T88VI · firmware 30.21 ESC/POS',
      'reason: cutter error',
      'what to do: Cutter jammed: open cover, clear paper, close, restart printer.',
      'counts: Lines printed: 412 · Cuts: 12 · Failed cuts: 1 · Faults: 1',
    ]),
  )
  expect(facts('fr-CA', printer)).toEqual(
    expect.arrayContaining([
      'se déclare: EPSON TM-T88VI · micrologiciel 30.21 ESC/POS',
      'raison: couteau bloqué',
      'que faire: Couteau bloqué : ouvrez, dégagez le papier, refermez, redémarrez l’imprimante.',
      'compteurs: Lignes imprimées : 412 · Coupes : 12 · Coupes manquées : 1 · Pannes : 1',
    ]),
  )
  expect(facts('fr-CA', drawer)).toContain('compteurs: Ouvertures : 7 · Ouvertures manquées : 1')
})

test('the devices CLI command reports a device without counts, and shows an unknown fault by its detail', () => {
  expect(facts('fr-CA', { ...drawer, statistics: { drawerGoodOpenCount: 0, drawerFailedOpenCount: 0 } })).toContain(
    'compteurs: rien encore',
  )
  expect(
    facts('fr-CA', {
      ...printer,
      health: {
        state: 'unavailable',
        detail: 'a new kind of trouble',
        trouble: { kind: 'other', holder: null, code: null },
      },
    }),
  ).toContain('raison: a new kind of trouble')
  expect(
    facts('fr-CA', {
      ...printer,
      health: {
        state: 'unavailable',
        detail: '/dev/ttyS0 did not open: in use by a-till (pid 12)',
        trouble: { kind: 'in-use', holder: 'a-till (pid 12)', code: null },
      },
    }),
  ).toContain('raison: utilisé par a-till (pid 12)')
})
