import type { Page } from '@playwright/test'
import { RETURN_TO_APPROVE } from '../../testing/fixture-facts.ts'
import type { FixtureTerminal } from '../../testing/fixture-terminal.ts'
import type { ScreenFixtures } from '../../testing/screen-fixture.ts'
import { line, withMember } from '../../testing/sales.ts'
import { ok } from '../../testing/answers.ts'

const QUOTE = {
  saleId: 'N1010100000038K7Q2',
  version: 3,
  lines: [],
  totals: { subtotalCents: 46_97, taxes: [], totalCents: 52_17 },
  needsApproval: false,
  exchange: null,
  refunds: [
    { kind: 'card', paidBy: 'card', amountCents: 2_17, roundingCents: 0, why: 'paid-by-card' },
    { kind: 'miles', paidBy: 'miles', amountCents: 50_00, roundingCents: 0, why: 'miles-whole' },
  ],
  reversible: { closesAt: new Date(Date.now() + 5 * 3_600_000).toISOString(), miles: 475, amountCents: 50_00 },
  milesTaken: { certainty: 'about', miles: 15 },
}
/** A sale whose goods come back: chosen from the latest, with everything of it. */
async function chooseReturn(page: Page): Promise<void> {
  await page.getByRole('grid').getByRole('row').first().click()
  await page.getByRole('button', { name: /Return all|Tout retourner/ }).click()
  await page.getByRole('timer').waitFor()
}
/** The reason and the slip of the refund, so that it can be confirmed. */
export async function fillReturn(page: Page): Promise<void> {
  await chooseReturn(page)
  // By the keyboard: a press of the mouse falls beside it while the page is still growing.
  await page.getByRole('radio').first().press('Space')
  await page.getByRole('textbox').last().fill('004417')
}
export const MADE_RETURN = {
  id: 'N1010100000052R4TX',
  saleId: 'N1010100000038K7Q2',
  at: '2026-11-21T14:03:12.000Z',
  reason: 'not-wanted',
  lines: [],
  totals: { subtotalCents: 46_97, taxes: [], totalCents: 69_58 },
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
    { kind: 'card', paidBy: 'card', amountCents: 2_17, roundingCents: 0, reference: '004417' },
    { kind: 'miles', paidBy: 'miles', amountCents: 50_00, roundingCents: 0, reference: '8842 0017 3351' },
    { kind: 'store-credit', paidBy: 'voucher', amountCents: 17_41, roundingCents: 0, reference: 'KQRT' },
  ],
}
const RETURNABLE = {
  saleId: 'N1010100000038K7Q2',
  version: 3,
  completedAt: '2026-11-20T15:04:00.000Z',
  last4: '0011',
  returns: [],
}
const RETURNABLE_PATH = 'GET /api/sales/N1010100000038K7Q2/returnable'
const RETURNABLE_ANSWER = ok({
  ...RETURNABLE,
  discounts: [
    {
      number: 1,
      reach: { kind: 'line', number: 2 },
      off: { kind: 'percent', ppm: 100_000 },
      reason: 'promotion',
      coupon: null,
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
    kept: false,
    returnedQuantity: number - 1,
    leftQuantity: 3 - number,
  })),
})
/** A return in the list of earlier sales. */
const MADE = 'N1010100000037K7Q3'
const returning = ({ state }: FixtureTerminal): void => {
  const sales = [
    {
      id: 'N1010100000038K7Q2',
      state: 'completed',
      closedAt: '2026-11-20T15:04:00.000Z',
      totalCents: 52_17,
      tenders: ['card', 'miles'],
      memberLast4: '0011',
      ofSale: null,
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
      memberLast4: null,
      cashier: 'Alex Tremblay',
      receipt: 'printed',
    },
  ]
  state.answers['GET /api/sales/earlier'] = ok({ sales, next: null })
  state.answers[RETURNABLE_PATH] = RETURNABLE_ANSWER
  state.answers['POST /api/returns/quote'] = ok(QUOTE)
  state.answers['POST /api/returns/without-record/scans'] = { status: 204, body: '' }
}

/**
 * As much as a common return holds, paid in every way: the goods, what goes back, every reason for it, and the button.
 */
export const SIX = {
  ...QUOTE,
  totals: { subtotalCents: 84_97, taxes: [], totalCents: 96_02 },
  refunds: [
    { kind: 'card', paidBy: 'card', amountCents: 41_20, roundingCents: 0, why: 'paid-by-card' },
    { kind: 'cash', paidBy: 'cash', amountCents: 4_82, roundingCents: -2, why: 'paid-in-cash' },
    { kind: 'miles', paidBy: 'miles', amountCents: 50_00, roundingCents: 0, why: 'miles-whole' },
  ],
}
/** The same goods, of which a part pays the open sale. */
const SIX_EXCHANGED = {
  ...SIX,
  refunds: [
    SIX.refunds[1],
    { ...SIX.refunds[2], kind: 'store-credit', why: 'miles-part' },
    { kind: 'store-credit', paidBy: 'card', amountCents: 41_20, roundingCents: 0, why: 'exchange' },
  ],
  exchange: { saleId: '01K9TRAINLANE01', version: 3, paysCents: 45_31, dueCents: 0 },
}
export const returningSix =
  (quote: object) =>
  (terminal: FixtureTerminal): void => {
    returning(terminal)
    terminal.state.answers[RETURNABLE_PATH] = ok({
      ...RETURNABLE,
      discounts: [],
      lines: [1, 2, 3, 4, 5, 6].map((number) => ({
        ...line(number),
        discounts: [],
        kept: false,
        returnedQuantity: 0,
        leftQuantity: 1,
      })),
    })
    terminal.state.answers['POST /api/returns/quote'] = ok(quote)
  }

