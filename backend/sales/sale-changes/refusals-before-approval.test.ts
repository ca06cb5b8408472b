import { describe, expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { dollars, saleActions, percent, SAM } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { COFFEE, DETERGENT } from '../../../packages/lab/testing/return-steps.ts'
import { giftCard } from '../../../packages/lab/testing/vouchers.ts'

const central = useCentral()
type Hands = ReturnType<typeof saleActions>

const EXEMPTION = { relief: 'all', reason: 'diplomat', certificate: 'D-1' }
const nearlyPaid = async (harness: TerminalHarness): Promise<void> => {
  await harness.ring(DETERGENT)
  await saleActions(harness).send('POST', '/tenders', { kind: 'card', amountCents: 2258, reference: 'T1' })
}
const rung =
  (sku: string) =>
  async (harness: TerminalHarness): Promise<void> => {
    await harness.ring(sku)
  }
const card = async (harness: TerminalHarness): Promise<void> => {
  await giftCard(harness, 5000)
}
const free = async (harness: TerminalHarness): Promise<void> => {
  await harness.ring(COFFEE)
  await saleActions(harness).discount(percent(100), 1, { approval: SAM })
}

const SCENARIOS: readonly (readonly [
  string,
  (harness: TerminalHarness) => Promise<void>,
  (at: Hands, more: { approval?: object }) => Promise<{ code?: string }>,
  string,
])[] = [
  ['a discount on a gift card', card, (at, more) => at.discount(percent(50), 1, more), 'discount-takes-nothing'],
  [
    'a discount on a sale of a gift card alone',
    card,
    (at, more) => at.discount(percent(50), null, more),
    'discount-takes-nothing',
  ],
  [
    'a discount on a line that is free already',
    free,
    (at, more) => at.discount(dollars(5), 1, more),
    'discount-takes-nothing',
  ],
  [
    'a discount larger than the line',
    rung(COFFEE),
    (at, more) => at.discount(dollars(20), 1, more),
    'discount-exceeds',
  ],
  [
    'a discount larger than the sale',
    rung(COFFEE),
    (at, more) => at.discount(dollars(20), null, more),
    'discount-exceeds',
  ],
  [
    'a discount that lowers the total below the payments',
    nearlyPaid,
    (at, more) => at.discount(percent(50), 1, more),
    'sale-below-tendered',
  ],
  ['a changed price of a gift card', card, (at, more) => at.price(1, 100, more), 'gift-card-price'],
  ['the price that the line has already', rung(COFFEE), (at, more) => at.price(1, 1499, more), 'price-same'],
  [
    'a price that lowers the total below the payments',
    nearlyPaid,
    (at, more) => at.price(1, 100, more),
    'sale-below-tendered',
  ],
  [
    'an exemption that lowers the total below the payments',
    nearlyPaid,
    (at, more) => at.send('PUT', '/exemption', { exemption: EXEMPTION, ...more }),
    'sale-below-tendered',
  ],
  [
    'an exemption with a card number as certificate',
    rung(COFFEE),
    (at, more) =>
      at.send('PUT', '/exemption', { exemption: { ...EXEMPTION, certificate: '4111 1111 1111 1111' }, ...more }),
    'note-holds-number',
  ],
  [
    'a void that lowers the total below the payments',
    nearlyPaid,
    (at, more) => at.send('POST', '/lines/1/void', more),
    'sale-below-tendered',
  ],
]

describe('a change that no approval allows', () => {
  const approvals = { discountAbovePercent: 0, actions: { 'line-void': { cashier: 'with-approval' } } } as const
  test.each(SCENARIOS)('is refused without an approval request: %s', async (_what, begin, change, problem) => {
    const harness = await openTerminalHarness(central, { approvals })
    await begin(harness)
    const at = saleActions(harness)
    const before = await at.now()
    expect(await change(at, {})).toMatchObject({ code: problem })
    expect(await change(at, { approval: SAM }), 'nor with a PIN in it').toMatchObject({ code: problem })
    expect((await at.now()).version).toBe(before.version)
  })
})
