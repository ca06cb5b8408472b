import { REGION_DEPOSITS } from '../../../contracts/core/region-deposits.ts'
import type { Page } from '@playwright/test'
import type { PriceCheck } from '../../../contracts/catalog/catalog.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { CardPayment } from '../../../contracts/payments/tenders/card-terminal.ts'
import {
  PERSON_KEY_GAP_MS,
  cash,
  miles,
  press,
  type ScreenFixture,
  type ScreenFixtures,
} from '../../testing/screen-fixture.ts'
import type { FixtureTerminal } from '../../testing/fixture-terminal.ts'
import {
  basket,
  line,
  member,
  redemption,
  saleOf,
  withMember,
  type PlainSale,
  completedSale,
  printJob,
} from '../../testing/sales.ts'

const soldCards = (count: 1 | 2): ScreenFixture => ({
  sale: withMember(),
  answers: {
    'GET /api/sales/01K9TRAINLANE01/vouchers': {
      vouchers: ['GHRT', 'KQMB'].slice(0, count).map((last4, index) => ({
        id: String(index).repeat(32),
        kind: 'gift-card',
        last4,
        issuedAt: '2026-11-21T14:03:12.000Z',
        balanceCents: 25_00 + index * 75_00,
        print: index === 0 ? 'queued' : 'confirmed',
      })),
    },
  },
  act: async (page, terminal) => {
    terminal.push(completedSale(withMember({ tenders: [cash] })))
    await page.getByRole('article').waitFor()
    terminal.push(
      printJob({
        paper: 'voucher',
        saleId: '0'.repeat(32),
        totalCents: null,
        voucher: { kind: 'gift-card', last4: 'GHRT', balanceCents: 25_00 },
      }),
    )
    await page.getByRole('alert').filter({ hasText: 'GHRT' }).waitFor()
    await page.locator('button[data-focused]').waitFor()
  },
})

/**
 * Searches for an item and presses the payment key before the search is answered. The returned `answer` releases the
 * answer.
 */
const payTooSoon = async (page: Page, query: string): Promise<{ answer: () => void }> => {
  const latch = Promise.withResolvers<void>()
  await page.route(
    '**/api/catalog/items/search',
    async (route) => {
      await latch.promise
      await route.fallback()
    },
    { times: query.length + 1 },
  )
  await page.keyboard.press('F2')
  await page.keyboard.type(query, { delay: PERSON_KEY_GAP_MS })
  await page.keyboard.press('Enter')
  await page.keyboard.press('F9')
  await page.getByText(/^(Waiting for a response|En attente d’une réponse)/).waitFor()
  return { answer: latch.resolve }
}

const openPriceCheck = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+F2')
  await page.getByRole('dialog').waitFor()
}
const CHECKED: PriceCheck = {
  item: {
    sku: 'COLA',
    barcode: '0628451101000',
    name: { 'en-CA': 'Cola', 'fr-CA': 'Cola' },
    priceCents: cents(1_25),
    openPrice: null,
    taxCategory: 'standard',
    departmentId: 'drinks',
    categoryId: null,
    mostPerSale: 24,
  },
  pack: { barcode: '10628451101007', quantity: 6 },
  priceCents: cents(7_50),
  reductions: [{ id: 'cola', name: { 'en-CA': '6 for $5.00', 'fr-CA': '6 pour 5,00 $' }, amountCents: cents(2_50) }],
  afterCents: cents(5_00),
  further: [{ id: 'snack', name: { 'en-CA': 'Cola and chips for $6.00', 'fr-CA': 'Cola et croustilles pour 6,00 $' } }],
  isByWeight: false,
  charges: [
    {
      id: 'ab-small',
      kind: 'deposit',
      name: { 'en-CA': 'Deposit up to 1 L: 6×0.10', 'fr-CA': 'Consigne jusqu’à 1 L : 6×0,10' },
      cents: cents(60),
      earns: false,
    },
  ],
}