/** Goods that come back. */
export const RETURNS: ScreenFixtures = {
  'return-six': { path: '/return', set: returningSix(SIX), act: chooseReturn },
  'return-six-exchange': {
    path: '/return',
    sale: withMember(),
    set: returningSix(SIX_EXCHANGED),
    act: async (page) => {
      await chooseReturn(page)
      await page.keyboard.press('F8')
      await page.getByRole('status').filter({ hasText: '45' }).first().waitFor()
    },
  },
  'return-drop': {
    path: '/return',
    set: returning,
    act: async (page) => {
      await chooseReturn(page)
      await page.keyboard.press('F2')
      await page.getByRole('alertdialog').waitFor()
    },
  },
  'return-kept': {
    path: '/return',
    set: returning,
    act: async (page) => {
      await chooseReturn(page)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: /Return in progress|Retour en cours/ }).waitFor()
    },
  },
  'return-find': {
    path: '/return',
    set: returning,
    act: async (page) => {
      await page.getByRole('grid').waitFor()
    },
  },
  return: { path: '/return', set: returning, act: chooseReturn },
  'return-elsewhere': {
    path: '/return',
    set: (terminal) => {
      returning(terminal)
      const { status, body } = RETURNABLE_ANSWER
      terminal.state.answers[RETURNABLE_PATH] = { status, body: { ...body, lane: '02' } }
    },
    act: chooseReturn,
  },
  'return-unrecorded': {
    path: '/return',
    set: returning,
    act: async (page) => {
      await page.keyboard.press('F4')
      await page.getByRole('searchbox').waitFor()
    },
  },
  'return-missing': {
    path: '/return',
    set: returning,
    act: async (page) => {
      await chooseReturn(page)
      await page.keyboard.press('F9')
      await page.getByRole('radiogroup').waitFor()
    },
  },
  'return-exchange': {
    path: '/return',
    sale: withMember(),
    set: (terminal) => {
      returning(terminal)
      terminal.state.answers['POST /api/returns/quote'] = ok({
        ...QUOTE,
        refunds: [
          { kind: 'store-credit', paidBy: 'miles', amountCents: 50_00, roundingCents: 0, why: 'miles-part' },
          { kind: 'store-credit', paidBy: 'card', amountCents: 2_17, roundingCents: 0, why: 'exchange' },
        ],
        exchange: { saleId: '01K9TRAINLANE01', version: 3, paysCents: 45_31, dueCents: 0 },
      })
    },
    act: async (page) => {
      await chooseReturn(page)
      await page.keyboard.press('F8')
      await page.getByRole('status').filter({ hasText: '45' }).first().waitFor()
    },
  },
  'return-approval': {
    path: '/return',
    refused: true,
    set: (terminal) => {
      returning(terminal)
      terminal.state.answers['POST /api/returns'] = {
        status: 403,
        body: {
          code: 'approval-required',
          messages: { 'en-CA': 'x', 'fr-CA': 'x' },
          correlationId: 'x',
          approval: RETURN_TO_APPROVE,
        },
      }
    },
    act: async (page) => {
      await fillReturn(page)
      await page.keyboard.press('F9')
      await page.getByRole('dialog').getByRole('group', { name: /Sam/ }).waitFor()
    },
  },
  'return-done': {
    path: '/return',
    set: (terminal) => {
      returning(terminal)
      terminal.state.answers['POST /api/returns'] = ok({ return: MADE_RETURN })
    },
    act: async (page) => {
      await fillReturn(page)
      await page.keyboard.press('F9')
      await page.getByText('N1010100000052R4TX').waitFor()
    },
  },
  'earlier-return': {
    path: '/manager/receipts',
    set: ({ state }) => {
      state.answers[`GET /api/returns/${MADE}`] = ok({ return: { ...MADE_RETURN, id: MADE } })
      state.answers[`GET /api/returns/${MADE}/receipt`] = ok({
        print: 'confirmed',
        hasPaperOnly: false,
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
      })
    },
    act: async (page, terminal) => {
      await page.getByRole('row').first().waitFor()
      terminal.push({ type: 'receipt-scanned', saleId: MADE as never })
      await page.getByRole('dialog').getByRole('article').waitFor()
    },
  },
  'return-slip': {
    path: '/return',
    set: returning,
    act: async (page, terminal) => {
      await page.getByRole('textbox').first().waitFor()
      terminal.push({ type: 'receipt-scanned', saleId: MADE as never })
      await page.getByText(MADE).first().waitFor()
    },
  },
  'return-unrecorded-items': {
    path: '/return',
    set: (terminal) => {
      returning(terminal)
      terminal.state.answers['POST /api/returns/without-record/quote'] = ok({
        lines: [],
        totals: { subtotalCents: 14_99, taxes: [], totalCents: 14_99 },
      })
    },
    act: async (page) => {
      await page.keyboard.press('F4')
      await page.getByRole('heading', { level: 1, name: /without a receipt|sans reçu/ }).waitFor()
      await page.getByRole('searchbox').fill('co')
      await page.getByRole('option').first().click()
      await page.getByRole('listitem').first().waitFor()
    },
  },
}
