import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { Promotion } from '../../../contracts/catalog/promotions.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, COFFEE } from '../../../packages/lab/testing/return-steps.ts'
import { SAM, saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

const names = { 'en-CA': 'Staff 20%', 'fr-CA': 'Personnel 20 %' }
const promotions: z.input<typeof Promotion>[] = [
  { id: 'staff', names, items: { kind: 'all' }, reward: { kind: 'percent', ppm: 200_000 }, buyers: 'staff' },
  { id: 'seniors', names, items: { kind: 'all' }, reward: { kind: 'percent', ppm: 100_000 }, buyers: 'seniors' },
]

describe('staff and seniors’ prices', () => {
  test('for staff need an approval, apply to items rung later, are audited and can be removed', async () => {
    const lane = await openTerminalHarness(central, { promotions })
    const { send, now, undo, trail } = saleActions(lane)
    await lane.ring(COFFEE)
    const refused = await send('PUT', '/buyers', { buyers: 'staff' })
    expect(refused).toMatchObject({ code: 'approval-required', details: [{ message: 'staff-price' }] })
    expect(refused.approval).toMatchObject({ buyers: 'staff', items: [{ beforeCents: 1_499, afterCents: 1_199 }] })
    const { sale } = await send('PUT', '/buyers', { buyers: 'staff', approval: SAM })
    expect(sale).toMatchObject({ buyers: 'staff', undo: 'buyers', totals: { subtotalCents: 1_199 } })
    expect(trail().at(-1)).toMatchObject({ kind: 'buyers-set', before: null, after: 'staff', approvedBy: 'sam' })
    await lane.ring(APPLES)
    expect((await now()).totals.subtotalCents).toBe(1_199 + 559)
    await undo()
    await undo()
    expect(await now()).toMatchObject({ buyers: null, totals: { subtotalCents: 1_499 } })
  })

  test('for seniors need no approval by default, and can be removed', async () => {
    const lane = await openTerminalHarness(central, { promotions })
    const { send } = saleActions(lane)
    await lane.ring(COFFEE)
    expect((await send('PUT', '/buyers', { buyers: 'seniors' })).sale.totals.subtotalCents).toBe(1_349)
    expect((await send('PUT', '/buyers', { buyers: null })).sale.totals.subtotalCents).toBe(1_499)
  })

  test('are rejected after a payment, and accepted once the payment is given back', async () => {
    const lane = await openTerminalHarness(central, { promotions })
    const { send } = saleActions(lane)
    await lane.ring(COFFEE)
    await send('POST', '/tenders', { kind: 'cash', tenderedCents: 200 })
    expect(await send('PUT', '/buyers', { buyers: 'seniors' })).toMatchObject({ code: 'prices-frozen' })
    await send('POST', '/tenders/1/take-back', {})
    expect((await send('PUT', '/buyers', { buyers: 'seniors' })).sale.totals.subtotalCents).toBe(1_349)
  })

  test('remain while the sale is on hold', async () => {
    const lane = await openTerminalHarness(central, { promotions })
    const { send } = saleActions(lane)
    await lane.ring(COFFEE)
    const { sale } = await send('PUT', '/buyers', { buyers: 'seniors' })
    await lane.call('POST', `/api/sales/${sale.id}/hold`, { version: sale.version, name: 'Ann' })
    const held = (await lane.call('GET', `/api/sales/${sale.id}`)).body.sale
    await lane.call('POST', `/api/sales/${sale.id}/resume`, { version: held.version })
    expect(await lane.current()).toMatchObject({ buyers: 'seniors', totals: { subtotalCents: 1_349 } })
  })

  test('are on the receipt as a row of the line and as the amount saved', async () => {
    const lane = await openTerminalHarness(central, { promotions })
    const { send } = saleActions(lane)
    await lane.ring(COFFEE)
    const { sale } = await send('PUT', '/buyers', { buyers: 'seniors' })
    await send('POST', '/tenders', { kind: 'card', amountCents: 1_349, reference: 'T1' })
    const { blocks } = (await lane.call('GET', `/api/sales/${sale.id}/receipt`)).body.document
    expect(blocks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ left: 'Staff 20%', right: expect.stringMatching(/-1\.50$/) }),
        expect.objectContaining({ left: 'You saved', right: expect.stringContaining('1.50') }),
      ]),
    )
  })
})
