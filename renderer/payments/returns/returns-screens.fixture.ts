import type { Page } from '@playwright/test'
import type { ScreenFixture, ScreenFixtures } from '../../testing/screen-fixture.ts'
import { line, withMember } from '../../testing/sales.ts'

const QUOTE = {
  saleId: 'N1010100000038K7Q2',
  version: 3,
  totals: { subtotalCents: 46_97, totalCents: 52_17 },
  refunds: [
    { kind: 'card', paidBy: 'card', amountCents: 2_17, why: 'paid-by-card' },
    { kind: 'miles', paidBy: 'miles', amountCents: 50_00, why: 'miles-whole' },
  ],
  reversible: { closesAt: new Date(Date.now() + 5 * 3_600_000).toISOString(), miles: 475, amountCents: 50_00 },
  milesTaken: { certainty: 'about', miles: 15 },
  brokenRules: [],
  recalled: [],
}
async function chooseReturn(page: Page): Promise<void> {
  await page.getByRole('grid').getByRole('row').first().click()
  await page.getByRole('button', { name: /Return all|Tout retourner/ }).click()
  await page.getByRole('timer').waitFor()
}
export async function fillReturn(page: Page): Promise<void> {
  await chooseReturn(page)
  // A key press is used because a mouse click misses while the page is still growing.
  await page.getByRole('radio').first().press('Space')
  await page.getByRole('textbox').last().fill('004417')
}
export const MADE_RETURN = {
  id: 'N1010100000052R4TX',
  saleId: 'N1010100000038K7Q2',
  at: '2026-11-21T14:03:12.000Z',
  reason: 'not-wanted',
  totals: { subtotalCents: 46_97, totalCents: 69_58 },
  vouchers: [
    {
      id: 'A'.repeat(32),
      kind: 'store-credit',
      last4: 'KQRT',
      issuedAt: '2026-11-21T14:03:12.000Z',
      balanceCents: 17_41,
    },
  ],
  refunds: [
    { kind: 'card', paidBy: 'card', amountCents: 2_17, reference: '004417' },
    { kind: 'miles', paidBy: 'miles', amountCents: 50_00, reference: '8842 0017 3351' },
    { kind: 'store-credit', paidBy: 'voucher', amountCents: 17_41, reference: 'KQRT' },
  ],
}
const RETURNABLE = {
  saleId: 'N1010100000038K7Q2',
  version: 3,
  completedAt: '2026-11-20T15:04:00.000Z',
  last4: '0011',
}
const RETURNABLE_PATH = 'GET /api/sales/N1010100000038K7Q2/returnable'
const PARTLY_RETURNED = {
  ...RETURNABLE,
  discounts: [
    {
      number: 1,
      reach: { kind: 'line', number: 2 },
      off: { kind: 'percent', ppm: 100_000 },
      reason: 'promotion',
      applies: true,
      amountCents: 3_00,
    },
  ],
  lines: [1, 2, 3].map((number) => ({
    ...line(number, {
      quantity: 2,
      ...(number === 2 ? { discountCents: 3_00, amountCents: 26_98, regularPriceCents: 15_99 } : {}),
    }),
    discounts: number === 2 ? [1] : [],
    returnedQuantity: number - 1,
    leftQuantity: 3 - number,
  })),
}
const MADE = 'N1010100000037K7Q3'
const SALES = [
  {
    id: RETURNABLE.saleId,
    state: 'completed',
    closedAt: RETURNABLE.completedAt,
    totalCents: 52_17,
    tenders: ['card', 'miles'],
    memberLast4: '0011',
    cashier: 'Alex Tremblay',
    receipt: 'printed',
  },
  {
    id: MADE,
    state: 'returned',
    ofSale: 'N1010100000031K7Q9',
    closedAt: '2026-11-20T14:04:00.000Z',
    totalCents: 4_49,
    tenders: ['cash'],
    cashier: 'Alex Tremblay',
    receipt: 'printed',
  },
]
const BROKEN_RULES = [
  {
    rule: 'window',
    name: { 'en-CA': 'Laundry detergent 2.95 L', 'fr-CA': 'Détersif à lessive 2,95 L' },
    days: 30,
    lastDay: '2026-11-19',
  },
  { rule: 'final-sale', name: { 'en-CA': 'Apples, Gala (bag)', 'fr-CA': 'Pommes Gala (sac)' } },
  { rule: 'lane-amount', mostCents: 500_00 },
]

