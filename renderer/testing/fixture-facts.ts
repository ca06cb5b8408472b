import { DRAWER_FACTS } from '../day/drawer/drawer.fixture.ts'
import { DAY_FACTS, zReceipt } from '../day/day-end/day-end.fixture.ts'
import { LANE_CHECK_FACTS } from '../operations/lane-check/lane-check.fixture.ts'
import { CONNECTION_FACTS } from '../operations/connection/connection.fixture.ts'
import { AUDIT_FACTS } from '../staff/audit/audit.fixture.ts'
import { SETTINGS_FACTS } from '../staff/settings/settings.fixture.ts'
import { BACKUPS } from '../operations/backups/backups.fixture.ts'
import { QUEUE_FACTS } from '../loyalty/queue/queue.fixture.ts'
import { RECONCILIATION_FACTS } from '../loyalty/reconciliation/reconciliation.fixture.ts'
import { answerOf } from '../loyalty/offers/basket-offers.fixture.ts'
import { OFFER_ID, OFFER_LISTS, offerAnswer, offerPage } from '../loyalty/offers-manager/offers.fixture.ts'
import { JOURNAL, JOURNAL_SALE, JOURNAL_TRACES, REPORT_DONE } from '../day/reports/reports.fixture.ts'
import { SUPPORT_PREVIEW } from '../operations/support/support.fixture.ts'
import { STORE_FACTS, STORE_Z_PATH, storeState } from '../day/store-overview/store-overview.fixture.ts'
import { UPDATES } from '../operations/updates/updates.fixture.ts'
import type { FixtureState } from './fixture-terminal.ts'
import { localizeFor, type Localize } from './screen-fixture.ts'
import { DEVICES_FACTS } from '../operations/devices.fixture.ts'
import { TRAINING_FACTS } from '../operations/training/training.fixture.ts'
import { EARLIER_FACTS } from '../payments/earlier-sales/earlier-sales.fixture.ts'
import { PEOPLE_FACTS } from '../staff/people/people.fixture.ts'
import { saleOf } from './sales.ts'

const AT = '2026-11-21T14:03:12.000Z'
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
})
const offers = (localize: Localize) =>
  [
    {
      award: localize('20 miles', '20 milles'),
      qualifier: localize('When you spend $40 on groceries', 'À l’achat de 40 $ d’épicerie'),
    },
    {
      award: localize('3× the miles', '3× les milles'),
      qualifier: localize('On coffee and tea', 'Sur le café et le thé'),
    },
    {
      partner: 'Harbour Fuel',
      award: localize('10 miles', '10 milles'),
      qualifier: localize('When you fill 30 litres or more', 'À l’achat de 30 litres ou plus'),
    },
  ].map(({ partner = 'Northstar', ...offer }, index) => ({
    ...offer,
    id: `7b0e5a10-0000-4000-8000-00000000000${index + 1}`,
    partner,
    category: localize('Grocery', 'Épicerie'),
    endsOn: '2026-12-03',
    forDisplay: partner === 'Northstar',
    legalText: localize('One offer per collector.', 'Une offre par adhérent.'),
  }))

