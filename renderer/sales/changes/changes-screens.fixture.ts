import type { Sale } from '../../../contracts/sales/sales.ts'
import {
  cash,
  miles,
  open,
  press,
  type Localize,
  type ScreenFixture,
  type ScreenFixtures,
} from '../../testing/screen-fixture.ts'
import {
  basket,
  CHOICE,
  FLOWERS,
  line,
  member,
  redemption,
  saleOf,
  withMember,
  type PlainSale,
} from '../../testing/sales.ts'

const AT_THE_LANE = { member: member(), milesPreview: 45, redemptionChoice: CHOICE }
const changed = (localize: Localize, over: Partial<PlainSale> = {}): Sale =>
  saleOf(
    [
      line(1),
      line(2, {
        quantity: 2,
        discountCents: 300,
        amountCents: 2698,
        note: localize('Ground for a French press', 'Moulu pour cafetière à piston'),
      }),
      line(3, { exemption: { relief: 'all', reason: 'diplomat', certificate: 'D-2210' }, taxCodes: [] }),
      line(4, { unitPriceCents: 1099, regularPriceCents: 1299, amountCents: 989, discountCents: 110 }),
    ],
    {
      ...AT_THE_LANE,
      discounts: [
        {
          number: 1,
          reach: { kind: 'line', number: 2 },
          off: { kind: 'percent', ppm: 100_000 },
          reason: 'damaged',
          coupon: null,
          promotion: null,
          applies: true,
          amountCents: 300,
        },
        {
          number: 2,
          reach: { kind: 'sale' },
          off: { kind: 'amount', cents: 110 },
          reason: null,
          coupon: { code: 'HOUSE10', name: { 'en-CA': 'Household week', 'fr-CA': 'Semaine maison' } },
          promotion: null,
          applies: true,
          amountCents: 110,
        },
      ],
      exemption: { relief: 'provincial', reason: 'first-nations', certificate: 'FN-1234' },
      note: localize('Call before delivery', 'Appeler avant la livraison'),
      undo: 'discount',
      ...over,
    },
  )
const crowded = (localize: Localize): Sale => {
  const sale = changed(localize)
  return changed(localize, {
    discounts: [
      ...sale.discounts,
      {
        number: 3,
        reach: { kind: 'sale' },
        applies: true,
        off: { kind: 'percent', ppm: 50_000 },
        reason: 'goodwill',
        coupon: null,
        promotion: null,
        amountCents: 211,
      },
    ],
    member: member({
      offer: { 'en-CA': 'Twice the worth this week', 'fr-CA': 'Le double de la valeur cette semaine' },
    }),
    tenders: [cash],
  })
}

const voucher = {
  id: 'A'.repeat(32),
  kind: 'gift-card',
  last4: 'KQRT',
  issuedAt: '2026-11-20T15:04:00.000Z',
  balanceCents: 17_41,
} as const

