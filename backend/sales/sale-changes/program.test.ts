import { describe, expect, test } from 'vitest'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { dollars, saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { COFFEE, returnPieces } from '../../../packages/lab/testing/return-steps.ts'

const central = useCentral()

describe('a sale with discounts or coupons', () => {
  test('sends ISSUE with the paid amounts, split into items whose quantity times price is exact', async () => {
    const harness = await openTerminalHarness(central, { approvals: { discountAbovePercent: 100 } })
    const { discount } = saleActions(harness)
    await harness.ring(COFFEE, 3)
    await harness.swipe('fine')
    const { sale } = await discount(dollars(10))
    await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'card',
      version: sale.version,
      amountCents: 3497,
      reference: 'T1',
    })
    await harness.untilOperation('issue', 'confirmed')
    const [request] = await central.requests(ISSUANCE_PATHS.issue)
    expect(request?.body).toMatchObject({
      basketPreTaxAmount: 34.97,
      basketPostTaxAmount: 34.97,
      items: [
        { id: COFFEE, number: 1, quantity: 1, baseAmount: 11.65, finalAmount: 11.65 },
        { id: COFFEE, number: 2, quantity: 2, baseAmount: 11.66, finalAmount: 23.32 },
      ],
    })
  })

  test('sends CALCULATE again with the basket after a discount, and after the undo of the discount', async () => {
    const harness = await openTerminalHarness(central)
    const { discount, undo } = saleActions(harness)
    await harness.ring(COFFEE)
    await harness.swipe('fine')
    await central.reached(ISSUANCE_PATHS.calculate, 1, 'processed')
    await discount(dollars(1))
    await central.reached(ISSUANCE_PATHS.calculate, 2, 'processed')
    await undo()
    await central.reached(ISSUANCE_PATHS.calculate, 3, 'processed')
    expect((await central.requests(ISSUANCE_PATHS.calculate)).map(({ body }) => body['basketPreTaxAmount'])).toEqual([
      14.99, 13.99, 14.99,
    ])
  })

  test('takes back a coupon’s miles only with the last goods returned, if the store calculates the miles', async () => {
    const harness = await openTerminalHarness(central, {
      coupons: [{ code: 'BONUS10', name: { 'en-CA': 'Ten miles', 'fr-CA': 'Dix milles' } }],
      issuance: { mode: 'partner', rules: [{ kind: 'coupon', offerCode: 'NRBONUS10', miles: 10, coupon: 'BONUS10' }] },
    })
    await harness.ring(COFFEE, 2)
    await harness.swipe('fine')
    const { sale } = (await harness.call('POST', '/api/sales/current/coupons', { code: 'BONUS10' })).body
    await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'card',
      version: sale.version,
      amountCents: 2998,
      reference: 'T1',
    })
    expect((await harness.untilOperation('post', 'confirmed')).miles).toBe(10)
    await returnPieces(harness, sale, [1, 1])
    expect(harness.operations().map(({ type }) => type)).toEqual(['post'])
    await returnPieces(harness, sale, [1, 1])
    expect((await harness.untilOperation('post-reverse', 'confirmed')).miles).toBe(-10)
  })

  test('refunds what was paid for the returned pieces', async () => {
    const harness = await openTerminalHarness(central, { approvals: { discountAbovePercent: 100 } })
    const { discount } = saleActions(harness)
    await harness.ring(COFFEE, 3)
    const { sale } = await discount(dollars(10))
    await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'card',
      version: sale.version,
      amountCents: 3497,
      reference: 'T1',
    })
    const back: number[] = []
    for (const quantity of [1, 2]) {
      const returned = await returnPieces(harness, sale, [1, quantity])
      expect(returned.lines[0]?.amountCents).toBe(returned.totals.totalCents)
      back.push(returned.totals.totalCents)
    }
    expect(back).toEqual([1165, 2332])
  })
})
