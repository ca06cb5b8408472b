import type { ReceiptTraces } from '../../../contracts/operations/call-traces.ts'
import type { JournalPage } from '../../../contracts/day/search.ts'
import type { Breakdown, BreakdownRow, Report, ReportRun } from '../../../contracts/day/reports.ts'
import { SaleId, StaffId } from '../../../contracts/core/ids.ts'
import { cents, miles } from '../../../contracts/core/money.ts'
import type { BreakdownKind } from '../../../contracts/day/report-kinds.ts'
import { TraceId } from '../../../contracts/core/trace.ts'

type Sides = readonly [count: number, amount: number, countBefore: number, amountBefore: number]
const row = (
  id: string,
  name: BreakdownRow['name'],
  [count, amount, countBefore, amountBefore]: Sides,
): BreakdownRow => ({
  id,
  name,
  now: { count, cents: cents(amount) },
  before: { count: countBefore, cents: cents(amountBefore) },
})
const of = (rows: readonly BreakdownRow[], more: Partial<Breakdown> = {}): Breakdown => ({
  money: true,
  rows: [...rows],
  others: null,
  ...more,
})
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
const counted = { money: false } as const

const BREAKDOWNS: Record<BreakdownKind, Breakdown> = {
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
      others: { rows: 812, now: { count: 401, cents: cents(181_749) }, before: { count: 377, cents: cents(193_665) } },
    },
  ),
  cashiers: of(PEOPLE),
  tenders: of([row('card-terminal', null, [70, 180_410, 66, 170_100]), row('cash', null, [39, 61_600, 40, 51_845])]),
  taxes: of([row('HST', null, [60, 14_210, 57, 12_910]), row('HST-returned', null, [2, -520, 1, -260])]),
  discounts: of([row('sam', 'Sam Okafor', [4, 1_800, 2, 600])]),
  voids: of([row('alex', 'Alex Tremblay', [3, 4_497, 5, 8_120])]),
  cancelled: of([row('alex', 'Alex Tremblay', [1, 0, 0, 0])], counted),
  returns: of([row('marie', 'Marie Gagnon', [2, 4_518, 1, 2_259])]),
  'no-sales': of([], counted),
  'price-changes': of([row('sam', 'Sam Okafor', [2, 0, 2, 0])], counted),
  'over-short': of([row('alex', 'Alex Tremblay', [1, -500, 1, 0])]),
}

export const DAY_REPORT: Report = {
  from: '2026-11-21',
  to: '2026-11-21',
  until: '2026-11-21T19:03:12.000Z',
  before: { from: '2026-11-14', to: '2026-11-14' },
  summary: {
    now: {
      sales: 109,
      grossCents: cents(243_810),
      discountCents: cents(1_800),
      netCents: cents(242_010),
      taxCents: cents(14_210),
      totalCents: cents(256_220),
      giftCardCents: cents(5_000),
      returns: 2,
      returnCents: cents(4_518),
    },
    before: {
      sales: 106,
      grossCents: cents(222_545),
      discountCents: cents(600),
      netCents: cents(221_945),
      taxCents: cents(12_910),
      totalCents: cents(234_855),
      giftCardCents: cents(0),
      returns: 1,
      returnCents: cents(2_259),
    },
  },
  miles: {
    now: {
      issued: miles(2_310),
      redeemed: miles(1_900),
      redeemedCents: cents(20_000),
      redeemedSales: 7,
      unsent: 2,
      undecided: 1,
    },
    before: {
      issued: miles(2_480),
      redeemed: miles(1_900),
      redeemedCents: cents(20_000),
      redeemedSales: 8,
      unsent: 0,
      undecided: 0,
    },
  },
  breakdowns: BREAKDOWNS,
}

const range = { from: DAY_REPORT.from, to: DAY_REPORT.to }
export const REPORT_DONE: ReportRun = { id: 1, range, state: 'done', read: 2, days: 2, report: DAY_REPORT }
export const REPORT_RUNNING: ReportRun = { id: 1, range, state: 'running', read: 120, days: 372, report: null }
export const REPORT_CANCELLED: ReportRun = { ...REPORT_RUNNING, state: 'cancelled' }
export const REPORT_FAILED: ReportRun = { ...REPORT_RUNNING, state: 'failed' }
export const REPORT_EMPTY: ReportRun = {
  ...REPORT_DONE,
  report: {
    ...DAY_REPORT,
    breakdowns: { ...BREAKDOWNS, hours: of([]) },
  },
}

