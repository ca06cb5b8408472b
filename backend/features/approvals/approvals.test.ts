import { describe, expect, test } from 'vitest'
import type { TerminalEvent } from '../../../contracts/events.ts'
import { useCentre } from '../../testing/centre.ts'
import { hands, percent, SAM } from '../../testing/changing.ts'
import { openCounter } from '../../testing/counter.ts'
import { COFFEE, DETERGENT } from '../../testing/returning.ts'

const centre = useCentre()
const WANTED = { code: 'approval-required' }

describe('a thief with one approval', () => {
  test('rings nothing more under a discount of the whole sale, by key or by scanner', async () => {
    const counter = await openCounter(centre)
    const { discount, now } = hands(counter)
    await counter.ring(COFFEE)
    expect((await discount(percent(100), null, { approval: SAM })).sale.totals.totalCents).toBe(0)
    expect((await counter.call('POST', '/api/sales/current/lines', { sku: COFFEE, quantity: 999 })).body).toMatchObject(
      WANTED,
    )
    expect((await counter.call('POST', '/api/sales/current/lines', { sku: DETERGENT })).body).toMatchObject(WANTED)
    expect((await now()).lines).toMatchObject([{ quantity: 1 }])
  })

  test('raises no quantity of a line that was given away', async () => {
    const counter = await openCounter(centre)
    const { discount, send, now } = hands(counter)
    await counter.ring(COFFEE)
    await discount(percent(100), 1, { approval: SAM })
    expect(await send('PUT', '/lines/1', { quantity: 999 })).toMatchObject(WANTED)
    expect((await now()).lines).toMatchObject([{ quantity: 1 }])
  })

  test('sells no second piece at a price that was approved for one, however little it is below the catalog’s', async () => {
    const counter = await openCounter(centre)
    const { price, send } = hands(counter)
    await counter.ring(DETERGENT)
    await price(1, 1990, { approval: SAM })
    expect(await send('PUT', '/lines/1', { quantity: 2 })).toMatchObject({
      ...WANTED,
      details: [{ path: 'action', message: 'price' }],
    })
  })

  test('puts no dearer price under a share that was approved of the old one', async () => {
    const counter = await openCounter(centre, { approvals: { priceChange: false } })
    const { discount, price } = hands(counter)
    await counter.ring(COFFEE)
    await discount(percent(100), 1, { approval: SAM })
    expect(await price(1, 99_900)).toMatchObject(WANTED)
  })

  test('frees no coupon’s part of a sale for a share that was given of the rest', async () => {
    const coupons = [{ code: 'MOST', name: { 'en-CA': 'Most', 'fr-CA': 'Presque' }, dollars: 14, sku: COFFEE }]
    const counter = await openCounter(centre, { coupons })
    const { discount, send } = hands(counter)
    await counter.ring(COFFEE)
    await counter.call('POST', '/api/sales/current/coupons', { code: 'MOST' })
    await discount(percent(100), null, { approval: SAM })
    expect(await send('POST', '/discounts/1/remove', {})).toMatchObject(WANTED)
  })

  test('brings nothing back by undo that was taken off again', async () => {
    const counter = await openCounter(centre)
    const { discount, send, undo, price } = hands(counter)
    await counter.ring(COFFEE)
    await discount(percent(100), 1, { approval: SAM })
    await send('POST', '/discounts/1/remove', {})
    expect(await undo()).toMatchObject(WANTED)
    await price(1, 1, { approval: SAM })
    await price(1, null)
    expect(await undo()).toMatchObject(WANTED)
  })

  test('sells nothing more without tax than what was shown', async () => {
    const counter = await openCounter(centre)
    const { send } = hands(counter)
    await counter.ring(DETERGENT)
    await send('PUT', '/exemption', {
      exemption: { relief: 'all', reason: 'diplomat', certificate: 'D-1' },
      approval: SAM,
    })
    expect((await counter.call('POST', '/api/sales/current/lines', { sku: DETERGENT })).body).toMatchObject({
      ...WANTED,
      details: [{ path: 'action', message: 'exemption' }],
    })
  })
})

