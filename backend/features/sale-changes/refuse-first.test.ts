import { describe, expect, test } from 'vitest'
import type { Profile } from '../../../contracts/profile.ts'
import { useCentre } from '../../testing/centre.ts'
import { dollars, hands, percent, SAM } from '../../testing/changing.ts'
import { openCounter, type Counter } from '../../testing/counter.ts'
import { COFFEE, DETERGENT } from '../../testing/returning.ts'
import { giftCard } from '../../testing/vouchers.ts'

const centre = useCentre()
type Hands = ReturnType<typeof hands>

const EXEMPTION = { relief: 'all', reason: 'diplomat', certificate: 'D-1' }
/** A line of 22.59 with tax, of which all but a cent is paid. */
const nearlyPaid = async (counter: Counter): Promise<void> => {
  await counter.ring(DETERGENT)
  await hands(counter).send('POST', '/tenders', { kind: 'card', amountCents: 2258, reference: 'T1' })
}
const rung =
  (sku: string) =>
  async (counter: Counter): Promise<void> => {
    await counter.ring(sku)
  }
const card = async (counter: Counter): Promise<void> => {
  await giftCard(counter, 5000)
}
const free = async (counter: Counter): Promise<void> => {
  await counter.ring(COFFEE)
  await hands(counter).discount(percent(100), 1, { approval: SAM })
}

/** What no supervisor can allow: the sale, the change, and why it is refused. */
const STORIES: readonly (readonly [
  string,
  (counter: Counter) => Promise<void>,
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
    'a discount on what is free already',
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
    'a discount below what was paid',
    nearlyPaid,
    (at, more) => at.discount(percent(50), 1, more),
    'sale-below-tendered',
  ],
  ['another price for a gift card', card, (at, more) => at.price(1, 100, more), 'gift-card-price'],
  ['the same price', rung(COFFEE), (at, more) => at.price(1, 1499, more), 'price-same'],
  ['a price below what was paid', nearlyPaid, (at, more) => at.price(1, 100, more), 'sale-below-tendered'],
  [
    'an exemption below what was paid',
    nearlyPaid,
    (at, more) => at.send('PUT', '/exemption', { exemption: EXEMPTION, ...more }),
    'sale-below-tendered',
  ],
  [
    'an exemption by a card’s number',
    rung(COFFEE),
    (at, more) =>
      at.send('PUT', '/exemption', { exemption: { ...EXEMPTION, certificate: '4111 1111 1111 1111' }, ...more }),
    'note-holds-number',
  ],
  [
    'a void below what was paid',
    nearlyPaid,
    (at, more) => at.send('POST', '/lines/1/void', more),
    'sale-below-tendered',
  ],
]

describe('what no supervisor can allow asks for none', () => {
  const approvals: Partial<Profile['approvals']> = {
    discountAbovePercent: 0,
    priceChange: true,
    taxExemption: true,
    lineVoid: true,
  }
  test.each(STORIES)('%s', async (_what, begin, change, problem) => {
    const counter = await openCounter(centre, { approvals })
    await begin(counter)
    const at = hands(counter)
    const before = await at.now()
    expect(await change(at, {})).toMatchObject({ code: problem })
    expect(await change(at, { approval: SAM }), 'nor with a PIN in it').toMatchObject({ code: problem })
    expect((await at.now()).version).toBe(before.version)
  })
})