const plainLine = {
  regularPriceCents: null,
  discountCents: 0,
  taxCodes: [],
  voided: false,
  note: null,
}
const DEPOSIT_LINES: PlainSale['lines'] = [
  {
    ...plainLine,
    number: 1,
    sku: 'POP12',
    name: { 'en-CA': 'Soda 12 × 355 mL', 'fr-CA': 'Boisson gazeuse 12 × 355 ml' },
    quantity: 2,
    unitPriceCents: 6_99,
    amountCents: 13_98,
    taxCodes: ['HST'],
  },
  {
    ...plainLine,
    number: 10_001,
    sku: 'milepost:deposit',
    name: { 'en-CA': 'Deposit up to 1 L: 12×0.10', 'fr-CA': 'Consigne jusqu’à 1 L : 12×0,10' },
    quantity: 2,
    unitPriceCents: 1_20,
    amountCents: 2_40,
    chargeOf: 1,
  },
]
const EMPTIES_LINE: PlainSale['lines'][number] = {
  ...plainLine,
  number: 1,
  sku: 'milepost:empties',
  name: { 'en-CA': 'Empties: Deposit up to 1 L', 'fr-CA': 'Vides : Consigne jusqu’à 1 L' },
  quantity: 24,
  unitPriceCents: -10,
  amountCents: -2_40,
}
const NO_TOTALS = { taxes: [], tenderedCents: 0 }
const EMPTIES = {
  classes: REGION_DEPOSITS.AB.map(({ id, names, cents: refundCents }) => ({ id, name: names, refundCents })),
  most: 240,
}

const BANANAS = {
  sku: '1073',
  barcode: '4011',
  name: { 'en-CA': 'Bananas', 'fr-CA': 'Bananes' },
  priceCents: cents(1_99),
  openPrice: null,
  taxCategory: 'zero-rated' as const,
  departmentId: 'produce',
  categoryId: null,
  soldBy: 'kg' as const,
  tare: { kind: 'fixed' as const, thousandths: 12 },
}
const scaleIs = (state: 'stable' | 'unstable') => ({
  scale: {
    number: 4,
    unit: 'kg',
    state,
    grossThousandths: state === 'stable' ? 1_235 : null,
    decimals: 3,
    isNet: false,
    minimumThousandths: 20,
  },
})
/** Opens the dialog that weighs an item. */
const weighing = (state: 'stable' | 'unstable', item: object = BANANAS): ScreenFixture => ({
  sale: withMember(),
  answers: { 'GET /api/scale': scaleIs(state) },
  act: async (page, terminal) => {
    terminal.push({ type: 'weight-asked', item: { ...BANANAS, ...item } })
    await page.getByRole('dialog').waitFor()
  },
})
/** A line with a weight and a tare. */
const weighedLine = () => ({
  ...line(1),
  name: { 'en-CA': 'Salad bar', 'fr-CA': 'Bar à salades' },
  quantity: 1,
  unitPriceCents: cents(6_50),
  amountCents: cents(6_50),
  measure: {
    unit: 'kg' as const,
    netThousandths: 500,
    tareThousandths: 12,
    unitPriceCents: cents(12_99),
    source: 'scale' as const,
  },
})

const completed = async (page: Page, terminal: FixtureTerminal, over: Partial<PlainSale>): Promise<void> => {
  terminal.push(completedSale(withMember(over)))
  await page.getByRole('article').waitFor()
  await page.locator('button[data-focused]').waitFor()
}
const after = (issuance: PlainSale['issuance'], over: Partial<PlainSale> = {}): ScreenFixture => ({
  sale: withMember(),
  act: (page, terminal) => completed(page, terminal, { tenders: [cash], issuance, ...over }),
})

