import { describe, expect, test } from 'vitest'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { cents } from '../../../contracts/core/money.ts'
import { openCheckout } from '../../../packages/lab/testing/checkout-harness.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { APPLES, COFFEE, DETERGENT } from '../../../packages/lab/testing/return-steps.ts'

const central = useCentral()

describe('coupons', () => {
  const name = { 'en-CA': 'Coffee month', 'fr-CA': 'Mois du café' }
  const coupons = [
    { code: 'COFFEE2', name, dollars: 2, sku: COFFEE },
    { code: 'HOUSE-20', name, percent: 20, department: 'household', minimumDollars: 30 },
    { code: 'OLD', name, percent: 5, until: '2020-01-01' },
    { code: 'SOON', name, percent: 5, from: '2999-01-01' },
    { code: 'ALL5', name, percent: 5 },
    { code: 'BONUS10', name },
  ]
  const use = async (harness: TerminalHarness, code: string) =>
    (await harness.call('POST', '/api/sales/current/coupons', { code })).body

  test('cannot bring a sale below its payments when a new item reaches the minimum amount of the coupon', async () => {
    const harness = await openTerminalHarness(central, {
      coupons: [{ code: 'TEN', name, dollars: 10, minimumDollars: 20.5 }],
    })
    const { send } = saleActions(harness)
    await harness.ring(DETERGENT)
    await harness.ring(APPLES)
    await use(harness, 'TEN')
    expect((await send('POST', '/lines/2/void', {})).sale.totals.totalCents).toBe(2259)
    await send('POST', '/tenders', { kind: 'card', amountCents: 2250, reference: 'T1' })
    // The item would reactivate the coupon, and the sale would cost less than was already paid.
    const sleeve = { sku: '1031', quantity: 1 }
    expect(await harness.refused('POST', '/api/sales/current/lines', sleeve)).toBe('sale-below-tendered')
    expect(await harness.current()).toMatchObject({ totals: { totalCents: 2259, dueCents: 9 } })
  })

  test('apply to their items once a sale, keyed or scanned, and their codes are sent to the program', async () => {
    const harness = await openTerminalHarness(central, { coupons })
    const { now } = saleActions(harness)
    expect(await use(harness, 'COFFEE2')).toMatchObject({ code: 'sale-empty' })
    await harness.ring(DETERGENT)
    expect(await use(harness, 'COFFEE2')).toMatchObject({ code: 'coupon-not-applicable' })
    await harness.ring(COFFEE)
    expect((await use(harness, ' coffee2 ')).sale).toMatchObject({
      discounts: [
        { reach: { kind: 'item', sku: COFFEE }, coupon: { code: 'COFFEE2' }, reason: null, amountCents: 200 },
      ],
      undo: 'discount',
    })
    expect(await use(harness, 'COFFEE2')).toMatchObject({ code: 'coupon-used' })
    for (const [code, problem] of [
      ['OLD', 'coupon-expired'],
      ['SOON', 'coupon-not-yet'],
      ['NONE', 'coupon-unknown'],
      ['HOUSE-20', 'coupon-not-applicable'],
    ] as const)
      expect(await use(harness, code), code).toMatchObject({ code: problem })
    await harness.call('POST', '/api/training/scan', { code: 'all5' })
    const sale = await harness.until((candidate) => candidate.discounts.length === 2)
    expect(sale.discounts[1]).toMatchObject({ reach: { kind: 'sale' }, amountCents: 165 })
    expect((await use(harness, 'BONUS10')).sale).toMatchObject({
      totals: { totalCents: sale.totals.totalCents },
      discounts: [{}, {}, { off: null, applies: true, amountCents: 0 }],
    })
    await harness.ring(DETERGENT)
    expect((await use(harness, 'HOUSE-20')).sale.discounts[3]).toMatchObject({ amountCents: 800 })
    await harness.swipe('fine')
    const { id, version, totals } = await now()
    await harness.call('POST', `/api/sales/${id}/tenders`, {
      kind: 'card',
      version,
      amountCents: totals.dueCents,
      reference: 'T1',
    })
    const { miles } = await harness.untilOperation('issue', 'confirmed')
    expect(miles, 'the ten of the coupon are among them').toBeGreaterThanOrEqual(10)
    expect((await central.requests(ISSUANCE_PATHS.issue))[0]?.body['coupon']).toEqual([
      'COFFEE2',
      'ALL5',
      'BONUS10',
      'HOUSE-20',
    ])
    expect((await harness.call('GET', `/api/sales/${id}/receipt`)).body.document.blocks).toContainEqual(
      expect.objectContaining({ left: 'Coupon: Coffee month', right: '-2.00' }),
    )
  })

  test('complete the sale in the same commit when a scan leaves nothing due', async () => {
    const printer = { drawerOpenedAt: null, print: async () => ({ state: 'sent', detail: null }) as const }
    const { checkout, db } = await openCheckout(printer, { coupons: [{ code: 'TEN', name, dollars: 10 }] })
    const { id, version, totals } = checkout.sales.ringSku(DETERGENT, 1)
    const amountCents = cents(totals.totalCents - 1130)
    checkout.tenders.add(id, { kind: 'card', version, amountCents, reference: 'T1' })
    db.exec(`CREATE TEMP TRIGGER power_cut BEFORE INSERT ON print_job BEGIN SELECT RAISE(ABORT, 'power cut'); END`)
    expect(() => {
      checkout.scanning.scan('TEN')
    }).toThrow('power cut')
    expect(checkout.sales.view(id)).toMatchObject({ state: 'open', discounts: [], totals: { dueCents: 1130 } })
    db.exec('DROP TRIGGER power_cut')
    checkout.scanning.scan('TEN')
    expect(checkout.sales.view(id)).toMatchObject({ state: 'completed', discounts: [{ coupon: { code: 'TEN' } }] })
  })
})