const approval = (asked: object): ScreenFixture => ({
  sale: withMember(),
  refusals: { 'POST /api/sales/01K9TRAINLANE01/lines/4/void': { code: 'approval-required', approval: asked } },
  act: async (page) => {
    await page.keyboard.press('Delete')
    await page.getByRole('dialog').getByRole('heading', { level: 2 }).nth(1).waitFor()
  },
})
export const VOID_TO_APPROVE = {
  of: 'sale',
  action: 'line-void',
  covers: 'v'.repeat(43),
  reason: null,
  exemption: null,
  buyers: null,
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
const DISCOUNT_TO_APPROVE = {
  of: 'sale',
  action: 'discount',
  covers: 'd'.repeat(43),
  reason: 'damaged',
  exemption: null,
  buyers: null,
  limitPercent: 10,
  approvers: ['supervisor', 'manager'],
  saleId: '01K9TRAINLANE01',
  total: { beforeCents: 45_31, afterCents: 22_66 },
  items: basket()
    .filter(({ voided }) => !voided)
    .map(({ number, name, quantity, amountCents }) => ({
      number,
      name,
      quantityBefore: quantity,
      quantityAfter: quantity,
      regularCents: amountCents + (number === 4 ? 300 : 0),
      beforeCents: amountCents,
      afterCents: Math.round(amountCents / 2),
    })),
}

export const CHANGES: ScreenFixtures = {
  voucher: { sale: withMember(), act: press('Shift+F7') },
  'voucher-shown': {
    sale: withMember(),
    act: async (page, terminal) => {
      terminal.push({ type: 'voucher-presented', voucher: voucher as never })
      await page.getByRole('heading', { name: /KQRT/ }).waitFor()
    },
  },
  'gift-card': {
    act: async (page) => {
      await page.getByRole('button', { name: /Sell gift card|Vendre une carte-cadeau/ }).click()
      await page.getByRole('region', { name: /Sell gift card|Vendre une carte-cadeau/ }).waitFor()
      await press('2', '5', '0', '0')(page)
    },
  },
  'gift-card-cash-out': {
    set: (terminal) => {
      terminal.state.region = 'QC'
    },
    act: async (page, terminal) => {
      terminal.push({ type: 'voucher-presented', voucher: { ...voucher, balanceCents: 4_01 } as never })
      await page.getByRole('button', { name: /Pay out|Rembourser/ }).waitFor()
    },
  },
  hold: { sale: withMember(), act: open('F5') },
  keyed: { act: open('Shift+F3', '8', '0', '0', '0', '0', '0') },
  earning: {
    sale: withMember({
      earningOffers: [
        {
          code: 'NRCOFFEE',
          description: { 'en-CA': 'Coffee week', 'fr-CA': 'Semaine du café' },
          miles: 25,
          items: [{ 'en-CA': 'Coffee beans 340 g', 'fr-CA': 'Café en grains 340 g' }],
        },
        { code: 'NRBASE', description: { 'en-CA': 'Base offer', 'fr-CA': 'Offre de base' }, miles: 20, items: [] },
      ],
    }),
    act: open('Shift+F6'),
  },
  quantity: { sale: withMember(), act: press('F3') },
  cancel: { sale: withMember(), act: open('Shift+Delete') },
  'sale-changed': { sale: changed },
  'sale-crowded': { sale: crowded },
  changes: { sale: changed, act: open('Control+e') },
  discount: { sale: withMember(), act: open('Control+d', '1', '5') },
  price: { sale: changed, act: open('Control+p', '4', '0', '0') },
  'shelf-price': { sale: withMember(), act: open('Control+F9', '1', '0', '9', '9') },
  coupon: { sale: withMember(), act: open('Control+k') },
  exemption: { sale: withMember(), act: open('Control+i') },
  'exemption-of-line': {
    sale: changed,
    act: async (page) => {
      await page.keyboard.press('ArrowUp')
      await open('Control+i')(page)
    },
  },
  buyers: { sale: withMember({ buyers: 'seniors' }), act: open('Control+F10') },
  note: { sale: withMember(), act: open('Control+l') },
  'note-not-on-paper': {
    sale: withMember(),
    act: async (page, _terminal, localize) => {
      await open('Control+o')(page)
      await page.getByRole('textbox').fill(localize('Thank you ♥', 'Merci ♥'))
    },
  },
  approval: approval(VOID_TO_APPROVE),
  'approval-discount': approval(DISCOUNT_TO_APPROVE),
  'approval-voucher': approval({
    of: 'voucher',
    action: 'voucher-reprint',
    covers: 'w'.repeat(43),
    approvers: ['supervisor', 'manager'],
    kind: 'gift-card',
    last4: 'KQRT',
    balanceCents: 17_41,
  }),
  'take-back': {
    sale: withMember({
      redemption: redemption(),
      redemptionChoice: null,
      tenders: [miles, { ...cash, amountCents: 3_00, roundingCents: 0, tenderedCents: 3_00, changeCents: 0 }],
    }),
    act: async (page) => {
      await press('Control+b')(page)
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: /^(Miles|Milles)/ })
        .click()
    },
  },
  'price-ask': {
    sale: withMember(),
    act: async (page, terminal) => {
      terminal.push({ type: 'price-asked', item: FLOWERS })
      await page.getByRole('dialog').waitFor()
    },
  },
  'undo-notice': {
    sale: withMember(),
    answers: {
      'POST /api/sales/01K9TRAINLANE01/lines/4/void': {
        sale: { ...withMember(), version: 9, revision: 9, undo: 'void' },
      },
    },
    act: async (page) => {
      await page.keyboard.press('Delete')
      await page.getByRole('status').getByRole('button').first().waitFor()
    },
  },
}
