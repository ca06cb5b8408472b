import { ok } from '../../testing/answers.ts'
/** The drawers and days of the stand-in terminal. */
export const OPEN_SHIFT = {
  id: 12,
  state: 'open',
  drawerOf: null,
  openedAt: '2026-11-21T13:02:00.000Z',
  openedBy: 'Alex Tremblay',
  floatCents: 200_00,
  floatCounted: true,
  countedAt: null,
  closedAt: null,
  closedBy: null,
  countedCents: null,
  takenCents: 0,
  recount: [],
  result: null,
  reason: null,
  leftCents: null,
  zNumber: null,
}

const compared = (expectedCents: number, countedCents: number | null) => ({
  expectedCents,
  countedCents,
  differenceCents: countedCents === null ? 0 : countedCents - expectedCents,
})

/** A count of the open shift: of cash, of card slips, and of the cheques that there were. */
export const result = (cashCents: number, slipsCents: number | null, over: object = {}) => ({
  cash: compared(612_35, cashCents),
  cardSlips: compared(144_90, slipsCents),
  cheques: compared(0, null),
  number: 2,
  needsReason: true,
  ...over,
})

export const COUNTED_SHIFT = {
  ...OPEN_SHIFT,
  state: 'counted',
  countedAt: '2026-11-21T22:04:00.000Z',
  countedCents: 607_35,
  recount: ['cash'],
}
export const CLOSED_SHIFT = {
  ...COUNTED_SHIFT,
  recount: [],
  result: result(607_35, 144_90, { number: 1 }),
  state: 'closed',
  closedAt: '2026-11-21T22:09:00.000Z',
  closedBy: 'Alex Tremblay',
  leftCents: 200_00,
}
/** Where everybody has a drawer of their own. */
export const MARIES_SHIFT = {
  ...COUNTED_SHIFT,
  id: 11,
  drawerOf: { id: 'marie', name: 'Marie Gagnon' },
  openedBy: 'Marie Gagnon',
  countedAt: '2026-11-21T21:40:00.000Z',
}

export const movements = (say: (english: string, french: string) => string) => [
  {
    id: 4,
    kind: 'no-sale',
    amountCents: 0,
    at: '2026-11-21T17:40:00.000Z',
    staff: 'Alex Tremblay',
    approvedBy: null,
    reason: say('Change for a customer', 'Monnaie pour un client'),
  },
  {
    id: 3,
    kind: 'drop',
    amountCents: 400_00,
    at: '2026-11-21T16:20:00.000Z',
    staff: 'Alex Tremblay',
    approvedBy: null,
    reason: say('Drawer limit', 'Tiroir trop plein'),
  },
  {
    id: 2,
    kind: 'paid-out',
    amountCents: 18_40,
    at: '2026-11-21T15:05:00.000Z',
    staff: 'Alex Tremblay',
    approvedBy: 'Sam Okafor',
    reason: say('Stamps for the invoices of November', 'Timbres pour les factures de novembre'),
  },
]

const current = (over: object = {}) => ({
  shift: OPEN_SHIFT,
  counted: [],
  movements: [],
  mustOpen: false,
  suggestedFloatCents: null,
  perCashier: false,
  ...over,
})
export const currentShift = (over: object = {}) => ok(current(over))

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
  returns: {
    count: 2,
    netCents: 49_98,
    taxes: [{ code: 'HST', amountCents: 6_50 }],
    totalCents: 56_48,
  },
  cancelled: 3,
  departments: [
    { id: 'Produce', soldCents: 1_204_10, returnedCents: 0, netCents: 1_204_10 },
    { id: 'Household', soldCents: 2_114_30, returnedCents: 49_98, netCents: 2_064_32 },
    { id: 'Personal care', soldCents: 915_85, returnedCents: 0, netCents: 915_85 },
  ],
  tenders: [
    ...(cashHidden ? [] : [CASH]),
    {
      kind: 'card-terminal',
      taken: { count: 48, amountCents: 2_801_64 },
      givenBack: { count: 0, amountCents: 0 },
      refunded: { count: 1, amountCents: 36_49 },
      netCents: 2_765_15,
      roundingCents: 0,
    },
    {
      kind: 'miles',
      taken: { count: 9, amountCents: 360_00 },
      givenBack: { count: 0, amountCents: 0 },
      refunded: { count: 0, amountCents: 0 },
      netCents: 360_00,
      roundingCents: 0,
    },
  ],
  openSales: cashHidden ? null : { beforeCents: 0, afterCents: 20_00 },
  movements: [
    { kind: 'paid-out', count: 1, amountCents: -18_40 },
    { kind: 'drop', count: 2, amountCents: -800_00 },
    { kind: 'no-sale', count: 3, amountCents: 0 },
  ],
  voidedLines: 11,
  priceChanges: 2,
  discounts: 14,
  copies: 1,
  miles: { redeemed: 3_420, redeemedCents: 360_00, issued: 1_870, unsent: 2, undecided: 1 },
  cashHidden,
})
export const X_REPORT = {
  at: '2026-11-21T22:10:00.000Z',
  from: '2026-11-20T22:31:00.000Z',
  openShifts: [],
  totals: totals(false),
}
export const X_HIDDEN = { ...X_REPORT, totals: totals(true) }

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
  waiting: { closed: 2, counted: 0, open: 0 },
}
export const SHIFT_LIST = {
  shifts: [
    CLOSED_SHIFT,
    { ...CLOSED_SHIFT, id: 11, reason: 'Wrong change', result: result(613_60, 144_90), zNumber: null },
    { ...CLOSED_SHIFT, id: 10, result: result(612_35, 144_90), zNumber: 11 },
  ],
  more: false,
}

