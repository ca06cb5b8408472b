import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { Promotion } from '../../../contracts/catalog/promotions.ts'
import { cents } from '../../../contracts/core/money.ts'
import { ReportRun } from '../../../contracts/day/reports.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, COFFEE, DETERGENT, buy, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { SAM, percent, saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import { giftCard } from '../../../packages/lab/testing/vouchers.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

const names = { 'en-CA': 'Apples 2 for $10', 'fr-CA': 'Pommes 2 pour 10 $' }
const TWO_FOR_TEN: z.input<typeof Promotion> = {
  id: 'apples',
  names,
  items: { kind: 'items', skus: [APPLES] },
  reward: { kind: 'set-price', units: 2, cents: cents(1_000) },
}
const MEMBERS_COFFEE: z.input<typeof Promotion> = {
  id: 'coffee',
  names: { 'en-CA': 'Members', 'fr-CA': 'Membres' },
  items: { kind: 'items', skus: [COFFEE] },
  reward: { kind: 'price', cents: cents(1_199) },
  buyers: 'members',
}

describe('promotions on the open sale', () => {
  test('reduce the lines immediately, before discounts, and stop when the quantity becomes too small', async () => {
    const lane = await openTerminalHarness(central, { promotions: [TWO_FOR_TEN] })
    const { now, send, discount } = saleActions(lane)
    expect((await lane.ring(APPLES)).discounts).toEqual([])
    const two = await lane.ring(APPLES)
    expect(two).toMatchObject({
      lines: [{ quantity: 2, discountCents: 398, amountCents: 1_000 }],
      discounts: [{ promotion: { id: 'apples', name: names }, amountCents: 398, reason: null, coupon: null }],
      totals: { subtotalCents: 1_000 },
    })
    await discount(percent(10))
    expect((await now()).totals.subtotalCents).toBe(900)
    await send('PUT', '/lines/1', { quantity: 1 })
    expect((await now()).totals.subtotalCents).toBe(629)
  })

  test('are listed in the price check of one piece even if they need more pieces or a member', async () => {
    const lane = await openTerminalHarness(central, { promotions: [TWO_FOR_TEN, MEMBERS_COFFEE] })
    const checked = async (code: string) => (await lane.call('POST', '/api/catalog/price-check', { code })).body.check
    expect(await checked(APPLES)).toMatchObject({ afterCents: 699, further: [{ id: 'apples', name: names }] })
    expect(await checked(COFFEE)).toMatchObject({ afterCents: 1_499, further: [{ id: MEMBERS_COFFEE.id }] })
    expect(await checked(DETERGENT)).toMatchObject({ further: [] })
  })

  test('exclude a line with a manual price', async () => {
    const lane = await openTerminalHarness(central, { promotions: [TWO_FOR_TEN] })
    const { price, now } = saleActions(lane)
    await lane.ring(APPLES, 2)
    await price(1, 650, { approval: SAM })
    expect((await now()).totals.subtotalCents).toBe(1_300)
  })

  test('do not count a gift card for their minimum amount, because it is not goods', async () => {
    const basket: z.input<typeof Promotion> = {
      id: 'ten-off',
      names,
      items: { kind: 'all' },
      reward: { kind: 'basket-amount', cents: cents(1_000) },
      conditions: { minimumCents: cents(4_000) },
    }
    const lane = await openTerminalHarness(central, { promotions: [basket] })
    await lane.ring(DETERGENT)
    expect((await giftCard(lane, 5_000)).discounts).toEqual([])
    await lane.ring(DETERGENT)
    expect((await lane.ring(APPLES)).discounts).not.toEqual([])
  })

  test('may reduce a line by more than $100,000, so that a line with a typing error can still be voided', async () => {
    const lane = await openTerminalHarness(central, {
      catalog: 'STEAK,,Steak,Bifteck,699999,zero-rated,meat,',
      promotions: [{ id: 'fifth', names, items: { kind: 'all' }, reward: { kind: 'percent', ppm: 200_000 } }],
    })
    expect(await lane.ring('STEAK')).toMatchObject({
      discounts: [{ amountCents: 13_999_980 }],
      totals: { subtotalCents: 55_999_920 },
    })
    expect((await saleActions(lane).send('POST', '/lines/1/void', {})).sale.totals.totalCents).toBe(0)
  })

  test('for members apply when a collector is identified before the first payment, but not after it', async () => {
    const lane = await openTerminalHarness(central, { promotions: [MEMBERS_COFFEE] })
    const { send } = saleActions(lane)
    await lane.ring(COFFEE)
    expect((await lane.swipe('fine')).totals.subtotalCents).toBe(1_199)
    await send('POST', '/tenders', { kind: 'cash', tenderedCents: 2_000 })
    await lane.ring(COFFEE)
    await send('POST', '/tenders', { kind: 'cash', tenderedCents: 500 })
    expect((await lane.swipe('fine')).totals.subtotalCents).toBe(1_499)
  })

  test('do not change after the first payment until it is given back', async () => {
    const lane = await openTerminalHarness(central, { staffId: 'sam', promotions: [TWO_FOR_TEN] })
    const { send, now } = saleActions(lane)
    await lane.ring(APPLES, 2)
    await send('POST', '/tenders', { kind: 'cash', tenderedCents: 200 })
    await lane.call('POST', '/api/catalog/promotions/remove', { id: 'apples' })
    expect((await now()).totals.subtotalCents).toBe(1_000)
    await send('POST', '/tenders/1/take-back', {})
    expect((await now()).totals.subtotalCents, 'without another command').toBe(1_398)
    await lane.ring(DETERGENT)
    expect((await now()).totals.subtotalCents).toBe(3_397)
  })

  test('for members prevent removal of the collector from the first payment until it is given back', async () => {
    const lane = await openTerminalHarness(central, { promotions: [MEMBERS_COFFEE] })
    const { send, now } = saleActions(lane)
    await lane.ring(COFFEE)
    await lane.swipe('fine')
    await send('POST', '/tenders', { kind: 'cash', tenderedCents: 5 })
    expect(await send('POST', '/member/remove', {})).toMatchObject({ code: 'prices-frozen' })
    await send('POST', '/tenders/1/take-back', {})
    await send('POST', '/member/remove', {})
    expect(await now()).toMatchObject({ member: null, totals: { subtotalCents: 1_499 } })
  })

  test('for members do not apply to an item rung after a payment if the collector was removed', async () => {
    const lane = await openTerminalHarness(central, { promotions: [MEMBERS_COFFEE] })
    const { send, now } = saleActions(lane)
    await lane.ring(APPLES)
    await lane.swipe('fine')
    await send('POST', '/tenders', { kind: 'cash', tenderedCents: 5 })
    await send('POST', '/member/remove', {})
    await lane.ring(COFFEE)
    expect((await now()).totals.subtotalCents).toBe(699 + 1_499)
  })

  test('apply to an item rung after the first payment, and never reduce earlier lines', async () => {
    const lane = await openTerminalHarness(central, { staffId: 'sam' })
    const { send, now } = saleActions(lane)
    const half = { kind: 'percent', ppm: 500_000 } as const
    const add = (id: string, items: object) =>
      lane.call('POST', '/api/catalog/promotions', { how: 'add', promotion: { id, names, items, reward: half } })
    await add('coffee', { kind: 'items', skus: [COFFEE] })
    await lane.ring(APPLES)
    await send('POST', '/tenders', { kind: 'cash', tenderedCents: 500 })
    const check = (await lane.call('POST', '/api/catalog/price-check', { code: COFFEE })).body
    expect(check).toMatchObject({ check: { afterCents: 749 } })
    expect((await lane.ring(COFFEE)).lines.map(({ amountCents }) => amountCents)).toEqual([699, 749])
    await add('all', { kind: 'all' })
    await lane.ring(DETERGENT)
    await lane.ring(APPLES)
    await lane.ring(APPLES)
    expect((await now()).lines.map(({ quantity, amountCents }) => [quantity, amountCents])).toEqual([
      [1, 699],
      [1, 749],
      [1, 999],
      [2, 699],
    ])
  })

  test('apply to a line with a manual price once its list price is restored after the first payment', async () => {
    const lane = await openTerminalHarness(central, { promotions: [TWO_FOR_TEN] })
    const { send, price, now } = saleActions(lane)
    await lane.ring(APPLES, 2)
    await price(1, 650, { approval: SAM })
    await send('POST', '/tenders', { kind: 'cash', tenderedCents: 200 })
    await price(1, null, { approval: SAM })
    expect((await now()).totals.subtotalCents).toBe(1_000)
  })

  test('are the current ones when a coupon is added after the only payment was given back', async () => {
    const name = { 'en-CA': 'Two off', 'fr-CA': 'Deux de moins' }
    const lane = await openTerminalHarness(central, {
      staffId: 'sam',
      promotions: [TWO_FOR_TEN],
      coupons: [{ code: 'TWO', name, dollars: 2 }],
    })
    const { send, now } = saleActions(lane)
    const coupon = () => lane.call('POST', '/api/sales/current/coupons', { code: 'TWO' })
    await lane.ring(APPLES, 2)
    await send('POST', '/tenders', { kind: 'cash', tenderedCents: 200 })
    await lane.call('POST', '/api/catalog/promotions/remove', { id: 'apples' })
    await coupon()
    expect((await now()).totals.subtotalCents, 'a payment keeps the promotion').toBe(800)
    await send('POST', '/discounts/1/remove', {})
    expect((await now()).totals.subtotalCents).toBe(1_000)
    await send('POST', '/tenders/1/take-back', {})
    await coupon()
    expect((await now()).totals.subtotalCents).toBe(1_198)
    await send('POST', '/discounts/2/remove', {})
    expect((await now()).totals.subtotalCents).toBe(1_398)
  })

  test('are stored with the completed sale, and a return refunds the amount paid after the reduction', async () => {
    const lane = await openTerminalHarness(central, { promotions: [TWO_FOR_TEN] })
    const sale = await buy(lane, [[APPLES, 2]], { cash: true })
    expect(sale).toMatchObject({ state: 'completed', totals: { totalCents: 1_000 } })
    expect(lane.read('SELECT promotion, target, off_cents AS cents FROM sale_discount')).toEqual([
      { promotion: 'apples', target: '1', cents: 398 },
    ])
    expect((await returnPieces(lane, sale, [1, 1])).totals.totalCents).toBe(500)
    expect((await returnPieces(lane, sale, [1, 1])).totals.totalCents).toBe(500)
  })

  test('are totalled per promotion in the report of the day, not as discounts or coupons', async () => {
    const lane = await openTerminalHarness(central, { staffId: 'sam', promotions: [TWO_FOR_TEN] })
    await buy(lane, [[APPLES, 4]], { cash: true })
    await buy(lane, [[APPLES, 2]], { cash: true })
    const day = new Date().toISOString().slice(0, 10)
    const from = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    const { id } = ReportRun.parse((await lane.call('POST', '/api/reports/runs', { from, to: day })).body)
    const run = await (async () => {
      for (;;) {
        const { body } = await lane.call('GET', `/api/reports/runs/${id}`)
        if (body.state !== 'running') return ReportRun.parse(body)
      }
    })()
    expect(run.report?.breakdowns.promotions.rows).toMatchObject([
      { id: 'apples', name: names, now: { count: 2, cents: 1_194 } },
    ])
    expect(run.report?.breakdowns.discounts.rows).toEqual([])
  })

  test('reduce the amounts of ISSUE, and are not sent as coupons', async () => {
    const lane = await openTerminalHarness(central, { promotions: [TWO_FOR_TEN] })
    const sale = await buy(
      lane,
      [
        [APPLES, 2],
        [DETERGENT, 1],
      ],
      { card: 'fine' },
    )
    await lane.until((now) => now.id === sale.id && now.issuance?.state === 'confirmed')
    const [request] = await central.requests(ISSUANCE_PATHS.issue)
    expect(request?.body).toMatchObject({ basketPreTaxAmount: 29.99 })
    expect(request?.body).not.toHaveProperty('coupon')
  })
})

