import { describe, expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { dollars, saleActions, percent, SAM } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { COFFEE, DETERGENT } from '../../../packages/lab/testing/return-steps.ts'

const central = useCentral()

describe('a discount', () => {
  test('needs no approval for ten percent of a line, and reduces the line and its tax', async () => {
    const harness = await openTerminalHarness(central)
    const { discount, trail } = saleActions(harness)
    await harness.ring(DETERGENT, 2)
    const { sale } = await discount(percent(10), 1)
    expect(sale).toMatchObject({
      lines: [{ unitPriceCents: 1999, discountCents: 400, amountCents: 3598 }],
      discounts: [{ number: 1, reason: 'damaged', amountCents: 400 }],
      totals: { subtotalCents: 3598, taxes: [{ code: 'HST', amountCents: 468 }], totalCents: 4066 },
      undo: 'discount',
    })
    expect(trail().at(-1)).toEqual({
      kind: 'discount-given',
      actor: 'alex',
      discount: 1,
      line: 1,
      reason: 'damaged',
      off: '10%',
      before: 3998,
      after: 3598,
      approvedBy: null,
    })
    const paid = (
      await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
        kind: 'card',
        version: sale.version,
        amountCents: 4066,
        reference: 'T1',
      })
    ).body.sale
    expect(paid.state).toBe('completed')
    const { blocks } = (await harness.call('GET', `/api/sales/${sale.id}/receipt`)).body.document
    expect(blocks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ left: '2 × 19.99', right: 'H 39.98' }),
        expect.objectContaining({ left: 'Discount 10% (damaged)', right: '-4.00' }),
        expect.objectContaining({ left: 'Subtotal (2 items)', right: '35.98' }),
      ]),
    )
  })

  test('needs a supervisor’s PIN above the limit, and the PIN is valid for that one command', async () => {
    const harness = await openTerminalHarness(central)
    const { discount, trail, now } = saleActions(harness)
    await harness.ring(DETERGENT)
    const refused = await discount(percent(25), 1)
    expect(refused).toMatchObject({ code: 'approval-required', details: [{ path: 'action', message: 'discount' }] })
    expect((await now()).discounts).toEqual([])
    expect(await discount(percent(25), 1, { approval: { ...SAM, pin: '0000' } })).toMatchObject({ code: 'pin-wrong' })
    expect(await discount(percent(25), 1, { approval: { staffId: 'marie', pin: '1234' } })).toMatchObject({
      code: 'approver-not-allowed',
    })
    expect((await now()).discounts).toEqual([])
    const { sale } = await discount(percent(25), 1, { approval: SAM })
    expect(sale.lines[0]?.amountCents).toBe(1499)
    expect(trail().at(-1)).toMatchObject({ kind: 'discount-given', actor: 'alex', approvedBy: 'sam' })
    expect(await discount(percent(25), 1), 'the next one needs its own').toMatchObject({ code: 'approval-required' })
    expect(JSON.stringify(trail())).not.toContain('9999')
    expect((await harness.call('GET', '/api/terminal')).body).toMatchObject({ signedIn: { id: 'alex' } })
  })

  test('cannot be approved after five wrong PINs of this cashier, but a manager can sign in and give it', async () => {
    const harness = await openTerminalHarness(central)
    const { discount } = saleActions(harness)
    await harness.ring(DETERGENT)
    const guess = async (pin: string) => (await discount(percent(25), 1, { approval: { ...SAM, pin } })).code
    for (let count = 0; count < 4; count += 1) expect(await guess('0000')).toBe('pin-wrong')
    expect(await guess('0000')).toBe('approval-locked')
    expect(await guess('9999')).toBe('approval-locked')
    expect((await harness.call('POST', '/api/sign-in', SAM)).status).toBe(200)
    expect((await discount(percent(25), 1)).sale.lines[0]?.amountCents).toBe(1499)
    expect((await harness.call('GET', '/api/people')).body['people']).toMatchObject([
      { id: 'sam', lockedUntil: null },
      { id: 'alex', approvalsLockedUntil: expect.any(String) as string },
      {},
    ])
    await harness.call('POST', '/api/people/alex/lift-lock')
    await harness.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
    expect((await discount(percent(50), null, { approval: SAM })).code).toBeUndefined()
  })

  test('needs no approval when a manager sells', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam' })
    const { discount } = saleActions(harness)
    await harness.ring(DETERGENT)
    expect((await discount(percent(50), 1)).sale.totals.subtotalCents).toBe(999)
  })

  test('is spread over the lines to the cent if it is an amount off the whole sale', async () => {
    const harness = await openTerminalHarness(central)
    const { discount, send } = saleActions(harness)
    await harness.ring(DETERGENT, 3)
    await harness.ring(COFFEE, 2)
    const { sale } = await discount(dollars(8))
    expect(sale.lines.map(({ discountCents }) => discountCents)).toEqual([533, 267])
    expect(sale.totals.subtotalCents).toBe(3 * 1999 + 2 * 1499 - 800)
    expect(await send('PUT', '/lines/1', { quantity: 1 })).toMatchObject({ code: 'approval-required' })
    expect((await send('PUT', '/lines/1', { quantity: 1, approval: SAM })).sale.totals.subtotalCents).toBe(
      1999 + 2998 - 800,
    )
  })

  test('cannot bring the sale below its payments, and completes the sale when it reaches them', async () => {
    const harness = await openTerminalHarness(central, { approvals: { discountAbovePercent: 100 } })
    const { discount, now } = saleActions(harness)
    const rung = await harness.ring(COFFEE)
    await harness.call('POST', `/api/sales/${rung.id}/tenders`, {
      kind: 'card',
      version: rung.version,
      amountCents: 1000,
      reference: 'T1',
    })
    expect(await discount(dollars(5))).toMatchObject({ code: 'sale-below-tendered' })
    expect((await now()).discounts).toEqual([])
    expect((await discount({ kind: 'amount', cents: 499 })).sale).toMatchObject({
      state: 'completed',
      totals: { totalCents: 1000, dueCents: 0 },
    })
  })

  test('is refused if it would deduct nothing, on an unknown line, and with a stale version of the sale', async () => {
    const harness = await openTerminalHarness(central, { approvals: { discountAbovePercent: 100 } })
    const { discount, send, now } = saleActions(harness)
    const { id } = await harness.ring(COFFEE)
    expect(await discount(percent(100), 1)).toMatchObject({ sale: { totals: { totalCents: 0 } } })
    expect(await discount(dollars(1), 1)).toMatchObject({ code: 'discount-takes-nothing' })
    expect(await discount(dollars(1), 2)).toMatchObject({ code: 'line-unknown' })
    expect(
      await harness.refused('POST', `/api/sales/${id}/discounts`, {
        version: 1,
        line: null,
        off: dollars(1),
        reason: 'damaged',
      }),
    ).toBe('sale-stale')
    expect(await discount(dollars(0))).toMatchObject({ code: 'body-invalid' })
    expect((await send('POST', '/discounts/1/remove', {})).sale.totals.totalCents).toBe(1499)
    expect(await send('POST', '/discounts/1/remove', {})).toMatchObject({ code: 'discount-unknown' })
    expect((await now()).discounts).toEqual([])
  })

  test('does not apply to pieces rung later, which get a separate line', async () => {
    const harness = await openTerminalHarness(central)
    const { discount } = saleActions(harness)
    await harness.ring(COFFEE)
    await discount(percent(10), 1)
    expect((await harness.ring(COFFEE)).lines.map(({ amountCents }) => amountCents)).toEqual([1349, 1499])
  })
})