export const FACTS: Record<string, (state: FixtureState, sent: unknown) => unknown> = {
  'GET /api/terminal': (state) => ({
    mode: state.mode,
    version: '0.1.0',
    store: { id: 'TRAIN-001', name: 'Milepost Training Store' },
    lane: '01',
    region: state.region ?? 'ON',
    timeZone: 'America/Toronto',
    clockChanges: TORONTO,
    defaultLocale: state.defaultLocale,
    payments: state.payments,
    emailsReceipts: true,
    memberHistory: true,
    redemptionSeconds: 18,
    startedAt: state.start.at,
    foundOpen: state.start.foundOpen,
    toEnrol: state.toEnrol,
    signedIn: state.signedIn,
    stopped: state.stopped,
  }),
  'GET /api/enrolment': (state) => ({ offered: state.toEnrol, step: 'asking' }),
  'GET /api/sales/current': (state) => ({ sale: state.sale?.state === 'open' ? state.sale : null }),
  'POST /api/sales/current/lines': (state) => ({ sale: state.sale ?? saleOf([]) }),
  // The screens request this sale when a new event stream begins.
  'GET /api/sales/01K9TRAINLANE01': (state) => (state.sale ? { sale: state.sale } : undefined),
  'GET /api/sales/01K9TRAINLANE01/vouchers': () => ({}),
  'POST /api/support-file/previews': () => SUPPORT_PREVIEW,
  'POST /api/support-file/exports': () => ({ number: 41_239, fileName: SUPPORT_PREVIEW.fileName }),
  'GET /api/support-file/exports/41239': () => 'gzip',
  'GET /api/waiting-changes': () => ({}),
  'PUT /api/sales/01K9TRAINLANE01/choice-shown': () => ({}),
  'GET /api/sales/01K9TRAINLANE01/offers': () => answerOf([]),
  'GET /api/sales/01K9TRAINLANE02/offers': () => answerOf([]),
  'PUT /api/sales/01K9TRAINLANE01/member-history/shown': () => ({}),
  'GET /api/member-session': () => ({ offered: true }),
  'GET /api/sounds': () => ({ volume: 6 }),
  'GET /api/settings': () => SETTINGS_FACTS,
  'GET /api/sales/held': () => ({}),
  'GET /api/store': () => storeState('none'),
  'GET /api/diagnostics/maintenance': () => ({
    clock: { state: 'right' },
    backup: { at: AT, outcome: 'kept', file: 'daily-20261121-090312.db', bytes: 204_800 },
    room: { freeMb: 52_000, neededMb: 65, state: 'enough' },
  }),
  'GET /api/card-transactions': () => ({}),
  ...QUEUE_FACTS,
  ...RECONCILIATION_FACTS,
  'GET /api/backups': () => BACKUPS,
  'GET /api/updates': () => UPDATES,
  'POST /api/backups/closing-20261120-211204.db/preview': () => BACKUPS,
  ...AUDIT_FACTS,
  ...DEVICES_FACTS,
  ...EARLIER_FACTS,
  ...PEOPLE_FACTS,
  ...TRAINING_FACTS,
  ...DRAWER_FACTS,
  ...DAY_FACTS,
  ...CONNECTION_FACTS,
  ...LANE_CHECK_FACTS,
  ...STORE_FACTS,
  [STORE_Z_PATH]: (state) => ({ document: zReceipt(localizeFor(state)).document, lane: '01', number: 11 }),
  'POST /api/reports/runs': () => REPORT_DONE,
  'GET /api/reports/runs/1': () => REPORT_DONE,
  'POST /api/reports/runs/1/cancel': () => REPORT_DONE,
  'GET /api/journal': () => JOURNAL,
  [`GET /api/journal/${JOURNAL_SALE}/traces`]: () => JOURNAL_TRACES,
  'GET /api/offers/of-item': (state) => ({
    offers: offers(localizeFor(state))
      .slice(0, 1)
      .map(({ id, award, qualifier }) => ({ id, award, qualifier })),
  }),
  'GET /api/offers': (state) => ({ total: 3, fetchedAt: AT, offers: offers(localizeFor(state)) }),
  'GET /api/manager/offers': (state) => offerPage(localizeFor(state)),
  [`GET /api/manager/offers/${OFFER_ID}`]: (state) => offerAnswer(localizeFor(state)),
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
  'POST /api/catalog/items/search': (_state, sent) => {
    const items = [
      item('1010', 'Coffee beans 340 g', 'Café en grains 340 g', 1499),
      item('1013', 'Dark chocolate 100 g', 'Chocolat noir 100 g', 449),
      item('1018', 'Paper towels, 6 rolls', 'Essuie-tout, 6 rouleaux', 1299),
    ]
    const exact = items.find(({ sku }) => sku === (sent as { q?: string }).q)
    return { items, ...(exact ? { exact: { sku: exact.sku, pack: null } } : {}) }
  },
}
