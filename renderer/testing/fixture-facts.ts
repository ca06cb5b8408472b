import { CardFault } from '../../contracts/operations/training.ts'
import {
  DAY_LIST,
  OWED_OF_DAYS,
  SHIFT_LIST,
  X_REPORT,
  currentShift,
  zReceipt,
  CLOSING_DAYS,
  closingPaper,
} from '../day/drawer/drawer.fixture.ts'
import { LANE_CHECK_FACTS } from '../operations/lane-check/lane-check.fixture.ts'
import { CONNECTION_FACTS } from '../operations/connection/connection.fixture.ts'
import { AUDIT, NEVER_VERIFIED, VERIFYING } from '../staff/audit/audit.fixture.ts'
import { SETTINGS_FACTS } from '../staff/settings/settings.fixture.ts'
import { BACKUPS } from '../operations/backups/backups.fixture.ts'
import {
  CORRECTIONS,
  DAY,
  DAYS,
  DEAD_DETAIL,
  LEDGER,
  ENTRIES,
  LOST_DETAIL,
  NOTICES,
  ORIGINAL,
  REPORT,
} from '../loyalty/queue/queue.fixture.ts'
import { answerOf } from '../loyalty/offers/basket-offers.fixture.ts'
import { OFFER_ID, OFFER_LISTS, offerAnswer, offerPage } from '../loyalty/offers-manager/offers.fixture.ts'
import { JOURNAL, JOURNAL_SALE, JOURNAL_TRACES, REPORT_DONE } from '../day/reports/reports.fixture.ts'
import { SUPPORT_PREVIEW } from '../operations/support/support.fixture.ts'
import { STORE_FACTS, STORE_Z_PATH, storeState } from '../day/store-overview/store-overview.fixture.ts'
import { UPDATES } from '../operations/updates/updates.fixture.ts'
import type { FixtureState } from './fixture-terminal.ts'
import type { Say } from './screen-fixture.ts'
import { saleOf } from './sales.ts'

/** The refusal of a void for want of a supervisor, with what the void would do. */
export const VOID_TO_APPROVE = {
  of: 'sale',
  action: 'line-void',
  covers: 'v'.repeat(43),
  reason: null,
  exemption: null,
  limitPercent: null,
  approvers: ['supervisor', 'manager'],
  saleId: '01K9TRAINLANE01',
  total: null,
  items: [
    {
      number: 4,
      name: { 'en-CA': 'Laundry detergent 2.95 L', 'fr-CA': 'Détersif à lessive 2,95 L' },
      quantityBefore: 2,
      quantityAfter: 0,
      regularCents: 0,
      beforeCents: 39_98,
      afterCents: 0,
    },
  ],
}
/** The same for goods that come back. */
export const RETURN_TO_APPROVE = {
  of: 'goods',
  action: 'return',
  covers: 'r'.repeat(43),
  reason: { 'en-CA': 'Damaged', 'fr-CA': 'Endommagé' },
  limitCents: 50_00,
  approvers: ['supervisor', 'manager'],
  saleId: 'N1010100000038K7Q2',
  totalCents: 69_58,
  items: [
    {
      name: { 'en-CA': 'Laundry detergent 2.95 L', 'fr-CA': 'Détersif à lessive 2,95 L' },
      quantity: 2,
      amountCents: 39_98,
    },
  ],
  refunds: [{ kind: 'card', amountCents: 69_58 }],
  earlierCents: 22_59,
}
export const ALEX = { id: 'alex', name: 'Alex Tremblay', role: 'cashier', locale: 'en-CA' }
export const MARIE = { id: 'marie', name: 'Marie Gagnon', role: 'cashier', locale: 'fr-CA' }
export const SAM = { id: 'sam', name: 'Sam Okafor', role: 'manager', locale: 'en-CA' }
const AT = '2026-11-21T14:03:12.000Z'
/** The clocks of Toronto around that day. */
const TORONTO = [
  { from: Date.UTC(2026, 2, 8, 7), minutes: -240 },
  { from: Date.UTC(2026, 10, 1, 6), minutes: -300 },
]

const item = (sku: string, en: string, fr: string, priceCents: number) => ({
  sku,
  barcode: `06284511${sku}0`,
  name: { 'en-CA': en, 'fr-CA': fr },
  priceCents,
  taxCategory: 'standard',
  departmentId: 'x',
  categoryId: null,
})
const card = (id: string, en: string, fr: string) => ({ id, label: { 'en-CA': en, 'fr-CA': fr } })
/** The language that the stand-in answers in, as the backend does: that of whoever is signed in, else the store's. */
const isFrench = ({ signedIn, defaultLocale }: FixtureState): boolean =>
  ((signedIn as { locale?: string } | null)?.locale ?? defaultLocale) === 'fr-CA'

