import { ReconciliationReport } from '../../../contracts/loyalty/reconciliation.ts'
import { exampleOf } from '../../testing/answers.ts'
import { managed, type ScreenFixtures } from '../../testing/screen-fixture.ts'

const AT = '2026-11-21T14:03:12.000Z'
export const DAY = '2026-11-20'
const totals = { rows: 2, amountCents: 6000, miles: 570 }
const DAYS = [
  { businessDay: '2026-11-21', state: 'open', totals: { rows: 1, amountCents: 1000, miles: 95 } },
  { businessDay: DAY, state: 'due', totals },
  { businessDay: '2026-11-19', state: 'exported', totals, exportedAt: AT },
  {
    businessDay: '2026-11-18',
    state: 'sent',
    totals,
    exportedAt: AT,
    exportedBy: 'Sam Okafor',
    copies: 2,
    sentAt: AT,
    sentBy: 'Sam Okafor',
  },
]
const row = (n: number, units: number, state: 'approved' | 'reversed') => ({
  operationId: `3c9d4f1e-0000-4000-8000-00000000000${n}`,
  saleId: `N101010000004${n}7QZK`,
  lane: '01',
  storeId: 'TRAIN-001',
  sponsorCode: 'NRTH',
  deviceId: 'N101-01',
  traceId: 'T',
  idempotencyKey: 'K',
  confirmationNumber: `88420017335${n}`,
  dateTime: '2026-11-20T09:03:12.000-05:00',
  transDateTime: '2026-11-20T09:03:14.000-05:00',
  approvedAt: `2026-11-20T14:0${n}:12.000Z`,
  collector: '•••• ••• 0011',
  units,
  amountCents: units * 1000,
  miles: units * 95,
  responseCode: '0000',
  state,
})
export const REPORT = exampleOf(ReconciliationReport, {
  businessDay: DAY,
  store: { id: 'TRAIN-001', name: 'Milepost Training Store' },
  lane: '01',
  rows: [row(1, 4, 'approved'), row(2, 2, 'reversed')],
  totals: { ...totals, units: 6 },
})
export const ORIGINAL = {
  report: { ...REPORT, status: 'original', exportedAt: AT, exportedBy: 'Sam Okafor' },
  csv: '\uFEFFrecord,report\r\napproval,original\r\n',
  fileName: `reconciliation_TRAIN-001_lane-01_${DAY}`,
}

export const RECONCILIATION_FACTS = {
  'GET /api/reconciliation/days': () => ({
    days: DAYS,
    ledger: {
      approved: { rows: 7, amountCents: 24_000, miles: 2_280 },
      reported: { rows: 4, amountCents: 12_000, miles: 1_140 },
      waiting: { rows: 3, amountCents: 12_000, miles: 1_140 },
      ties: true,
    },
  }),
  [`GET /api/reconciliation/days/${DAY}`]: () => REPORT,
  [`POST /api/reconciliation/days/${DAY}/exports`]: () => ORIGINAL,
}

const PAGE = managed('reconciliation')
export const RECONCILIATION: ScreenFixtures = {
  reconciliation: PAGE,
  'reconciliation-empty': { ...PAGE, answers: { 'GET /api/reconciliation/days': { ledger: { ties: true } } } },
  'reconciliation-day': {
    ...PAGE,
    act: async (page) => {
      await page.getByRole('button', { name: /20 novembre|November 20/ }).click()
      await page.getByRole('dialog').getByRole('table').waitFor()
    },
  },
  'reconciliation-made': {
    ...PAGE,
    act: async (page) => {
      await page.getByRole('button', { name: /20 novembre|November 20/ }).click()
      await page.getByRole('button', { name: /original/ }).click()
      await page.getByRole('button', { name: /CSV/ }).waitFor()
    },
  },
}
