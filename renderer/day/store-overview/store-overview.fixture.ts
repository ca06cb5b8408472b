import type { StoreState } from '../../../contracts/store/status.ts'
import { REPORT } from '../../loyalty/reconciliation/reconciliation.fixture.ts'

const AT = '2026-11-21T14:03:12.000Z'
const STREAM = 'a'.repeat(32)

export const storeState = (kind: StoreState['kind'], over: Partial<StoreState> = {}) => ({
  kind,
  since: Date.parse('2026-11-21T13:41:00.000Z'),
  ...over,
})

const lane = (id: string, over: object = {}, health: object = {}) => ({
  lane: id,
  connected: true,
  heardAt: AT,
  version: '1.4.0',
  ...over,
  health: {
    version: '1.4.0',
    mode: 'training',
    queue: {},
    central: 'online',
    drawer: { open: true, since: '2026-11-21T13:02:00.000Z' },
    lastSaleAt: '2026-11-21T14:01:40.000Z',
    ...health,
  },
})
export const STORE_LANES = {
  thisLane: '01',
  mode: 'production',
  lanes: [
    lane('01'),
    lane(
      '02',
      {},
      {
        queue: { waiting: 3, attention: 1, oldestAt: '2026-11-21T13:40:00.000Z' },
        central: 'offline',
        troubles: ['printer', 'scanner'],
      },
    ),
    lane(
      '03',
      { connected: false, heardAt: '2026-11-21T11:12:00.000Z', version: '1.3.2', aside: 1 },
      { untold: 12, drawer: {}, lastSaleAt: null },
    ),
    { lane: '04', refused: 'mode' },
  ],
  authorityEnds: '2028-05-01T12:00:00.000Z',
  vouchers: {
    awaited: [
      { lane: '04', since: '2026-11-21T13:20:00.000Z' },
      { lane: '', since: '2026-11-21T13:20:00.000Z', saidBy: ['02'] },
    ],
    open: [{ last4: 'KMNP', lane: '03', amountCents: 1_500, since: '2026-11-20T19:12:00.000Z' }],
    soldTwice: [
      {
        last4: 'QRTV',
        sold: [
          { lane: '01', amountCents: 2_500 },
          { lane: '02', amountCents: 5_000 },
        ],
      },
    ],
  },
}

const totals = (sales: number, netCents: number, taxCents: number, card: number, redeemed: number) => ({
  summary: {
    sales,
    grossCents: netCents,
    netCents: netCents,
    taxCents: taxCents,
    totalCents: netCents + taxCents,
    returns: 1,
    returnCents: 22_59,
  },
  tenders: [
    { id: 'card-terminal', count: sales - 4, cents: card },
    { id: 'cash', count: 3, cents: netCents + taxCents - card - redeemed * 10 - 22_59 },
    { id: 'miles', count: 2, cents: redeemed * 10 },
  ],
  taxes: [{ id: 'HST', count: sales - 9, cents: taxCents }],
  miles: {
    issued: sales * 21,
    redeemed: redeemed,
    redeemedCents: redeemed * 10,
    redeemedSales: 2,
  },
})
const shift = (laneId: string, id: number, name: string, differenceCents: number) => ({
  stream: STREAM,
  id,
  lane: laneId,
  openedAt: '2026-11-21T13:02:00.000Z',
  closedAt: '2026-11-21T22:09:00.000Z',
  closedBy: name,
  differenceCents,
})
const TOGETHER = totals(209, 453_430, 27_640, 326_730, 3_040)
Object.assign(TOGETHER.summary, { returns: 3, returnCents: 67_77 })
export const STORE_DAY = {
  day: '2026-11-21',
  lanes: [
    { lane: '01', ...totals(109, 242_010, 14_210, 180_410, 1_900) },
    { lane: '02', ...totals(88, 190_120, 11_480, 131_200, 950) },
    { lane: '03', ...totals(12, 21_300, 1_950, 15_120, 190) },
  ],
  together: TOGETHER,
  zs: [
    {
      stream: STREAM,
      number: 11,
      lane: '01',
      at: '2026-11-21T22:10:00.000Z',
      closedBy: 'Sam Okafor',
      sales: 109,
      totalCents: 256_220,
      differenceCents: -500,
    },
    {
      stream: STREAM,
      number: 8,
      lane: '02',
      at: '2026-11-21T22:31:00.000Z',
      closedBy: 'Sam Okafor',
      sales: 88,
      totalCents: 201_600,
    },
  ],
  shifts: [shift('01', 12, 'Alex Tremblay', -500), shift('02', 9, 'Jo Lavallée-Fitzgerald', 0)],
  withoutZ: ['03'],
  incomplete: ['03', '04'],
}

const call = (id: number, over: object = {}) => ({
  id: `op-${id}`,
  lane: '02',
  saleId: `N1010200000038K7Q${id}`,
  type: 'redeem',
  state: 'escalated',
  createdAt: '2026-11-21T13:02:00.000Z',
  changedAt: '2026-11-21T13:03:00.000Z',
  amountCents: 20_00,
  miles: 190,
  responseCode: '0096',
  ...over,
})
export const STORE_QUEUE = {
  lanes: [
    { lane: '02', attention: 2 },
    { lane: '03', attention: 1 },
  ],
  calls: [
    call(1),
    call(2, { type: 'issue', state: 'dead', amountCents: null, miles: 40, responseCode: '206' }),
    call(3, { lane: '03', state: 'reversal-expired', responseCode: '0080' }),
  ],
}

const DAY = '2026-11-20'
const sum = { rows: 1, amountCents: 20_00, miles: 190 }
export const STORE_RECONCILIATION = {
  days: [
    { businessDay: '2026-11-21', state: 'open', totals: sum },
    { businessDay: DAY, state: 'due', totals: sum },
    {
      businessDay: '2026-11-19',
      state: 'exported',
      totals: sum,
      exportedAt: '2026-11-20T13:00:00.000Z',
      exportedBy: 'Sam Okafor',
      copies: 1,
      missing: ['03'],
    },
  ],
}
const STORE_REPORT = {
  businessDay: DAY,
  rows: REPORT.rows.map((row, index) => ({ ...row, lane: index === 0 ? '02' : '03' })),
  totals: REPORT.totals,
  missing: ['03'],
}
export const STORE_REPORT_FILE = {
  report: { ...STORE_REPORT, status: 'original', exportedAt: AT, exportedBy: 'Sam Okafor' },
  csv: 'record,report',
  fileName: 'reconciliation_TRAIN-001_lane-all_2026-11-20',
}

export const STORE_FACTS = {
  'GET /api/store/lanes': () => STORE_LANES,
  'GET /api/store/days/today': () => STORE_DAY,
  'POST /api/store/days/2026-11-21/exports': () => ({
    csv: 'day,lane',
    fileName: 'store-day_TRAIN-001_2026-11-21.csv',
  }),
  'GET /api/store/queue': () => STORE_QUEUE,
  'GET /api/store/reconciliation': () => STORE_RECONCILIATION,
  'GET /api/store/reconciliation/2026-11-20': () => STORE_REPORT,
  'POST /api/store/reconciliation/2026-11-20/exports': () => STORE_REPORT_FILE,
} as const
export const STORE_Z_PATH = `GET /api/store/z/${STREAM}/11`