const sayOf =
  (state: FixtureState): Say =>
  (english, french) =>
    isFrench(state) ? french : english

const offers = (state: FixtureState) => {
  const french = isFrench(state)
  const offer = (
    n: number,
    partner: string,
    [award, frenchAward]: readonly [string, string],
    [qualifier, frenchQualifier]: readonly [string, string],
  ) => ({
    id: `7b0e5a10-0000-4000-8000-00000000000${n}`,
    partner,
    category: french ? 'Épicerie' : 'Grocery',
    award: french ? frenchAward : award,
    qualifier: french ? frenchQualifier : qualifier,
    description: null,
    endsOn: '2026-12-03',
    forDisplay: partner === 'Northstar',
    legalText: french ? 'Une offre par adhérent.' : 'One offer per collector.',
  })
  return [
    offer(
      1,
      'Northstar',
      ['20 miles', '20 milles'],
      ['When you spend $40 on groceries', 'À l’achat de 40 $ d’épicerie'],
    ),
    offer(2, 'Northstar', ['3× the miles', '3× les milles'], ['On coffee and tea', 'Sur le café et le thé']),
    offer(
      3,
      'Harbour Fuel',
      ['10 miles', '10 milles'],
      ['When you fill 30 litres or more', 'À l’achat de 30 litres ou plus'],
    ),
  ]
}

const receipt = (state: FixtureState) => {
  const french = isFrench(state)
  const say = (english: string, inFrench: string): string => (french ? inFrench : english)
  const row = (left: string, cents: number, over = {}) => ({
    kind: 'row',
    left,
    right: (cents / 100).toFixed(2).replace('.', french ? ',' : '.'),
    ...over,
  })
  return {
    print: 'confirmed',
    hasPaperOnly: state.sale?.member != null,
    document: {
      locale: french ? 'fr-CA' : 'en-CA',
      title: say('Receipt', 'Reçu'),
      blocks: [
        { kind: 'text', text: 'Milepost Training Store', align: 'center', bold: true, size: 'large' },
        { kind: 'text', text: '123 Front Street West\nToronto ON  M5J 2M2', align: 'center' },
        {
          kind: 'text',
          text: say('TRAINING: NOT A RECEIPT', 'FORMATION : CECI N’EST PAS UN REÇU'),
          align: 'center',
          bold: true,
        },
        { kind: 'rule' },
        row(say('Whole milk 2 L', 'Lait entier 2 L'), 549),
        row(say('Coffee beans 340 g', 'Café en grains 340 g'), 1499),
        row(say('2 × Dark chocolate 100 g  H', '2 × Chocolat noir 100 g  H'), 898),
        row(say('Paper towels, 6 rolls  H', 'Essuie-tout, 6 rouleaux  H'), 1299),
        { kind: 'rule' },
        row(say('Subtotal', 'Sous-total'), 4245),
        row(say('HST 13 %', 'TVH 13 %'), 286),
        { kind: 'row', left: 'TOTAL', right: say('$45.31', '45,31 $'), bold: true, size: 'large' },
        row(say('Miles', 'Milles'), 4000),
        row(say('Cash', 'Comptant'), 2000),
        row(say('Change', 'Monnaie'), 1470, { bold: true }),
        { kind: 'space' },
        {
          kind: 'text',
          text: say('Redemption confirmation\n8842 0017 3351', 'Confirmation de l’échange\n8842 0017 3351'),
          align: 'center',
        },
        {
          kind: 'text',
          text: say('Cash miles after: 1,045', 'Milles comptant après : 1 045'),
          align: 'left',
          paperOnly: true,
        },
        { kind: 'barcode', symbology: 'code128', data: '01K9TRAINLANE01' },
      ],
    },
  }
}

const earlier = (n: number, receipt: string, over = {}) => ({
  id: `N10101000000${40 - n}K7Q${n}`,
  state: 'completed',
  closedAt: `2026-11-21T14:0${9 - n}:12.000Z`,
  totalCents: 1299 + n * 2_117,
  tenders: n % 3 === 0 ? ['miles', 'cash'] : ['card'],
  memberLast4: n % 2 === 0 ? '0011' : null,
  ofSale: null,
  cashier: n % 4 === 3 ? MARIE.name : ALEX.name,
  receipt,
  ...over,
})
const EARLIER_SALES = {
  next: '1795270000000-12',
  sales: [
    earlier(0, 'not-printed'),
    earlier(1, 'not-printed'),
    earlier(2, 'unknown'),
    earlier(3, 'printed', { state: 'returned', ofSale: 'N1010100000031K7Q9', tenders: ['cash'], memberLast4: null }),
    earlier(4, 'none', { state: 'cancelled', tenders: [] }),
    earlier(5, 'printing'),
    earlier(6, 'printed'),
    earlier(7, 'printed'),
  ],
}