describe('what is approved', () => {
  test('is said as it will be done: the items, how many, what they cost before and after', async () => {
    const counter = await openCounter(centre)
    const { discount, price, send } = hands(counter)
    await counter.ring(DETERGENT, 2)
    await counter.ring(COFFEE)
    expect((await discount(percent(25), 1)).approval).toMatchObject({
      of: 'sale',
      action: 'discount',
      total: null,
      items: [
        {
          number: 1,
          name: { 'en-CA': 'Laundry detergent 2.95 L' },
          quantityBefore: 2,
          quantityAfter: 2,
          beforeCents: 3998,
          afterCents: 2998,
        },
      ],
    })
    expect((await discount(percent(50))).approval).toMatchObject({
      items: [
        { beforeCents: 3998, afterCents: 1999 },
        { beforeCents: 1499, afterCents: 749 },
      ],
      total: { beforeCents: 6017, afterCents: 3008 },
    })
    expect((await price(2, 500)).approval).toMatchObject({
      action: 'price',
      items: [{ number: 2, beforeCents: 1499, afterCents: 500 }],
    })
    expect(
      (await send('PUT', '/exemption', { exemption: { relief: 'all', reason: 'diplomat', certificate: 'D-1' } }))
        .approval,
    ).toMatchObject({ action: 'exemption', items: [], total: { beforeCents: 6017, afterCents: 5497 } })
  })

  test('is what was shown: where the sale has become another meanwhile, it is shown anew and nothing is done', async () => {
    const counter = await openCounter(centre)
    const { discount, now } = hands(counter)
    await counter.ring(COFFEE)
    const shown = (await discount(percent(100))).approval
    await counter.ring(DETERGENT)
    const { id, version } = await now()
    const command = { version, line: null, off: percent(100), reason: 'damaged' }
    const again = (
      await counter.call('POST', `/api/sales/${id}/discounts`, {
        ...command,
        approval: { ...SAM, covers: shown?.covers },
      })
    ).body
    expect(again).toMatchObject({
      ...WANTED,
      approval: {
        items: [
          { beforeCents: 1499, afterCents: 0 },
          { beforeCents: 1999, afterCents: 0 },
        ],
      },
    })
    expect((await now()).discounts).toEqual([])
    expect(
      (
        await counter.call('POST', `/api/sales/${id}/discounts`, {
          ...command,
          approval: { ...SAM, covers: again.approval?.covers },
        })
      ).body,
    ).toMatchObject({ sale: { totals: { totalCents: 0 } } })
    expect(
      (await counter.call('POST', `/api/sales/${id}/discounts`, { ...command, approval: SAM })).body,
      'a PIN alone approves nothing',
    ).toMatchObject({ code: 'body-invalid' })
  })

  test('of a line stands while something else is scanned: it is of that line alone', async () => {
    const counter = await openCounter(centre)
    const { discount, now } = hands(counter)
    await counter.ring(COFFEE)
    const { covers } = (await discount(percent(100), 1)).approval ?? {}
    await counter.ring(DETERGENT)
    const { id, version } = await now()
    expect(
      (
        await counter.call('POST', `/api/sales/${id}/discounts`, {
          version,
          line: 1,
          off: percent(100),
          reason: 'damaged',
          approval: { ...SAM, covers },
        })
      ).body,
    ).toMatchObject({ sale: { totals: { subtotalCents: 1999 } } })
  })

  test('of a scanned item is asked for on the screen; it is rung once it is approved, and only that one', async () => {
    const counter = await openCounter(centre)
    const { discount, now } = hands(counter)
    await counter.ring(COFFEE)
    await discount(percent(100), null, { approval: SAM })
    await counter.call('POST', '/api/training/scan', { code: '0628451104407' })
    const { request } = await counter.event(
      (event): event is Extract<TerminalEvent, { type: 'approval-asked' }> => event.type === 'approval-asked',
    )
    expect(request).toMatchObject({
      action: 'discount',
      items: [{ number: 2, quantityBefore: 0, quantityAfter: 1, regularCents: 1999, beforeCents: 0, afterCents: 0 }],
    })
    expect((await now()).lines).toHaveLength(1)
    expect(
      (await counter.call('POST', '/api/sales/current/lines/scanned', { approval: { ...SAM, covers: request.covers } }))
        .body,
    ).toMatchObject({ sale: { lines: [{}, { sku: DETERGENT, quantity: 1 }], totals: { totalCents: 0 } } })
    expect(
      (await counter.call('POST', '/api/sales/current/lines/scanned', { approval: { ...SAM, covers: request.covers } }))
        .body,
    ).toMatchObject({ code: 'scan-gone' })
  })
})
