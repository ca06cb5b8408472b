import type { Page } from '@playwright/test'
import type { FixtureState } from '../../testing/fixture-terminal.ts'
import {
  managed,
  SAM,
  localizeFor,
  type Localize,
  type ScreenFixture,
  type ScreenFixtures,
} from '../../testing/screen-fixture.ts'
import { dialog, MARIES_SHIFT, OPEN_SHIFT, pushed } from '../drawer/drawer.fixture.ts'

const CASH = {
  kind: 'cash',
  taken: { count: 41, amountCents: 1_284_35 },
  givenBack: { count: 1, amountCents: 12_99 },
  refunded: { count: 1, amountCents: 19_99 },
  netCents: 1_251_37,
  roundingCents: -3,
}
const totals = (cashHidden: boolean) => ({
  sales: {
    count: 97,
    grossCents: 4_318_40,
    discountCents: 84_15,
    netCents: 4_234_25,
    taxes: [{ code: 'HST', amountCents: 391_22 }],
    totalCents: 4_625_47,
    firstId: 'N10101000000427QZK',
    lastId: 'N101010000005238K7',
  },
  giftCards: { count: 2, amountCents: 75_00 },
  cashOuts: { count: 1, amountCents: 4_01 },
  returns: {
    count: 2,
    netCents: 49_98,
    taxes: [{ code: 'HST', amountCents: 6_50 }],
    totalCents: 56_48,
  },
  cancelled: 3,
  departments: [
    { id: 'Produce', soldCents: 1_204_10, netCents: 1_204_10 },
    { id: 'Household', soldCents: 2_114_30, returnedCents: 49_98, netCents: 2_064_32 },
    { id: 'Personal care', soldCents: 915_85, netCents: 915_85 },
  ],
  tenders: [
    ...(cashHidden ? [] : [CASH]),
    {
      kind: 'card-terminal',
      taken: { count: 48, amountCents: 2_801_64 },
      refunded: { count: 1, amountCents: 36_49 },
      netCents: 2_765_15,
    },
    {
      kind: 'miles',
      taken: { count: 9, amountCents: 360_00 },
      netCents: 360_00,
    },
  ],
  openSales: cashHidden ? null : { afterCents: 20_00 },
  movements: [
    { kind: 'paid-out', count: 1, amountCents: -18_40 },
    { kind: 'drop', count: 2, amountCents: -800_00 },
    { kind: 'no-sale', count: 3 },
  ],
  voidedLines: 11,
  priceChanges: 2,
  discounts: 14,
  copies: 1,
  miles: { redeemed: 3_420, redeemedCents: 360_00, issued: 1_870, unsent: 2, undecided: 1 },
  cashHidden,
})
const X_REPORT = {
  at: '2026-11-21T22:10:00.000Z',
  from: '2026-11-20T22:31:00.000Z',
  totals: totals(false),
}
const X_HIDDEN = { ...X_REPORT, totals: totals(true) }

const zRow = (number: number) => ({
  number,
  at: `2026-11-${String(number + 9).padStart(2, '0')}T22:31:00.000Z`,
  closedBy: 'Sam Okafor',
  sales: 84 + number,
  totalCents: 3_912_00 + number * 117_35,
  differenceCents: [0, -5_00, 1_25][number % 3] ?? 0,
})
export const DAY_LIST = {
  reports: [11, 10, 9, 8].map(zRow),
  next: 12,
  more: true,
  waiting: { closed: 2 },
}
const closingRow = (period: string, zs: readonly (readonly [number, number])[], over: object = {}) => ({
  period,
  isOver: true,
  zs: zs.map(([first, last]) => ({ first, last })),
  sales: 95 * zs.length,
  totalCents: 5_202_85 * zs.length,
  returnedCents: 56_48,
  ...over,
})
const CLOSING_DAYS = {
  closings: [
    closingRow('2026-11-20', [[11, 11]], { isOver: false }),
    closingRow('2026-11-19', [
      [8, 8],
      [10, 10],
    ]),
    closingRow('2026-11-18', [[9, 9]], { differenceCents: -5_00 }),
    closingRow('2026-11-17', [[6, 7]], { differenceCents: 1_25, returnedCents: 0 }),
  ],
  more: true,
}
const CLOSING_MONTHS = {
  closings: [
    closingRow('2026-11', [[4, 11]], { isOver: false, sales: 1_014, totalCents: 48_219_06 }),
    closingRow('2026-10', [[1, 3]], { sales: 288, totalCents: 14_004_11, differenceCents: -5_00 }),
  ],
}

export const UNPRINTED_DAY_PAPERS = [
  { paper: 'z-report', id: 'Z00000011', name: '11', receipt: 'not-printed' },
  { paper: 'closing', id: 'CLOSING20261119Z10X', name: '2026-11-19', receipt: 'not-printed' },
  { paper: 'shift', id: 'SHIFT00000012', name: '12', receipt: 'unknown' },
  { paper: 'cash-movement', id: 'CASH00000003', name: 'paid-out', totalCents: 18_40, receipt: 'not-printed' },
].map((paper) => ({ ...paper, at: '2026-11-20T22:31:00.000Z' }))

export const zReceipt = (localize: Localize) => ({
  print: 'confirmed',
  document: dayPaper(localize, { title: 'Z 11', heading: localize('Z REPORT', 'RAPPORT Z'), name: 'Z 11' }),
})

const closingPaper = (localize: Localize) => ({
  id: 'CLOSING20261120Z11',
  document: dayPaper(localize, {
    title: `${localize('DAILY CLOSING', 'FERMETURE DU JOUR')} 2026-11-20`,
    heading: localize('DAILY CLOSING', 'FERMETURE DU JOUR'),
    name: '2026-11-20',
    more: [localize('So far', 'À ce jour'), 'Z 11'],
  }),
})