const closingRow = (period: string, zs: readonly (readonly [number, number])[], over: object = {}) => ({
  period,
  isOver: true,
  zs: zs.map(([first, last]) => ({ first, last })),
  sales: 95 * zs.length,
  totalCents: 5_202_85 * zs.length,
  returnedCents: 56_48,
  differenceCents: 0,
  ...over,
})
export const CLOSING_DAYS = {
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
export const CLOSING_MONTHS = {
  closings: [
    closingRow('2026-11', [[4, 11]], { isOver: false, sales: 1_014, totalCents: 48_219_06 }),
    closingRow('2026-10', [[1, 3]], { sales: 288, totalCents: 14_004_11, differenceCents: -5_00 }),
  ],
  more: false,
}

/** Papers of a drawer and of its day that did not come out. */
export const OWED_OF_DAYS = [
  { paper: 'z-report', id: 'Z00000011', name: '11', totalCents: null, receipt: 'not-printed' },
  { paper: 'closing', id: 'CLOSING20261119Z10X', name: '2026-11-19', totalCents: null, receipt: 'not-printed' },
  { paper: 'shift', id: 'SHIFT00000012', name: '12', totalCents: null, receipt: 'unknown' },
  { paper: 'cash-movement', id: 'CASH00000003', name: 'paid-out', totalCents: 18_40, receipt: 'not-printed' },
].map((owed) => ({ ...owed, at: '2026-11-20T22:31:00.000Z' }))

/** The paper of a Z, as far as a picture needs it. */
export const zReceipt = (french: boolean) => ({
  print: 'confirmed',
  hasPaperOnly: false,
  document: dayPaper(french, { title: 'Z 11', heading: french ? 'RAPPORT Z' : 'Z REPORT', name: 'Z 11' }),
})

/** The paper of a day that goes on. */
export const closingPaper = (french: boolean) => ({
  id: 'CLOSING20261120Z11',
  print: null,
  document: dayPaper(french, {
    title: `${french ? 'FERMETURE DU JOUR' : 'DAILY CLOSING'} 2026-11-20`,
    heading: french ? 'FERMETURE DU JOUR' : 'DAILY CLOSING',
    name: '2026-11-20',
    more: [french ? 'À ce jour' : 'So far', 'Z 11'],
  }),
})

interface PaperHead {
  readonly title: string
  readonly heading: string
  readonly name: string
  readonly more?: readonly string[]
}

function dayPaper(french: boolean, { title, heading, name, more = [] }: PaperHead) {
  const say = (english: string, inFrench: string): string => (french ? inFrench : english)
  const row = (left: string, amount: string, over = {}) => ({
    kind: 'row',
    left,
    right: french ? amount.replace('$', '').replace('.', ',').concat(' $') : amount,
    ...over,
  })
  const head = (text: string) => ({ kind: 'text', text, align: 'left', bold: true })
  const rule = { kind: 'rule' }
  return {
    locale: french ? 'fr-CA' : 'en-CA',
    title,
    blocks: [
      { kind: 'text', text: 'Milepost Training Store', align: 'center', bold: true, size: 'large' },
      { kind: 'text', text: heading, align: 'center', bold: true },
      { kind: 'text', text: name, align: 'center', bold: true, size: 'large' },
      ...more.map((text) => ({ kind: 'text', text, align: 'center' })),
      rule,
      head(say('Sales (95)', 'Ventes (95)')),
      row(say('Gross', 'Brut'), '$4318.40'),
      row(say('Discount', 'Rabais'), '-$84.15'),
      row(say('Subtotal', 'Sous-total'), '$4234.25'),
      row(say('HST', 'TVH'), '$391.22'),
      row('Total', '$4625.47', { bold: true }),
      rule,
      head(say('Payments', 'Paiements')),
      row(say('Cash (41)', 'Comptant (41)'), '$1251.37'),
      row(say('Card (48)', 'Carte (48)'), '$2765.15'),
      rule,
      head(say('Drawers', 'Tiroirs')),
      row(say('Shift 10', 'Quart 10'), '$612.35'),
      rule,
      head(say('Grand totals', 'Grands totaux')),
      row(say('Sales (1014)', 'Ventes (1014)'), '$48219.06'),
    ],
  }
}