describe('changes of promotions by a manager', () => {
  test('apply to the open sale immediately, are audited, and are rejected for an unknown item', async () => {
    const lane = await openTerminalHarness(central, { staffId: 'sam' })
    const { now, trail } = saleActions(lane)
    await lane.ring(APPLES, 2)
    const { version } = await now()
    const save = { how: 'add', promotion: TWO_FOR_TEN }
    expect((await lane.call('POST', '/api/catalog/promotions', save)).body.promotions).toMatchObject([
      { promotion: { id: 'apples' }, from: 'lane' },
    ])
    expect(await now()).toMatchObject({ version: version + 1, totals: { subtotalCents: 1_000 } })
    expect(await lane.refused('POST', '/api/catalog/promotions', save)).toBe('promotion-id-used')
    const items = { kind: 'items', skus: ['9999'] }
    const unknown = { how: 'add', promotion: { ...TWO_FOR_TEN, id: 'other', items } }
    expect(await lane.refused('POST', '/api/catalog/promotions', unknown)).toBe('item-unknown')
    expect(trail().filter(({ kind }) => kind === 'promotion-added')).toHaveLength(1)
  })

  test('can be previewed on a sample basket without being stored', async () => {
    const lane = await openTerminalHarness(central, { staffId: 'sam' })
    const draft = { promotion: TWO_FOR_TEN, lines: [{ sku: APPLES, quantity: 3 }], isMember: false }
    expect((await lane.call('POST', '/api/catalog/promotions/preview', draft)).body).toMatchObject({
      lines: [{ amountCents: 1_699, reductions: [{ id: 'apples', amountCents: 398 }] }],
      savedCents: 398,
    })
    expect((await lane.call('GET', '/api/catalog/promotions')).body).toEqual({ promotions: [] })
  })
})