const training = (state: FixtureState) => ({
  cards: [
    card('fine', 'Plenty of miles', 'Beaucoup de milles'),
    card('suppressed', 'Balances kept private', 'Soldes gardés privés'),
    card('payment', 'A payment card by mistake', 'Une carte de paiement par erreur'),
  ],
  devices: ['card-reader', 'scanner', 'printer', 'line-display'].map((role) => ({ role, plugged: role !== 'scanner' })),
  printer: { paper: 'ok', cover: 'closed', drawer: 'closed', drawerHeld: false, answers: true },
  central: 'silent',
  phone: true,
  cardTerminal: { faults: CardFault.options, next: 'answer-lost', customerWaits: true },
  oneTimeScenarios: [
    'paper-out-during-job',
    'printer-unplugged-during-job',
    'card-reader-unplugged-during-swipe',
    'scanner-chatters',
  ],
  waiting: ['paper-out-during-job'],
  display: isFrench(state)
    ? ['Lait entier 2 L 5,49', 'TOTAL         5,49 $']
    : ['Whole milk 2 L  5.49', 'TOTAL          $5.49'],
  lastPaper: [
    '          Milepost Training Store',
    isFrench(state) ? 'Lait entier 2 L                       5,49' : 'Whole milk 2 L                        5.49',
    '',
  ].join('\n'),
})

const NOTHING = { language: null, columns: null, identity: null, jobs: null, lastRead: null, bytes: [] }
const DETAILS = {
  devices: [
    {
      ...NOTHING,
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
      ...NOTHING,
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
      ...NOTHING,
      role: 'drawer',
      category: 'CashDrawer',
      connection: { kind: 'printer' },
      statistics: { drawerGoodOpenCount: 7, drawerFailedOpenCount: 1 },
    },
    {
      ...NOTHING,
      role: 'line-display',
      category: 'LineDisplay',
      connection: { kind: 'serial', path: '/dev/ttyS1', baudRate: 9600 },
      language: 'cd5220',
      columns: 20,
      statistics: { onlineTransitionCount: 2, communicationErrorCount: 1 },
    },
  ],
}