interface PaperHead {
  readonly title: string
  readonly heading: string
  readonly name: string
  readonly more?: readonly string[]
}

function dayPaper(localize: Localize, { title, heading, name, more = [] }: PaperHead) {
  const row = (left: string, amount: string, over = {}) => ({
    kind: 'row',
    left,
    right: localize(amount, amount.replace('$', '').replace('.', ',').concat(' $')),
    ...over,
  })
  const head = (text: string) => ({ kind: 'text', text, align: 'left', bold: true })
  const rule = { kind: 'rule' }
  return {
    locale: localize('en-CA', 'fr-CA'),
    title,
    blocks: [
      { kind: 'text', text: 'Milepost Training Store', align: 'center', bold: true, size: 'large' },
      { kind: 'text', text: heading, align: 'center', bold: true },
      { kind: 'text', text: name, align: 'center', bold: true, size: 'large' },
      ...more.map((text) => ({ kind: 'text', text, align: 'center' })),
      rule,
      head(localize('Sales (95)', 'Ventes (95)')),
      row(localize('Gross', 'Brut'), '$4318.40'),
      row(localize('Discount', 'Rabais'), '-$84.15'),
      row(localize('Subtotal', 'Sous-total'), '$4234.25'),
      row(localize('HST', 'TVH'), '$391.22'),
      row('Total', '$4625.47', { bold: true }),
      rule,
      head(localize('Payments', 'Paiements')),
      row(localize('Cash (41)', 'Comptant (41)'), '$1251.37'),
      row(localize('Card (48)', 'Carte (48)'), '$2765.15'),
      rule,
      head(localize('Drawers', 'Tiroirs')),
      row(localize('Shift 10', 'Quart 10'), '$612.35'),
      rule,
      head(localize('Grand totals', 'Grands totaux')),
      row(localize('Sales (1014)', 'Ventes (1014)'), '$48219.06'),
    ],
  }
}

export const DAY_FACTS = {
  'GET /api/x-report': () => X_REPORT,
  'GET /api/z-reports': () => DAY_LIST,
  'GET /api/z-reports/11/receipt': (state: FixtureState) => zReceipt(localizeFor(state)),
  'GET /api/closings': () => CLOSING_DAYS,
  'GET /api/closings/2026-11-20/paper': (state: FixtureState) => closingPaper(localizeFor(state)),
  'POST /api/z-reports': () => ({ report: { number: 11, closedBy: { id: SAM.id, name: SAM.name } } }),
}

const DAY = 'GET /api/z-reports'
const CLOSINGS = 'GET /api/closings'
const day = (act?: ScreenFixture['act'], zs: object = {}): ScreenFixture =>
  managed('day', { answers: { [DAY]: { ...DAY_LIST, ...zs } }, act })
const views = (name: RegExp) => async (page: Page) => {
  await page.getByRole('radio', { name }).click()
  await page.getByRole('table').or(page.getByRole('group').getByRole('heading')).first().waitFor()
}
const Z_VIEW = /^(Z reports|Rapports Z)$/
const DAYS = /^(By day|Par jour)$/
const CLOSE_DAY = /^(Close day \(Z\)|Fermer la journée \(Z\))$/

const openZ = async (page: Page): Promise<void> => {
  await views(Z_VIEW)(page)
  await pushed(/Z 11$/)(page)
  await page.getByRole('article').waitFor()
}

export const DAY_END: ScreenFixtures = {
  'day-x': day(),
  'day-waiting': {
    ...day(),
    answers: {
      [DAY]: { ...DAY_LIST, waiting: { counted: 1, open: 1 } },
      'GET /api/shifts': { shifts: [OPEN_SHIFT, MARIES_SHIFT] },
      'GET /api/x-report': X_HIDDEN,
    },
  },
  'day-z': day(views(Z_VIEW)),
  'day-z-empty': day(views(Z_VIEW), { reports: [], more: false, waiting: {} }),
  'day-shifts': day(views(/^(Shifts|Quarts)$/)),
  'day-z-opened': day(openZ),
  'day-z-not-printed': {
    ...day(openZ),
    answers: (localize) => ({ 'GET /api/z-reports/11/receipt': { ...zReceipt(localize), print: 'failed' } }),
  },
  'day-closings': day(views(DAYS)),
  'day-closings-months': { ...day(views(/^(By month|Par mois)$/)), answers: { [CLOSINGS]: CLOSING_MONTHS } },
  'day-closings-empty': { ...day(views(DAYS)), answers: { [CLOSINGS]: {} } },
  'day-closings-failed': {
    ...day(async (page) => {
      await page.getByRole('radio', { name: DAYS }).click()
      await page.getByRole('alert').waitFor()
    }),
    refusals: { [CLOSINGS]: 'internal' },
  },
  'day-closing-opened': day(async (page) => {
    await views(DAYS)(page)
    await pushed(/(November 20|20 novembre)/)(page)
    await page.getByRole('article').waitFor()
  }),
  'day-close': day(pushed(CLOSE_DAY), { waiting: { closed: 2, open: 1 } }),
  'day-made': day(async (page) => {
    await pushed(CLOSE_DAY)(page)
    await dialog(page)
      .getByRole('button', { name: /^(Close day|Fermer la journée)$/ })
      .click()
    await page.getByRole('article').waitFor()
  }),
  'day-failed': {
    ...day((page) => page.getByRole('alert').nth(1).waitFor()),
    refusals: { 'GET /api/x-report': 'internal', [DAY]: 'internal', 'GET /api/shifts': 'internal' },
  },
}