const TERMINAL: ScreenFixture = {
  set: ({ state }) => {
    state.payments = ['cash', 'card', 'card-terminal', 'cheque', 'manufacturer-coupon', 'voucher']
  },
}
const coupon = (over: object): ScreenFixture => ({
  ...TERMINAL,
  sale: withMember(),
  act: async (page, terminal) => {
    terminal.push({
      type: 'manufacturer-coupon-presented',
      coupon: {
        code: '99000012345',
        name: { 'en-CA': 'Detergent: $5 off', 'fr-CA': 'Détersif : 5 $ de rabais' },
        faceCents: cents(5_00),
        mostCents: cents(19_99),
        ...over,
      },
    })
    await page.getByRole('button', { name: /^(Take coupon|Prendre le bon)/ }).waitFor()
  },
})
const asked = (state: CardPayment['state'], reason: CardPayment['reason']): Sale =>
  withMember({
    cardPayment: { reference: 'A1B2C3D4E5', amountCents: 45_31 as never, approvedCents: null, state, reason },
  })

export const SALE: ScreenFixtures = {
  'sale-empty': {},
  sale: { sale: withMember() },
  'sale-no-member': { sale: saleOf([line(1), line(2)]) },
  'sale-pending': {
    sale: saleOf(basket(), { member: member({ state: 'pending', availableCents: null, availableCashMiles: null }) }),
  },
  'sale-reason': {
    sale: saleOf(basket(), {
      milesPreview: 45,
      member: member({ availableCents: null, availableCashMiles: null, noRedemption: 'suppressed' }),
    }),
  },
  'sale-inquiry-failed': {
    sale: saleOf(basket(), {
      milesPreview: 45,
      member: member({
        state: 'unknown',
        availableCents: null,
        availableCashMiles: null,
        noRedemption: 'central-unreachable',
      }),
    }),
  },
  'sale-no-miles': {
    sale: saleOf([line(1)], { milesPreview: 0, member: member({ availableCents: null, availableCashMiles: null }) }),
  },
  'sale-long': {
    sale: saleOf(
      Array.from({ length: 24 }, (_, index) => line(index + 1, { quantity: 12 })),
      { member: member(), milesPreview: 1_450 },
    ),
  },
  search: {
    sale: withMember(),
    act: async (page) => {
      await page.keyboard.press('F2')
      await page.keyboard.type('co', { delay: PERSON_KEY_GAP_MS })
      await page.getByRole('option').first().waitFor()
    },
  },
  'keys-wait': {
    sale: withMember(),
    act: async (page) => {
      await payTooSoon(page, '1013')
    },
  },
  'keys-not-done': {
    sale: withMember(),
    act: async (page) => {
      ;(await payTooSoon(page, 'co')).answer()
      await page.getByText(/^(Not done|Non effectué)/).waitFor()
    },
  },
  'quick-keys': {
    act: async (page) => {
      await page.keyboard.press('Shift+F2')
      await page.getByRole('option').first().waitFor()
    },
  },
  redeem: { sale: withMember(), act: press('Shift+F4', 'ArrowDown') },
  'redeem-sending': {
    sale: withMember({ redemption: redemption({ state: 'intent', outcome: 'sending', confirmationNumber: null }) }),
  },
  'redeem-retrying': {
    sale: withMember({ redemption: redemption({ state: 'retry', outcome: 'retrying', confirmationNumber: null }) }),
  },
  'redeem-approved': { sale: withMember({ redemption: redemption(), redemptionChoice: null, tenders: [miles] }) },
  'redeem-not-applied': {
    sale: withMember({
      redemption: redemption({
        state: 'escalated',
        outcome: 'not-applied',
        confirmationNumber: null,
        responseCode: null,
      }),
      redemptionChoice: null,
    }),
  },
  'redeem-declined': {
    sale: withMember({
      redemption: redemption({
        state: 'declined',
        outcome: 'insufficient-miles',
        confirmationNumber: null,
        responseCode: '0051',
      }),
      redemptionChoice: null,
    }),
  },
  'after-redeem': {
    sale: withMember({ redemption: redemption(), redemptionChoice: null, tenders: [miles] }),
    act: press('Enter'),
  },
  cash: { sale: withMember(), act: press('F6', '5', '0', '0', '0') },
  card: { sale: withMember(), act: press('F7') },
  after: {
    sale: withMember(),
    act: async (page, terminal) => {
      const issuance = { state: 'queued', refusal: null, pending: null, rejected: null, miles: 45 } as const
      terminal.push(completedSale(withMember({ redemption: redemption(), tenders: [miles, cash] }), { issuance }))
      await page.getByRole('article').waitFor()
      await page.locator('button[data-focused]').waitFor()
    },
  },
  'after-email': {
    sale: withMember(),
    act: async (page, terminal) => {
      terminal.push(completedSale(withMember({ tenders: [cash] })))
      await page.locator('button[data-focused]').waitFor()
      await page.keyboard.press('Control+F9')
      await page.getByRole('dialog').getByRole('textbox').first().waitFor()
    },
  },
  'after-notice': {
    sale: withMember(),
    act: async (page, terminal) => {
      terminal.push(completedSale(withMember({ tenders: [cash] })))
      await page.getByRole('article').waitFor()
      terminal.push(printJob({}))
      await page
        .getByRole('alert')
        .filter({ hasText: /receipt|reçu/i })
        .waitFor()
      await page.locator('button[data-focused]').waitFor()
    },
  },
  'after-none': after({ state: 'queued', miles: 0, pending: null, rejected: null, refusal: null }, { milesPreview: 0 }),
  'after-pending': after({ state: 'accepted', miles: 0, pending: 45, rejected: null, refusal: null }),
  'after-in-part': after({ state: 'accepted', miles: 6, pending: 12, rejected: 30, refusal: null }),
  'after-gift-card': soldCards(1),
  'after-gift-cards': soldCards(2),
  'sale-next': {
    sale: withMember(),
    act: async (page, terminal) => {
      terminal.push(completedSale(withMember({ tenders: [cash] })))
      await page.getByRole('article').waitFor()
      terminal.push({
        type: 'sale-changed',
        cause: 'command',
        sale: saleOf([line(1)], { id: '01K9TRAINLANE02', version: 1, revision: 1 }),
      })
      await page.getByText(/Last change|Dernière monnaie/).waitFor()
    },
  },
  cancelled: {
    sale: withMember(),
    act: async (page, terminal) => {
      terminal.push({
        type: 'sale-changed',
        cause: 'command',
        sale: {
          ...withMember({
            tenders: [miles, cash],
            redemption: redemption({ state: 'reversing', outcome: 'reversing' }),
          }),
          version: 9,
          revision: 9,
          state: 'cancelled',
        },
      })
      await page.getByRole('heading', { name: /Sale cancelled|Vente annulée/ }).waitFor()
      await page.locator('button[data-focused]').waitFor()
    },
  },
  'sale-recovered': {
    sale: withMember(),
    set: ({ state }) => {
      state.start = { at: '2026-11-21T14:02:00.000Z', foundOpen: '01K9TRAINLANE01' }
    },
    act: (page) =>
      page
        .getByRole('status')
        .filter({ hasText: /restart|redémarrage/ })
        .waitFor(),
  },
  'sale-empty-last': {
    answers: { 'GET /api/receipts': { lastSaleId: 'N1010100000038K7Q2' } },
    act: (page) =>
      page
        .getByRole('button', { name: /F11|Reprint|Réimprimer/ })
        .first()
        .waitFor(),
  },
  'sale-free': { sale: saleOf([line(1, { unitPriceCents: 0, amountCents: 0 })], { member: member() }) },
  'sale-no-earning': {
    sale: saleOf(basket(), {
      member: member({
        availableCents: null,
        availableCashMiles: null,
        noRedemption: 'collector-invalid',
        noEarning: 'collector-invalid',
      }),
    }),
  },
  'sale-no-earning-only': {
    sale: saleOf(basket(), {
      member: member({
        availableCents: null,
        availableCashMiles: null,
        noRedemption: 'central-unreachable',
        noEarning: 'account-inactive',
        state: 'unknown',
      }),
    }),
  },
  'sale-every-way': { ...TERMINAL, sale: withMember() },
  'coupon-payment': { ...TERMINAL, sale: withMember(), act: press('Control+F12') },
  'coupon-payment-known': coupon({}),
  'coupon-payment-typed': coupon({ name: null, faceCents: null }),
  'sale-every-way-paid': {
    ...TERMINAL,
    sale: withMember({ redemption: redemption(), redemptionChoice: null, tenders: [miles] }),
    act: press('Enter'),
  },
  'redeem-approved-every-way': {
    ...TERMINAL,
    sale: withMember({ redemption: redemption(), redemptionChoice: null, tenders: [miles] }),
  },
  'sale-next-quantity': {
    sale: withMember(),
    act: async (page, terminal) => {
      terminal.push({ type: 'next-quantity', quantity: 3 })
      await page.getByText(/^3 ×/).waitFor()
    },
  },
  'sale-next-quantity-typed': {
    sale: withMember(),
    act: async (page) => {
      await page.keyboard.press('*')
      await page.getByRole('textbox', { name: /^(Quantity of the next|Quantité du prochain)/ }).waitFor()
    },
  },
  'sale-deposits': { sale: withMember({ lines: DEPOSIT_LINES }) },
  'sale-payout': {
    sale: withMember({
      lines: [EMPTIES_LINE],
      totals: { ...NO_TOTALS, subtotalCents: -240, totalCents: -240, dueCents: -240, cashDueCents: -240 },
    }),
  },
  'sale-paid-out': {
    sale: withMember(),
    act: (page, terminal) =>
      completed(page, terminal, {
        lines: [EMPTIES_LINE],
        totals: { ...NO_TOTALS, subtotalCents: -240, totalCents: -240, dueCents: 0, cashDueCents: 0 },
        tenders: [{ ...cash, amountCents: -240, tenderedCents: -240, changeCents: 0 }],
      }),
  },
  empties: {
    sale: withMember(),
    answers: { 'GET /api/empties': EMPTIES },
    act: async (page) => {
      await page.keyboard.press('Control+F3')
      await page.getByRole('dialog').waitFor()
      await page.getByRole('textbox').nth(1).fill('24')
    },
  },
  'empties-none': {
    sale: withMember(),
    answers: { 'GET /api/empties': { classes: [], most: 240 } },
    act: async (page) => {
      await page.keyboard.press('Control+F3')
      await page.getByRole('dialog').waitFor()
    },
  },
  weigh: weighing('stable'),
  'weigh-moving': weighing('unstable'),
  'weigh-metres': weighing('stable', { unit: 'm', tare: undefined }),
  'sale-weighed': { sale: saleOf([weighedLine(), line(2)]) },
  'price-check': { sale: withMember(), act: openPriceCheck },
  'price-check-done': {
    sale: withMember(),
    act: async (page, terminal) => {
      await openPriceCheck(page)
      terminal.push({ type: 'price-checked', code: '10628451101007', check: CHECKED })
      await page.getByRole('heading', { name: 'Cola' }).waitFor()
    },
  },
  'price-check-unknown': {
    sale: withMember(),
    act: async (page, terminal) => {
      await openPriceCheck(page)
      terminal.push({ type: 'price-checked', code: '4006381333931', check: null })
      await page.getByText(/4006381333931/).waitFor()
    },
  },
  'card-charging': { ...TERMINAL, sale: asked('asked', null) },
  'card-unknown': { ...TERMINAL, sale: asked('unknown', 'no-answer') },
  'card-declined': {
    ...TERMINAL,
    sale: asked('declined', 'refused'),
    act: async (page) => {
      await page.keyboard.press('Control+F6')
      await page.getByText(/^(Card not charged|Carte non débitée)/).waitFor()
    },
  },
  'after-no-earning': after({
    state: 'queued',
    miles: null,
    pending: null,
    rejected: null,
    refusal: 'collector-invalid',
  }),
}