/** The answers of a terminal at rest. */
export const FACTS: Record<string, (state: FixtureState) => unknown> = {
  'GET /api/terminal': (state) => ({
    mode: state.mode,
    version: '0.1.0',
    store: { id: 'TRAIN-001', name: 'Milepost Training Store' },
    lane: '01',
    region: 'ON',
    timeZone: 'America/Toronto',
    clockChanges: TORONTO,
    defaultLocale: state.defaultLocale,
    payments: state.payments,
    memberHistory: true,
    redemptionSeconds: 18,
    startedAt: state.start.at,
    foundOpen: state.start.foundOpen,
    toEnrol: state.toEnrol,
    signedIn: state.signedIn,
    stopped: state.stopped,
  }),
  'GET /api/enrolment': (state) => ({ offered: state.toEnrol, step: 'asking', interrupted: null }),
  'GET /api/staff': () => ({ staff: [ALEX, MARIE, SAM] }),
  'POST /api/sign-in': (state) => {
    state.signedIn = ALEX
    return { staff: ALEX }
  },
  'PUT /api/staff/me/locale': () => ({}),
  'GET /api/sales/current': (state) => ({ sale: state.sale?.state === 'open' ? state.sale : null }),
  'POST /api/sales/current/lines': (state) => ({ sale: state.sale ?? saleOf([]) }),
  // Asked for when the stream of events begins anew.
  'GET /api/sales/01K9TRAINLANE01': (state) => (state.sale ? { sale: state.sale } : undefined),
  'GET /api/sales/01K9TRAINLANE01/receipt': receipt,
  'GET /api/sales/01K9TRAINLANE01/vouchers': () => ({ vouchers: [] }),
  'GET /api/devices': () => ({
    devices: [
      { role: 'card-reader', state: 'ready', detail: null },
      { role: 'scanner', state: 'ready', detail: null },
      {
        role: 'printer',
        state: 'needs-attention',
        detail: 'paper out',
        trouble: { kind: 'paper-out', holder: null, code: null },
      },
    ],
  }),
  'GET /api/devices/details': () => DETAILS,
  'POST /api/support-file/previews': () => SUPPORT_PREVIEW,
  'POST /api/support-file/exports': () => ({ number: 41_239, fileName: SUPPORT_PREVIEW.fileName }),
  'GET /api/support-file/exports/41239': () => 'gzip',
  'POST /api/devices/check': () => ({ devices: [{ role: 'printer', state: 'ready', detail: null }] }),
  'POST /api/devices/test-page': () => ({ state: 'failed', detail: 'paper out' }),
  'POST /api/devices/test-read': () => ({ read: { kind: 'program-card', shown: '0011', at: AT } }),
  'GET /api/sessions': () => ({
    sessions: [
      {
        id: 'aa',
        staff: SAM,
        openedAt: '2026-11-21T14:03:12.000Z',
        signedInAt: '2026-11-21T14:03:12.000Z',
        here: true,
      },
      { id: 'bb', staff: null, openedAt: '2026-11-21T13:03:12.000Z', signedInAt: null, here: false },
    ],
  }),
  'GET /api/waiting-changes': () => ({ changes: [] }),
  'GET /api/people': () => ({
    people: [
      {
        ...SAM,
        pin: 'own',
        lockedUntil: null,
        approvalsLockedUntil: null,
        badge: 'active',
        mayNotApprove: true,
        active: true,
        ofProfile: true,
      },
      {
        ...ALEX,
        pin: 'temporary',
        lockedUntil: '2026-11-21T14:13:12.000Z',
        approvalsLockedUntil: null,
        badge: 'none',
        mayNotApprove: false,
        active: true,
        ofProfile: true,
      },
      {
        ...MARIE,
        pin: 'none',
        lockedUntil: null,
        approvalsLockedUntil: '2026-11-21T14:08:12.000Z',
        badge: 'none',
        mayNotApprove: false,
        active: true,
        ofProfile: true,
      },
      {
        ...MARIE,
        id: 'jo',
        name: 'Jo Lavallée-Fitzgerald',
        pin: 'none',
        lockedUntil: null,
        approvalsLockedUntil: null,
        badge: 'none',
        mayNotApprove: false,
        active: false,
        ofProfile: false,
      },
    ],
  }),
  'POST /api/people/alex/reset-pin': () => ({ id: 'alex', pin: '482615' }),
  'GET /api/receipts/owed': (state) => ({
    documents:
      state.notOnPaper > 2
        ? [
            {
              paper: 'store-credit',
              id: 'A'.repeat(32),
              name: 'KQRT',
              at: '2026-11-20T15:04:00.000Z',
              totalCents: 17_41,
              receipt: 'not-printed',
            },
            ...OWED_OF_DAYS,
          ]
        : [],
  }),
  'GET /api/receipts': (state) => ({ lastSaleId: null, notOnPaper: state.notOnPaper }),
  'PUT /api/sales/01K9TRAINLANE01/choice-shown': () => ({ units: null }),
  'GET /api/sales/01K9TRAINLANE01/offers': () => answerOf([]),
  'GET /api/sales/01K9TRAINLANE02/offers': () => answerOf([]),
  'PUT /api/sales/01K9TRAINLANE01/member-history/shown': () => ({ shown: null }),
  'GET /api/member-session': () => ({ offered: true, session: null }),
  'GET /api/sounds': () => ({ volume: 6 }),
  'GET /api/settings': () => SETTINGS_FACTS,
  'GET /api/sales/held': () => ({ sales: [], awaits: null }),
  'GET /api/sales/earlier': () => EARLIER_SALES,
  'GET /api/store': () => storeState('none'),
  'GET /api/diagnostics/maintenance': () => ({
    clock: { state: 'right', aheadSeconds: null },
    backup: { at: AT, outcome: 'kept', file: 'daily-20261121-090312.db', bytes: 204_800, detail: null },
    room: { freeMb: 52_000, neededMb: 65, state: 'enough' },
  }),
  'GET /api/card-transactions': () => ({ entries: [] }),
  'GET /api/queue/summary': (state) => ({ waiting: 2, sending: 0, attention: state.attention, central: state.central }),
  'GET /api/queue': (state) => ({
    summary: { waiting: 2, sending: 0, attention: state.attention, central: state.central },
    accepted: 1,
    sendable: 3,
    bulk: { total: 12, sent: 12, skipped: 1, startedAt: AT, endedAt: AT },
    secretRefused: null,
    notices: NOTICES,
    entries: ENTRIES,
  }),
  [`GET /api/queue/${DEAD_DETAIL.id}`]: () => DEAD_DETAIL,
  [`GET /api/queue/${LOST_DETAIL.id}`]: () => LOST_DETAIL,
  'GET /api/queue/corrections': () => CORRECTIONS,
  'GET /api/reconciliation/days': () => ({ days: DAYS, ledger: LEDGER }),
  'GET /api/backups': () => BACKUPS,
  'GET /api/updates': () => UPDATES,
  'POST /api/backups/closing-20261120-211204.db/preview': () => BACKUPS,
  [`GET /api/reconciliation/days/${DAY}`]: () => REPORT,
  [`POST /api/reconciliation/days/${DAY}/exports`]: () => ORIGINAL,
  'GET /api/shifts/current': () => currentShift().body,
  'GET /api/shifts': () => SHIFT_LIST,
  'GET /api/x-report': () => X_REPORT,
  'GET /api/z-reports': () => DAY_LIST,
  'GET /api/z-reports/11/receipt': (state) => zReceipt(isFrench(state)),
  'GET /api/closings': () => CLOSING_DAYS,
  'GET /api/closings/2026-11-20/paper': (state) => closingPaper(isFrench(state)),
  'POST /api/z-reports': () => ({ report: { number: 11 } }),
  ...CONNECTION_FACTS,
  ...LANE_CHECK_FACTS,
  ...STORE_FACTS,
  [STORE_Z_PATH]: (state) => ({ ...zReceipt(isFrench(state)), lane: '01', number: 11 }),
  'POST /api/reports/runs': () => REPORT_DONE,
  'GET /api/reports/runs/1': () => REPORT_DONE,
  'POST /api/reports/runs/1/cancel': () => REPORT_DONE,
  'GET /api/journal': () => JOURNAL,
  [`GET /api/sales/${JOURNAL_SALE}/receipt`]: receipt,
  [`GET /api/journal/${JOURNAL_SALE}/traces`]: () => JOURNAL_TRACES,
  'GET /api/audit': () => AUDIT,
  'GET /api/audit/verification': () => NEVER_VERIFIED,
  'POST /api/audit/verification': () => VERIFYING,
  'POST /api/audit/exports': () => ({ number: 41_237, fileName: 'audit_TRAIN-001_lane-01_2026-11-21_41237.csv' }),
  'GET /api/audit/exports/41237': () => 'number,time',
  'GET /api/offers': (state) => ({ total: 3, stale: false, fetchedAt: AT, offers: offers(state) }),
  'GET /api/manager/offers': (state) => offerPage(sayOf(state)),
  [`GET /api/manager/offers/${OFFER_ID}`]: (state) => offerAnswer(sayOf(state)),
  [`POST /api/manager/offers/${OFFER_ID}/shelf-card`]: () => ({ number: 41_238, fileName: 'shelf-card.pdf' }),
  'GET /api/manager/shelf-cards/41238': () => '%PDF-1.4',
  'GET /api/manager/offer-lists': () => OFFER_LISTS,
  'POST /api/manager/offer-lists/refresh': () => OFFER_LISTS,
  'GET /api/catalog/quick-keys': () => ({
    departments: [
      ['Produce', 'Fruits et légumes'],
      ['Bakery', 'Boulangerie'],
      ['Dairy', 'Produits laitiers'],
      ['Deli', 'Charcuterie'],
      ['Grocery', 'Épicerie'],
      ['Snacks', 'Grignotines'],
      ['Drinks', 'Boissons'],
      ['Household', 'Maison'],
      ['Personal care', 'Soins personnels'],
      ['Flowers', 'Fleurs'],
      ['Pets', 'Animaux'],
      ['Books', 'Livres'],
      ['Clothing', 'Vêtements'],
    ].map(([name = '', french]) => ({
      id: name,
      name: { 'en-CA': name, 'fr-CA': french },
      items: [item('1010', 'Coffee beans 340 g', 'Café en grains 340 g', 1499)],
    })),
  }),
  'POST /api/catalog/items/search': () => ({
    items: [
      item('1010', 'Coffee beans 340 g', 'Café en grains 340 g', 1499),
      item('1013', 'Dark chocolate 100 g', 'Chocolat noir 100 g', 449),
      item('1018', 'Paper towels, 6 rolls', 'Essuie-tout, 6 rouleaux', 1299),
    ],
  }),
  'POST /api/training/play': training,
  'POST /api/training/central': training,
  'POST /api/training/phone': training,
  'POST /api/training/card-terminal': training,
  'GET /api/training/panel': training,
}
