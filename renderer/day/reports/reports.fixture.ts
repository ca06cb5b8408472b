import type { Page } from '@playwright/test'
import { managed, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'

type Sides = readonly [count: number, amount: number, countBefore: number, amountBefore: number]
type Name = string | Readonly<Record<'en-CA' | 'fr-CA', string>> | null
const row = (id: string, name: Name, [count, amount, countBefore, amountBefore]: Sides) => ({
  id,
  name,
  now: { count, cents: amount },
  before: { count: countBefore, cents: amountBefore },
})
const of = (rows: readonly object[], more: object = {}) => ({ money: true, rows, ...more })
const PEOPLE = [
  row('alex', 'Alex Tremblay', [61, 143_210, 55, 120_045]),
  row('marie', 'Marie Gagnon', [48, 98_800, 51, 101_900]),
]
const hours = Array.from({ length: 13 }, (_, index) =>
  row(String(index + 8).padStart(2, '0'), null, [
    4 + ((index * 5) % 11),
    12_000 + ((index * 7_919) % 30_000),
    5 + ((index * 3) % 9),
    13_500 + ((index * 6_007) % 26_000),
  ]),
)
const names = (english: string, french: string) => ({ 'en-CA': english, 'fr-CA': french })
const counted = { money: false }

const BREAKDOWNS = {
  hours: of(hours),
  days: of([row('2026-11-21', null, [109, 242_010, 106, 221_945])]),
  departments: of([
    row('grocery', names('Grocery', 'Épicerie'), [88, 151_300, 90, 149_020]),
    row('household', names('Household products', 'Produits ménagers'), [41, 90_710, 37, 72_925]),
  ]),
  items: of(
    [
      row('1021', names('Laundry detergent 2.95 L', 'Détersif à lessive 2,95 L'), [18, 35_982, 11, 21_989]),
      row('1010', names('Coffee beans 340 g', 'Café en grains 340 g'), [12, 17_988, 0, 0]),
      row('1001', names('Gala apples 3 lb bag', 'Pommes Gala, sac de 3 lb'), [9, 6_291, 9, 6_291]),
    ],
    {
      others: { rows: 812, now: { count: 401, cents: 181_749 }, before: { count: 377, cents: 193_665 } },
    },
  ),
  cashiers: of(PEOPLE),
  tenders: of([row('card-terminal', null, [70, 180_410, 66, 170_100]), row('cash', null, [39, 61_600, 40, 51_845])]),
  taxes: of([row('HST', null, [60, 14_210, 57, 12_910]), row('HST-returned', null, [2, -520, 1, -260])]),
  promotions: of([row('chips-2for7', names('Chips 2 for $7', 'Croustilles 2 pour 7 $'), [14, 2_212, 0, 0])]),
  deposits: of([row('ab-small', names('Deposit', 'Consigne'), [24, 240, 12, 120])]),
  empties: of([row('ab-small', names('Empty containers', 'Contenants vides'), [36, 360, 0, 0])]),
  coupons: of([row('COFFEE2', names('Coffee month', 'Mois du café'), [6, 0, 4, 0])], counted),
  'manufacturer-coupons': of([
    row('0614141-890123', names('Detergent $1 off', 'Détergent, 1 $ de moins'), [9, 900, 3, 300]),
  ]),
  'price-accuracy': of([row('1010', names('Coffee beans 340 g', 'Café en grains 340 g'), [2, 2_000, 1, 1_000])]),
  'cash-outs': of([row('alex', 'Alex Tremblay', [1, 401, 0, 0])]),
  'empties-paid': of([row('alex', 'Alex Tremblay', [2, 360, 0, 0])]),
  discounts: of([row('sam', 'Sam Okafor', [4, 1_800, 2, 600])]),
  voids: of([row('alex', 'Alex Tremblay', [3, 4_497, 5, 8_120])]),
  cancelled: of([row('alex', 'Alex Tremblay', [1, 0, 0, 0])], counted),
  returns: of([row('marie', 'Marie Gagnon', [2, 4_518, 1, 2_259])]),
  'return-reasons': of([row('damaged', names('Damaged', 'Endommagé'), [2, 4_518, 1, 2_259])]),
  'return-rules': of([row('window', names('Returned too late', 'Retour trop tardif'), [1, 2_259, 0, 0])]),
  'no-sales': of([], counted),
  'price-changes': of([row('sam', 'Sam Okafor', [2, 0, 2, 0])], counted),
  'over-short': of([row('alex', 'Alex Tremblay', [1, -500, 1, 0])]),
}

const DAY_REPORT = {
  from: '2026-11-21',
  to: '2026-11-21',
  until: '2026-11-21T19:03:12.000Z',
  before: { from: '2026-11-14', to: '2026-11-14' },
  summary: {
    now: {
      sales: 109,
      grossCents: 243_810,
      discountCents: 1_800,
      netCents: 242_010,
      taxCents: 14_210,
      totalCents: 256_220,
      giftCardCents: 5_000,
      returns: 2,
      returnCents: 4_518,
    },
    before: {
      sales: 106,
      grossCents: 222_545,
      discountCents: 600,
      netCents: 221_945,
      taxCents: 12_910,
      totalCents: 234_855,
      giftCardCents: 0,
      returns: 1,
      returnCents: 2_259,
    },
  },
  miles: {
    now: {
      issued: 2_310,
      redeemed: 1_900,
      redeemedCents: 20_000,
      redeemedSales: 7,
      unsent: 2,
      undecided: 1,
    },
    before: {
      issued: 2_480,
      redeemed: 1_900,
      redeemedCents: 20_000,
      redeemedSales: 8,
    },
  },
  breakdowns: BREAKDOWNS,
}

const range = { from: DAY_REPORT.from, to: DAY_REPORT.to }
export const REPORT_DONE = { id: 1, range, state: 'done', read: 2, days: 2, report: DAY_REPORT }
const REPORT_RUNNING = { id: 1, range, state: 'running', read: 120, days: 372 }
const REPORT_CANCELLED = { ...REPORT_RUNNING, state: 'cancelled' }
const REPORT_FAILED = { ...REPORT_RUNNING, state: 'failed' }
const REPORT_EMPTY = {
  ...REPORT_DONE,
  report: {
    ...DAY_REPORT,
    breakdowns: { ...BREAKDOWNS, hours: of([]) },
  },
}

const people = [
  { id: 'alex', name: 'Alex Tremblay' },
  { id: 'marie', name: 'Marie Gagnon' },
  { id: 'sam', name: 'Sam Okafor' },
]
const SALE = 'N1010100000038K7Q2'
export const JOURNAL = {
  people,
  next: 113_000_000_000,
  entries: [
    {
      key: 113_000_000_400,
      kind: 'movement',
      id: '12',
      at: '2026-11-21T18:40:12.000Z',
      person: 'Alex Tremblay',
      totalCents: 40_000,
      movement: { kind: 'drop', reason: 'Drawer limit' },
    },
    {
      key: 113_000_000_300,
      kind: 'return',
      id: 'N1010100000039K7Q3',
      at: '2026-11-21T17:20:12.000Z',
      person: 'Marie Gagnon',
      last4: '0011',
      totalCents: 22_59,
      tenders: ['cash'],
      items: [{ name: names('Laundry detergent 2.95 L', 'Détersif à lessive 2,95 L'), quantity: 1 }],
      ofSale: SALE,
    },
    {
      key: 113_000_000_200,
      kind: 'cancelled',
      id: 'N1010100000040K7Q4',
      at: '2026-11-21T16:20:12.000Z',
      person: 'Alex Tremblay',
      items: [{ name: names('Coffee beans 340 g', 'Café en grains 340 g'), quantity: 1 }],
    },
    {
      key: 113_000_000_100,
      kind: 'sale',
      id: SALE,
      at: '2026-11-21T15:20:12.000Z',
      person: 'Alex Tremblay',
      last4: '0011',
      totalCents: 69_58,
      tenders: ['miles', 'card-terminal'],
      items: [
        { name: names('Laundry detergent 2.95 L', 'Détersif à lessive 2,95 L'), quantity: 2 },
        { name: names('Coffee beans 340 g', 'Café en grains 340 g'), quantity: 1 },
        { name: names('Gala apples 3 lb bag', 'Pommes Gala, sac de 3 lb'), quantity: 1 },
      ],
      moreItems: 2,
    },
  ],
}
const JOURNAL_EMPTY = { people, waiting: 1_204 }
export const JOURNAL_SALE = SALE
export const JOURNAL_TRACES = {
  receipt: SALE,
  calls: [
    {
      operation: '019aa6f3-0000-7000-8000-000000000001',
      purpose: 'redeem',
      trace: '6d3f0b5ac1e24c5f9a7d2e4b6c0f1a3d',
      trackingNumber: '6d3f0b5a-c1e2-4c5f-9a7d-2e4b6c0f1a3d',
      path: '/checkout/loyaltycash/redeem',
      steps: [
        { at: '2026-11-21T15:19:40.120Z', state: 'intent', sent: true },
        { at: '2026-11-21T15:19:48.130Z', state: 'retry', sent: true },
        { at: '2026-11-21T15:19:48.710Z', state: 'approved' },
      ],
    },
    {
      operation: '019aa6f3-0000-7000-8000-000000000002',
      purpose: 'issue',
      trace: 'b07c4d2e9f1a4b3c8d5e6f7a0b1c2d3e',
      trackingNumber: SALE,
      path: '/checkout/issuance/issue',
      steps: [
        { at: '2026-11-21T15:20:12.000Z', state: 'queued' },
        { at: '2026-11-21T15:20:12.040Z', state: 'sent', sent: true },
        { at: '2026-11-21T15:20:12.600Z', state: 'confirmed' },
      ],
    },
  ],
}

const drawnChart = async (page: Page): Promise<void> => {
  await page.locator('figure svg').first().waitFor()
}

const reports = (run: object, act: (page: Page) => Promise<void> = drawnChart): ScreenFixture =>
  managed('reports', { answers: { 'POST /api/reports/runs': run, 'GET /api/reports/runs/1': run }, act })
const brokenDown = (by: string): ScreenFixture =>
  reports(REPORT_DONE, async (page) => {
    await page.getByRole('combobox').selectOption(by)
    await drawnChart(page)
    await page.getByRole('table').evaluate((table) => table.scrollIntoView())
  })

export const REPORTS: ScreenFixtures = {
  reports: reports(REPORT_DONE),
  'reports-items': brokenDown('items'),
  'reports-return-rules': brokenDown('return-rules'),
  'reports-people': brokenDown('price-changes'),
  'reports-running': reports(REPORT_RUNNING, (page) => page.getByRole('progressbar').waitFor()),
  'reports-cancelled': reports(REPORT_CANCELLED, (page) => page.locator('h2').nth(1).waitFor()),
  'reports-failed': reports(REPORT_FAILED, (page) => page.getByRole('alert').waitFor()),
  'reports-empty': reports(REPORT_EMPTY, (page) => page.getByRole('combobox').scrollIntoViewIfNeeded()),
  journal: managed('journal'),
  'journal-sale': managed('journal', {
    act: async (page) => {
      await page.getByRole('row').last().getByRole('button').click()
      await page.getByRole('dialog').getByRole('article').waitFor()
    },
  }),
  'journal-traces': managed('journal', {
    act: async (page) => {
      await page.getByRole('row').last().getByRole('button').click()
      await page.getByRole('dialog').getByRole('listitem').last().scrollIntoViewIfNeeded()
    },
  }),
  'journal-none': managed('journal', {
    answers: { 'GET /api/journal': JOURNAL_EMPTY },
    act: async (page) => {
      await page.getByRole('search').getByRole('textbox').nth(2).fill('12.3.4')
      await page.getByRole('search').getByRole('combobox').first().selectOption('sam')
      await page.getByRole('button', { name: /^(Clear filters|Effacer les filtres)$/ }).waitFor()
    },
  }),
  'journal-failed': managed('journal', {
    refusals: { 'GET /api/journal': 'manager-required' },
    act: (page) => page.getByRole('alert').waitFor(),
  }),
}
