import { describe, expect, test } from 'vitest'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { saleActions, NINA, percent, SAM } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { buy, COFFEE, DETERGENT, quoteOf, refundsOf } from '../../../packages/lab/testing/return-steps.ts'

const central = useCentral()
const WANTED = { code: 'approval-required' }

describe('a cashier with one approval', () => {
  test('needs another approval to ring more items under a discount of the whole sale', async () => {
    const harness = await openTerminalHarness(central)
    const { discount, now } = saleActions(harness)
    await harness.ring(COFFEE)
    expect((await discount(percent(100), null, { approval: SAM })).sale.totals.totalCents).toBe(0)
    expect((await harness.call('POST', '/api/sales/current/lines', { sku: COFFEE, quantity: 999 })).body).toMatchObject(
      WANTED,
    )
    expect((await harness.call('POST', '/api/sales/current/lines', { sku: DETERGENT })).body).toMatchObject(WANTED)
    expect((await now()).lines).toMatchObject([{ quantity: 1 }])
  })

  test('needs another approval to raise the quantity of a line with a full discount', async () => {
    const harness = await openTerminalHarness(central)
    const { discount, send, now } = saleActions(harness)
    await harness.ring(COFFEE)
    await discount(percent(100), 1, { approval: SAM })
    expect(await send('PUT', '/lines/1', { quantity: 999 })).toMatchObject(WANTED)
    expect((await now()).lines).toMatchObject([{ quantity: 1 }])
  })

  test('needs another approval to sell a second piece at a price approved for one', async () => {
    const harness = await openTerminalHarness(central)
    const { price, send } = saleActions(harness)
    await harness.ring(DETERGENT)
    await price(1, 1990, { approval: SAM })
    expect(await send('PUT', '/lines/1', { quantity: 2 })).toMatchObject({
      ...WANTED,
      details: [{ path: 'action', message: 'price' }],
    })
  })

  test('needs another approval to set a higher price under an approved percentage discount', async () => {
    const harness = await openTerminalHarness(central, { approvals: { actions: { price: { cashier: 'alone' } } } })
    const { discount, price } = saleActions(harness)
    await harness.ring(COFFEE)
    await discount(percent(100), 1, { approval: SAM })
    expect(await price(1, 99_900)).toMatchObject(WANTED)
  })

  test('needs another approval to remove a coupon that raises a percentage discount', async () => {
    const coupons = [{ code: 'MOST', name: { 'en-CA': 'Most', 'fr-CA': 'Presque' }, dollars: 14, sku: COFFEE }]
    const harness = await openTerminalHarness(central, { coupons })
    const { discount, send } = saleActions(harness)
    await harness.ring(COFFEE)
    await harness.call('POST', '/api/sales/current/coupons', { code: 'MOST' })
    await discount(percent(100), null, { approval: SAM })
    expect(await send('POST', '/discounts/1/remove', {})).toMatchObject(WANTED)
  })

  test('needs another approval to restore a removed discount by undo', async () => {
    const harness = await openTerminalHarness(central)
    const { discount, send, undo, price } = saleActions(harness)
    await harness.ring(COFFEE)
    await discount(percent(100), 1, { approval: SAM })
    await send('POST', '/discounts/1/remove', {})
    expect(await undo()).toMatchObject(WANTED)
    await price(1, 1, { approval: SAM })
    await price(1, null)
    expect(await undo()).toMatchObject(WANTED)
  })

  test('needs another approval to sell more without tax than was approved', async () => {
    const harness = await openTerminalHarness(central)
    const { send } = saleActions(harness)
    await harness.ring(DETERGENT)
    await send('PUT', '/exemption', {
      exemption: { relief: 'all', reason: 'diplomat', certificate: 'D-1' },
      approval: SAM,
    })
    expect((await harness.call('POST', '/api/sales/current/lines', { sku: DETERGENT })).body).toMatchObject({
      ...WANTED,
      details: [{ path: 'action', message: 'exemption' }],
    })
  })
})