const people = [
  { id: StaffId.parse('alex'), name: 'Alex Tremblay' },
  { id: StaffId.parse('marie'), name: 'Marie Gagnon' },
  { id: StaffId.parse('sam'), name: 'Sam Okafor' },
]
const SALE = 'N1010100000038K7Q2'
export const JOURNAL: JournalPage = {
  people,
  waiting: 0,
  next: 113_000_000_000,
  entries: [
    {
      key: 113_000_000_400,
      kind: 'movement',
      id: '12',
      at: '2026-11-21T18:40:12.000Z',
      person: 'Alex Tremblay',
      last4: null,
      totalCents: cents(40_000),
      tenders: [],
      items: [],
      moreItems: 0,
      ofSale: null,
      movedTo: null,
      movement: { kind: 'drop', reason: 'Drawer limit' },
    },
    {
      key: 113_000_000_300,
      kind: 'return',
      id: 'N1010100000039K7Q3',
      at: '2026-11-21T17:20:12.000Z',
      person: 'Marie Gagnon',
      last4: '0011',
      totalCents: cents(22_59),
      tenders: ['cash'],
      items: [{ name: names('Laundry detergent 2.95 L', 'Détersif à lessive 2,95 L'), quantity: 1 }],
      moreItems: 0,
      ofSale: SaleId.parse(SALE),
      movedTo: null,
      movement: null,
    },
    {
      key: 113_000_000_200,
      kind: 'cancelled',
      id: 'N1010100000040K7Q4',
      at: '2026-11-21T16:20:12.000Z',
      person: 'Alex Tremblay',
      last4: null,
      totalCents: null,
      tenders: [],
      items: [{ name: names('Coffee beans 340 g', 'Café en grains 340 g'), quantity: 1 }],
      moreItems: 0,
      ofSale: null,
      movedTo: null,
      movement: null,
    },
    {
      key: 113_000_000_100,
      kind: 'sale',
      id: SALE,
      at: '2026-11-21T15:20:12.000Z',
      person: 'Alex Tremblay',
      last4: '0011',
      totalCents: cents(69_58),
      tenders: ['miles', 'card-terminal'],
      items: [
        { name: names('Laundry detergent 2.95 L', 'Détersif à lessive 2,95 L'), quantity: 2 },
        { name: names('Coffee beans 340 g', 'Café en grains 340 g'), quantity: 1 },
        { name: names('Gala apples 3 lb bag', 'Pommes Gala, sac de 3 lb'), quantity: 1 },
      ],
      moreItems: 2,
      ofSale: null,
      movedTo: null,
      movement: null,
    },
  ],
}
export const JOURNAL_EMPTY: JournalPage = { people, waiting: 1_204, next: null, entries: [] }
export const JOURNAL_SALE = SALE
export const JOURNAL_TRACES: ReceiptTraces = {
  receipt: SaleId.parse(SALE),
  calls: [
    {
      operation: '019aa6f3-0000-7000-8000-000000000001',
      purpose: 'redeem',
      trace: TraceId.parse('6d3f0b5ac1e24c5f9a7d2e4b6c0f1a3d'),
      trackingNumber: '6d3f0b5a-c1e2-4c5f-9a7d-2e4b6c0f1a3d',
      path: '/checkout/loyaltycash/redeem',
      steps: [
        { at: '2026-11-21T15:19:40.120Z', state: 'intent', sent: true },
        { at: '2026-11-21T15:19:48.130Z', state: 'retry', sent: true },
        { at: '2026-11-21T15:19:48.710Z', state: 'approved', sent: false },
      ],
    },
    {
      operation: '019aa6f3-0000-7000-8000-000000000002',
      purpose: 'issue',
      trace: TraceId.parse('b07c4d2e9f1a4b3c8d5e6f7a0b1c2d3e'),
      trackingNumber: SALE,
      path: '/checkout/issuance/issue',
      steps: [
        { at: '2026-11-21T15:20:12.000Z', state: 'queued', sent: false },
        { at: '2026-11-21T15:20:12.040Z', state: 'sent', sent: true },
        { at: '2026-11-21T15:20:12.600Z', state: 'confirmed', sent: false },
      ],
    },
  ],
}
