import { managed, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'
import type { AuditPage, AuditVerification } from '../../../contracts/staff/audit.ts'
import { StaffId } from '../../../contracts/core/ids.ts'

const at = (minute: number): string => `2026-11-21T14:${String(59 - minute).padStart(2, '0')}:12.000Z`
const people = [
  { id: StaffId.parse('alex'), name: 'Alex Tremblay' },
  { id: StaffId.parse('marie'), name: 'Marie Gagnon' },
  { id: StaffId.parse('sam'), name: 'Sam Okafor' },
]
type Facts = AuditPage['entries'][number]['detail']
const rows: readonly [kind: string, actor: string | null, subject: string | null, detail: Facts][] = [
  ['sign-in', 'sam', null, {}],
  ['sign-out', 'alex', null, { why: 'idle' }],
  [
    'approval-given',
    'sam',
    '01K9TRAINLANE01',
    { action: 'line-void', askedBy: 'alex', items: '0 × Laundry detergent 2.95 L', beforeCents: 3_998, afterCents: 0 },
  ],
  ['line-voided', 'alex', '01K9TRAINLANE01', { line: 4, quantity: 2, unitPriceCents: 1_999, approvedBy: 'sam' }],
  [
    'price-changed',
    'sam',
    '01K9TRAINLANE01',
    { line: 2, reason: 'damaged', before: 1_499, after: 999, approvedBy: 'sam' },
  ],
  ['drawer-opened', 'alex', '01K9TRAINLANE01', { paper: 'sale' }],
  ['cash-paid-out', 'alex', 'shift-12', { amountCents: -2_500, reason: 'Window cleaner', approvedBy: 'sam' }],
  ['pin-wrong', null, 'marie', { door: 'sign-in' }],
  ['pin-locked', null, 'marie', { until: '2026-11-21T15:13:12.000Z' }],
  ['pin-lock-lifted', 'sam', 'marie', { door: 'sign-in', until: '2026-11-21T15:13:12.000Z' }],
  ['setting-changed', 'sam', null, { setting: 'volume', before: 6, after: 3 }],
  ['tax-exemption', 'sam', '01K9TRAINLANE01', { before: null, after: '{"relief":"all","certificate":"A-1204"}' }],
  ['catalog-imported', null, 'catalog.csv', { items: 1_204 }],
  ['backup-made', null, 'daily-20261121-090312.db', { bytes: 204_800 }],
  ['day-closed', 'sam', 'z-118', {}],
  ['reconciliation-export', 'sam', '2026-11-20', { copy: 0, rows: 2, amountCents: 18_000, miles: 1_710 }],
  ['scale-calibrated', 'sam', 'scale-1', { grams: 500, passed: true }],
]

const AUDIT: AuditPage = {
  people,
  next: '1795270000000.41200',
  entries: rows.map(([kind, actor, subject, detail], index) => ({
    number: 41_236 - index,
    at: at(index * 3),
    kind,
    actor,
    subject,
    detail,
  })),
}

const NEVER_VERIFIED: AuditVerification = { state: 'never', read: 0, total: 0, verdict: null, endedAt: null }
const VERIFYING: AuditVerification = { ...NEVER_VERIFIED, state: 'running', read: 20_000, total: 41_236 }
const VERIFIED: AuditVerification = {
  state: 'done',
  read: 41_236,
  total: 41_236,
  endedAt: '2026-11-21T15:01:00.000Z',
  verdict: { entries: 41_236, newestAt: at(0), broken: null, zReports: 118, seconds: 0.4 },
}
const BROKEN: AuditVerification = {
  ...VERIFIED,
  read: 20_117,
  verdict: {
    entries: 20_117,
    newestAt: at(9),
    broken: { cause: 'changed', entry: 20_118, intact: { number: 20_117, at: '2026-11-20T18:22:40.000Z' } },
    zReports: 118,
    seconds: 0.2,
  },
}

export const AUDIT_FACTS = {
  'GET /api/audit': () => AUDIT,
  'GET /api/audit/verification': () => NEVER_VERIFIED,
  'POST /api/audit/verification': () => VERIFYING,
  'POST /api/audit/exports': () => ({ number: 41_237, fileName: 'audit_TRAIN-001_lane-01_2026-11-21_41237.csv' }),
  'GET /api/audit/exports/41237': () => 'number,time',
}

const PAGE = managed('audit')
const verified = (verification: AuditVerification): ScreenFixture => ({
  ...PAGE,
  answers: { 'GET /api/audit/verification': verification },
})
const EMPTY = { ...PAGE, answers: { 'GET /api/audit': { people } } }

export const AUDIT_SCREENS: ScreenFixtures = {
  audit: PAGE,
  'audit-verified': verified(VERIFIED),
  'audit-verifying': {
    ...verified(VERIFYING),
    act: async (page) => {
      await page.getByRole('progressbar').waitFor()
      await page.getByRole('table').waitFor()
    },
  },
  'audit-broken': verified(BROKEN),
  'audit-empty': EMPTY,
  'audit-none': {
    ...EMPTY,
    act: async (page) => {
      await page.getByRole('search').getByRole('combobox').first().selectOption('drawer')
      await page.getByRole('button', { name: /^(Clear filters|Effacer les filtres)$/ }).waitFor()
    },
  },
  'audit-failed': { ...PAGE, refusals: { 'GET /api/audit': 'manager-required' } },
}