describe('an approval', () => {
  test('is requested with the effect of the change: items, quantities and prices before and after', async () => {
    const harness = await openTerminalHarness(central)
    const { discount, price, send } = saleActions(harness)
    await harness.ring(DETERGENT, 2)
    await harness.ring(COFFEE)
    expect((await discount(percent(25), 1)).approval).toMatchObject({
      of: 'sale',
      action: 'discount',
      total: null,
      reason: 'damaged',
      limitPercent: 10,
      exemption: null,
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
      reason: 'price-match',
      items: [{ number: 2, beforeCents: 1499, afterCents: 500 }],
    })
    expect(
      (await send('PUT', '/exemption', { exemption: { relief: 'all', reason: 'diplomat', certificate: 'D-1' } }))
        .approval,
    ).toMatchObject({
      exemption: { reason: 'diplomat', certificate: 'D-1' },
      action: 'exemption',
      items: [],
      total: { beforeCents: 6017, afterCents: 5497 },
    })
  })

  test('cannot be used after the sale has changed', async () => {
    const harness = await openTerminalHarness(central)
    const { discount, now } = saleActions(harness)
    await harness.ring(COFFEE)
    const shown = (await discount(percent(100))).approval
    await harness.ring(DETERGENT)
    const { id, version } = await now()
    const command = { version, line: null, off: percent(100), reason: 'damaged' }
    const again = (
      await harness.call('POST', `/api/sales/${id}/discounts`, {
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
        await harness.call('POST', `/api/sales/${id}/discounts`, {
          ...command,
          approval: { ...SAM, covers: again.approval?.covers },
        })
      ).body,
    ).toMatchObject({ sale: { totals: { totalCents: 0 } } })
    expect(
      (await harness.call('POST', `/api/sales/${id}/discounts`, { ...command, approval: SAM })).body,
      'a PIN alone approves nothing',
    ).toMatchObject({ code: 'body-invalid' })
  })

  test('remains valid for its line while another item is scanned', async () => {
    const harness = await openTerminalHarness(central)
    const { discount, now } = saleActions(harness)
    await harness.ring(COFFEE)
    const { covers } = (await discount(percent(100), 1)).approval ?? {}
    await harness.ring(DETERGENT)
    const { id, version } = await now()
    expect(
      (
        await harness.call('POST', `/api/sales/${id}/discounts`, {
          version,
          line: 1,
          off: percent(100),
          reason: 'damaged',
          approval: { ...SAM, covers },
        })
      ).body,
    ).toMatchObject({ sale: { totals: { subtotalCents: 1999 } } })
  })

  test('is requested on the screen for a scanned item, and then rings only that item', async () => {
    const harness = await openTerminalHarness(central)
    const { discount, now } = saleActions(harness)
    await harness.ring(COFFEE)
    await discount(percent(100), null, { approval: SAM })
    await harness.call('POST', '/api/training/scan', { code: '0628451104407' })
    const { request } = await harness.event(
      (event): event is Extract<TerminalEvent, { type: 'approval-asked' }> => event.type === 'approval-asked',
    )
    expect(request).toMatchObject({
      action: 'discount',
      items: [{ number: 2, quantityBefore: 0, quantityAfter: 1, regularCents: 1999, beforeCents: 0, afterCents: 0 }],
    })
    expect((await now()).lines).toHaveLength(1)
    expect(
      (await harness.call('POST', '/api/sales/current/lines/scanned', { approval: { ...SAM, covers: request.covers } }))
        .body,
    ).toMatchObject({ sale: { lines: [{}, { sku: DETERGENT, quantity: 1 }], totals: { totalCents: 0 } } })
    expect(
      (await harness.call('POST', '/api/sales/current/lines/scanned', { approval: { ...SAM, covers: request.covers } }))
        .body,
    ).toMatchObject({ code: 'scan-gone' })
  })
})

describe('a PIN sent with a command that needs no approval', () => {
  const approval = { ...SAM, covers: 'x'.repeat(43) }
  const LIMIT = { returnFromDollars: 50, actions: { return: { cashier: 'with-approval' } } } as const

  test('is not recorded as an approval: discount, void, return, cash drop', async () => {
    const harness = await openTerminalHarness(central, { approvals: LIMIT })
    const { now, trail } = saleActions(harness)
    const bought = await buy(harness, [[COFFEE, 1]])
    const lines = [{ number: 1, quantity: 1 }]
    const quote = await quoteOf(harness, bought, lines)
    await harness.ring(COFFEE)
    await harness.ring(DETERGENT)
    const { id, version } = await now()
    const commands: [string, object][] = [
      [
        '/api/returns',
        { saleId: bought.id, version: quote.version, lines, refunds: refundsOf(quote), cardReference: 'R1' },
      ],
      ['/api/shifts/current/movements', { kind: 'drop', amountCents: 100, reason: 'full' }],
      [`/api/sales/${id}/discounts`, { version, line: 1, off: percent(1), reason: 'damaged' }],
      [`/api/sales/${id}/lines/2/void`, { version: version + 1 }],
    ]
    for (const [path, command] of commands)
      expect((await harness.call('POST', path, { ...command, approval })).status, path).toBe(200)
    expect(
      harness.read(`SELECT approved_by FROM sale_return UNION ALL SELECT approved_by FROM cash_movement
        UNION ALL SELECT approved_by FROM sale_discount`),
    ).toEqual(Array.from({ length: 3 }, () => ({ approved_by: null })))
    expect(trail().filter((entry) => entry.actor === 'sam' || JSON.stringify(entry).includes('sam'))).toEqual([])
  })

  test('is ignored for an override by a manager, which is recorded with the manager alone', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam', moreStaff: [NINA], approvals: LIMIT })
    const { now, trail } = saleActions(harness)
    await harness.ring(COFFEE)
    const { id, version } = await now()
    const command = { version, line: 1, off: percent(50), reason: 'damaged' }
    const ninas = { staffId: 'nina', pin: '5678', covers: approval.covers }
    expect((await harness.call('POST', `/api/sales/${id}/discounts`, { ...command, approval: ninas })).status).toBe(200)
    expect(trail().filter(({ kind }) => kind === 'override')).toMatchObject([{ actor: 'sam', action: 'discount' }])
    expect(trail().at(-1)).toMatchObject({ kind: 'discount-given', actor: 'sam', approvedBy: 'sam' })
  })
})