const returning = (
  act: ScreenFixture['act'],
  answers: object = {},
  refusals?: ScreenFixture['refusals'],
): ScreenFixture => ({
  ...(refusals ? { refusals } : {}),
  path: '/return',
  answers: {
    'GET /api/sales/earlier': { sales: SALES },
    [RETURNABLE_PATH]: PARTLY_RETURNED,
    'POST /api/returns/quote': QUOTE,
    ...answers,
  },
  act,
})

export const SIX = {
  ...QUOTE,
  totals: { subtotalCents: 84_97, totalCents: 96_02 },
  refunds: [
    { kind: 'card', paidBy: 'card', amountCents: 41_20, why: 'paid-by-card' },
    { kind: 'cash', paidBy: 'cash', amountCents: 4_82, roundingCents: -2, why: 'paid-in-cash' },
    { kind: 'miles', paidBy: 'miles', amountCents: 50_00, why: 'miles-whole' },
  ],
}
const SIX_EXCHANGED = {
  ...SIX,
  refunds: [
    SIX.refunds[1],
    { ...SIX.refunds[2], kind: 'store-credit', why: 'miles-part' },
    { kind: 'store-credit', paidBy: 'card', amountCents: 41_20, why: 'exchange' },
  ],
  exchange: { saleId: '01K9TRAINLANE01', version: 3, paysCents: 45_31 },
}
export const returningSix = (quote: object): ScreenFixture =>
  returning(chooseReturn, {
    [RETURNABLE_PATH]: {
      ...RETURNABLE,
      lines: [1, 2, 3, 4, 5, 6].map((number) => ({ ...line(number), leftQuantity: 1 })),
    },
    'POST /api/returns/quote': quote,
  })

const WEIGHED = {
  name: { 'en-CA': 'Black Forest ham', 'fr-CA': 'Jambon Forêt-Noire' },
  unitPriceCents: 5_42,
  amountCents: 5_42,
  measure: { unit: 'kg', netThousandths: 1_235, unitPriceCents: 4_39, source: 'scale' },
} as const
const TO_APPROVE = {
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
  brokenRules: [],
}
const exchanging = async (page: Page): Promise<void> => {
  await chooseReturn(page)
  await page.keyboard.press('F8')
  await page.getByRole('status').filter({ hasText: '45' }).first().waitFor()
}

export const RETURNS: ScreenFixtures = {
  'return-six': returningSix(SIX),
  'return-six-exchange': { ...returningSix(SIX_EXCHANGED), sale: withMember(), act: exchanging },
  'return-drop': returning(async (page) => {
    await chooseReturn(page)
    await page.keyboard.press('F2')
    await page.getByRole('alertdialog').waitFor()
  }),
  'return-suspended': returning(async (page) => {
    await chooseReturn(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /Return in progress|Retour en cours/ }).waitFor()
  }),
  'return-find': returning((page) => page.getByRole('grid').waitFor()),
  return: returning(chooseReturn),
  'return-weighed': returning(chooseReturn, {
    [RETURNABLE_PATH]: { ...RETURNABLE, lines: [{ ...line(1, WEIGHED), leftQuantity: 1 }] },
  }),
  'return-elsewhere': returning(chooseReturn, { [RETURNABLE_PATH]: { ...PARTLY_RETURNED, lane: '02' } }),
  'return-unrecorded': returning(async (page) => {
    await page.keyboard.press('F4')
    await page.getByRole('searchbox').waitFor()
  }),
  'return-missing': returning(async (page) => {
    await chooseReturn(page)
    await page.keyboard.press('F9')
    await page.getByRole('radiogroup').waitFor()
  }),
  'return-exchange': {
    ...returning(exchanging, {
      'POST /api/returns/quote': {
        ...QUOTE,
        refunds: [
          { kind: 'store-credit', paidBy: 'miles', amountCents: 50_00, why: 'miles-part' },
          { kind: 'store-credit', paidBy: 'card', amountCents: 2_17, why: 'exchange' },
        ],
        exchange: { saleId: '01K9TRAINLANE01', version: 3, paysCents: 45_31 },
      },
    }),
    sale: withMember(),
  },
  'return-approval': {
    ...returning(async (page) => {
      await fillReturn(page)
      await page.keyboard.press('F9')
      await page.getByRole('dialog').getByRole('group', { name: /Sam/ }).waitFor()
    }),
    refusals: { 'POST /api/returns': { code: 'approval-required', approval: TO_APPROVE } },
  },
  'return-rules': returning(chooseReturn, {
    'POST /api/returns/quote': {
      ...QUOTE,
      brokenRules: BROKEN_RULES,
      recalled: [{ name: { 'en-CA': 'Milk 2 L', 'fr-CA': 'Lait 2 L' }, lot: 'L7' }],
      needsApproval: true,
    },
  }),
  'return-rules-approval': {
    ...returning(async (page) => {
      await fillReturn(page)
      await page.keyboard.press('F9')
      await page
        .getByRole('dialog')
        .getByText(/lane today|caisse aujourd’hui/)
        .waitFor()
    }),
    refusals: {
      'POST /api/returns': {
        code: 'approval-required',
        approval: { ...TO_APPROVE, action: 'return-override', approvers: ['manager'], brokenRules: BROKEN_RULES },
      },
    },
  },
  'return-unrecorded-asks': returning(
    async (page) => {
      await page.keyboard.press('F4')
      await page.getByRole('searchbox').fill('repair')
      await page.getByRole('option').first().click()
      await page.getByRole('textbox', { name: /on the tag|étiquette/ }).waitFor()
    },
    {
      'POST /api/catalog/items/search': {
        items: [
          {
            sku: 'REPAIR',
            name: { 'en-CA': 'Watch repair', 'fr-CA': 'Réparation de montre' },
            priceCents: 0,
            openPrice: { leastCents: 1_00, mostCents: 200_00 },
          },
        ],
        exact: { sku: 'REPAIR', pack: null },
      },
    },
    {
      'POST /api/returns/without-record/quote': {
        code: 'price-required',
        details: [{ path: 'sku', message: 'REPAIR' }],
      },
    },
  ),
  'return-done': returning(
    async (page) => {
      await fillReturn(page)
      await page.keyboard.press('F9')
      await page.getByText('N1010100000052R4TX').waitFor()
    },
    { 'POST /api/returns': { return: MADE_RETURN } },
  ),
  'earlier-return': {
    path: '/manager/receipts',
    answers: {
      [`GET /api/returns/${MADE}`]: { return: { ...MADE_RETURN, id: MADE } },
      [`GET /api/returns/${MADE}/receipt`]: {
        print: 'confirmed',
        document: {
          locale: 'en-CA',
          title: `Return ${MADE}`,
          blocks: [
            { kind: 'text', text: 'RETURN', align: 'center', bold: true, size: 'large' },
            { kind: 'text', text: 'Items from sale N1010100000031K7Q9', align: 'left' },
            { kind: 'rule' },
            { kind: 'row', left: 'Dark chocolate 100 g', right: '$4.49' },
            { kind: 'rule' },
            { kind: 'row', left: 'Cash refund', right: '$4.50', bold: true },
            { kind: 'barcode', symbology: 'code128', data: MADE },
          ],
        },
      },
    },
    act: async (page, terminal) => {
      await page.getByRole('row').first().waitFor()
      terminal.push({ type: 'receipt-scanned', saleId: MADE as never })
      await page.getByRole('dialog').getByRole('article').waitFor()
    },
  },
  'return-slip': returning(async (page, terminal) => {
    await page.getByRole('textbox').first().waitFor()
    terminal.push({ type: 'receipt-scanned', saleId: MADE as never })
    await page.getByText(MADE).first().waitFor()
  }),
  'return-unrecorded-items': returning(
    async (page) => {
      await page.keyboard.press('F4')
      await page.getByRole('heading', { level: 1, name: /without a receipt|sans reçu/ }).waitFor()
      await page.getByRole('searchbox').fill('co')
      await page.getByRole('option').first().click()
      await page.getByRole('listitem').first().waitFor()
    },
    {
      'POST /api/returns/without-record/quote': {
        lines: [],
        totals: { subtotalCents: 14_99, totalCents: 14_99 },
        brokenRules: [],
        recalled: [],
      },
    },
  ),
}
