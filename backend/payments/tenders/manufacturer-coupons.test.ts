import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { ManufacturerCoupon } from '../../../contracts/catalog/manufacturer-coupons.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { ReportRun } from '../../../contracts/day/reports.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, COFFEE, DETERGENT, buy, formsOf, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { SAM, saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

const name = { 'en-CA': 'Detergent $5 off', 'fr-CA': 'Détersif, 5 $ de moins' }
const FIVE: z.input<typeof ManufacturerCoupon> = { code: '99000012345', name, dollars: 5, sku: DETERGENT }
const LISTED = [
  FIVE,
  { code: 'TWO-COFFEES', name, dollars: 3, sku: COFFEE, units: 2 },
  { code: 'HOUSEHOLD', name, dollars: 30, department: 'household' },
  { code: 'NO-VALUE', name, sku: DETERGENT },
  { code: 'OLD', name, dollars: 1, until: '2020-01-01' },
  { code: 'SOON', name, dollars: 1, from: '2999-01-01' },
]
/** A GS1 coupon code of the training store's supplier: $1 off one piece. */
const ONE_DOLLAR = '8110' + '10628451' + '123456' + '3100' + '11' + '0' + '000'

const open = (more: TerminalHarnessOptions = {}): Promise<TerminalHarness> =>
  openTerminalHarness(central, {
    payments: ['cash', 'card', 'cheque', 'manufacturer-coupon', 'voucher'],
    manufacturerCoupons: LISTED,
    ...more,
  })
const payment = (code: string, more: object = {}) => ({ kind: 'manufacturer-coupon', code, ...more })
const report = async (lane: TerminalHarness) => {
  const [from, to] = [-86_400_000, 0].map((ms) => new Date(Date.now() + ms).toISOString().slice(0, 10))
  const { id } = (await lane.call('POST', '/api/reports/runs', { from, to })).body as unknown as ReportRun
  for (;;) {
    const { body } = await lane.call('GET', `/api/reports/runs/${id}`)
    if (body.state !== 'running') return ReportRun.parse(body).report
  }
}

describe('a manufacturer’s coupon', () => {
  test('pays a portion of a sale that is taxed on the full price, and is on the receipt', async () => {
    const lane = await open()
    const { send } = saleActions(lane)
    expect((await lane.ring(DETERGENT)).totals).toMatchObject({ subtotalCents: 1_999, totalCents: 2_259 })
    expect((await send('POST', '/tenders', payment('99000012345'))).sale).toMatchObject({
      discounts: [],
      tenders: [{ kind: 'manufacturer-coupon', amountCents: 500, reference: '99000012345', coupon: { name } }],
      totals: { subtotalCents: 1_999, taxes: [{ code: 'HST', amountCents: 260 }], totalCents: 2_259, dueCents: 1_759 },
    })
    const { sale } = await send('POST', '/tenders', { kind: 'cash', tenderedCents: 1_760 })
    expect(sale.state).toBe('completed')
    await lane.printed(sale.id)
    const { document } = (await lane.call('GET', `/api/sales/${sale.id}/receipt`)).body
    expect(document.blocks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ left: 'Manufacturer’s coupon', right: '$5.00' }),
        expect.objectContaining({ left: '  Detergent $5 off' }),
        expect.objectContaining({ left: '  Coupon no.', right: '99000012345' }),
      ]),
    )
  })

  test('needs as many of its items as it states, and each piece counts for one coupon', async () => {
    const lane = await open()
    const { send } = saleActions(lane)
    await lane.ring(APPLES)
    expect(await send('POST', '/tenders', payment('99000012345'))).toMatchObject({ code: 'coupon-items-missing' })
    await lane.ring(DETERGENT)
    await lane.ring(COFFEE)
    expect(await send('POST', '/tenders', payment('TWO-COFFEES'))).toMatchObject({ code: 'coupon-items-missing' })
    await lane.ring(COFFEE)
    await send('POST', '/tenders', payment('99000012345'))
    expect(await send('POST', '/tenders', payment('99000012345'))).toMatchObject({ code: 'coupon-items-missing' })
    expect((await send('POST', '/tenders', payment('two-coffees'))).sale.tenders).toMatchObject([
      { amountCents: 500 },
      { amountCents: 300 },
    ])
  })

  test('pays at most the price of its items after promotions, and the tax remains due', async () => {
    const half = { kind: 'percent' as const, ppm: 500_000 }
    const items = { kind: 'items' as const, skus: [DETERGENT] }
    const lane = await open({ promotions: [{ id: 'half', names: name, items, reward: half }] })
    const { send } = saleActions(lane)
    await lane.ring(DETERGENT)
    expect((await send('POST', '/tenders', payment('HOUSEHOLD'))).sale).toMatchObject({
      tenders: [{ amountCents: 999, coupon: { faceCents: 3_000 } }],
      totals: { subtotalCents: 999, totalCents: 1_129, dueCents: 130 },
    })
  })

  test('with a GS1 code needs items with the company prefix of the code, and has its value and days', async () => {
    const lane = await open({ manufacturerCoupons: [] })
    const { send } = saleActions(lane)
    await lane.ring(DETERGENT)
    const other = ONE_DOLLAR.replace('0628451', '0614141')
    expect(await send('POST', '/tenders', payment(other))).toMatchObject({ code: 'coupon-items-missing' })
    expect(await send('POST', '/tenders', payment(`${ONE_DOLLAR}3200101`))).toMatchObject({ code: 'coupon-expired' })
    expect((await send('POST', '/tenders', payment(ONE_DOLLAR))).sale.tenders).toMatchObject([
      { amountCents: 100, reference: '0628451-123456' },
    ])
  })

  test('without a known value needs a typed value and the approval that the profile requires', async () => {
    const lane = await open()
    const { send, trail } = saleActions(lane)
    await lane.ring(DETERGENT)
    expect(await send('POST', '/tenders', payment('NO-VALUE'))).toMatchObject({ code: 'coupon-value-missing' })
    expect(await send('POST', '/tenders', payment('NO-VALUE', { amountCents: 250 }))).toMatchObject({
      code: 'approval-required',
      approval: { of: 'coupon', action: 'coupon-value', code: 'NO-VALUE', amountCents: 250 },
    })
    const approvedSale = await send('POST', '/tenders', { ...payment('NO-VALUE', { amountCents: 250 }), approval: SAM })
    expect(approvedSale.sale.tenders).toMatchObject([{ amountCents: 250 }])
    expect(trail()).toContainEqual(
      expect.objectContaining({ kind: 'approval-given', action: 'coupon-value', amountCents: 250 }),
    )
  })

  test('is refused outside its days, and where the store accepts none', async () => {
    const lane = await open()
    const { send } = saleActions(lane)
    await lane.ring(DETERGENT)
    expect(await send('POST', '/tenders', payment('OLD'))).toMatchObject({ code: 'coupon-expired' })
    expect(await send('POST', '/tenders', payment('SOON'))).toMatchObject({ code: 'coupon-not-yet' })
    const elsewhere = await open({ payments: ['cash'] })
    await elsewhere.ring(DETERGENT)
    expect(await saleActions(elsewhere).send('POST', '/tenders', payment('OLD'))).toMatchObject({
      code: 'body-invalid',
    })
  })

  test('prevents voiding its items until the coupon is given back, which prints a slip', async () => {
    const lane = await open()
    const { send, now } = saleActions(lane)
    await lane.ring(APPLES, 4)
    await lane.ring(DETERGENT)
    await send('POST', '/tenders', payment('99000012345'))
    expect(await send('POST', '/lines/2/void', {})).toMatchObject({ code: 'coupon-pays-items' })
    expect((await send('POST', '/tenders/1/take-back', {})).sale.tenders).toEqual([])
    const [paper] = lane.read<{ document: string }>("SELECT document FROM print_job WHERE kind = 'payment-back'")
    expect(paper?.document).toMatch(/Coupon returned.*5\.00/)
    await send('POST', '/lines/2/void', {})
    expect((await now()).totals.totalCents).toBe(2_796)
  })

  test('is refunded as store credit with the price and tax of the goods, never in cash', async () => {
    const lane = await open()
    const { send } = saleActions(lane)
    await lane.ring(DETERGENT)
    await send('POST', '/tenders', payment('99000012345'))
    const { sale } = await send('POST', '/tenders', { kind: 'cash', tenderedCents: 1_760 })
    const returned = await returnPieces(lane, sale, [1, 1])
    expect(returned.totals).toMatchObject({ subtotalCents: 1_999, totalCents: 2_259 })
    expect(formsOf(returned)).toEqual([
      ['cash', 1_759, 1],
      ['store-credit', 500, 0],
    ])
  })

  test('is refunded as store credit with the last piece it needs, not with earlier pieces or other goods', async () => {
    const lane = await open()
    const { send } = saleActions(lane)
    await lane.ring(APPLES)
    await lane.ring(DETERGENT, 2)
    await send('POST', '/tenders', payment('99000012345'))
    const due = (await lane.call('GET', '/api/sales/current')).body.sale.totals.cashDueCents
    const { sale } = await send('POST', '/tenders', { kind: 'cash', tenderedCents: due })
    expect(sale.state).toBe('completed')
    expect(formsOf(await returnPieces(lane, sale, [1, 1]))).toEqual([['cash', 699, 1]])
    expect(formsOf(await returnPieces(lane, sale, [2, 1]))).toEqual([['cash', 2_259, 1]])
    expect(formsOf(await returnPieces(lane, sale, [2, 1]))).toEqual([
      ['cash', 1_759, -4],
      ['store-credit', 500, 0],
    ])
  })

  test('is refunded before cash when the first of its goods are returned, and only once', async () => {
    const lane = await open()
    const { send } = saleActions(lane)
    await lane.ring(DETERGENT)
    await lane.ring(COFFEE, 2)
    await send('POST', '/tenders', payment('99000012345'))
    await send('POST', '/tenders', payment('TWO-COFFEES'))
    const due = (await lane.call('GET', '/api/sales/current')).body.sale.totals.cashDueCents
    const { sale } = await send('POST', '/tenders', { kind: 'cash', tenderedCents: due })
    expect(formsOf(await returnPieces(lane, sale, [1, 1]))).toEqual([
      ['cash', 1_759, 1],
      ['store-credit', 500, 0],
    ])
    expect(formsOf(await returnPieces(lane, sale, [2, 1]))).toEqual([
      ['cash', 1_199, 1],
      ['store-credit', 300, 0],
    ])
    expect(formsOf(await returnPieces(lane, sale, [2, 1]))).toEqual([['cash', 1_499, -4]])
  })

  test('is sent to the window when it is scanned, with its value and the most that it can pay', async () => {
    const lane = await open()
    await lane.ring(DETERGENT)
    await lane.call('POST', '/api/training/scan', { code: ONE_DOLLAR })
    const presented = await lane.event(
      (event): event is Extract<TerminalEvent, { type: 'manufacturer-coupon-presented' }> =>
        event.type === 'manufacturer-coupon-presented',
    )
    expect(presented).toMatchObject({
      coupon: { code: ONE_DOLLAR, name: null, faceCents: 100, mostCents: 1_999 },
    })
  })
})

describe('manufacturers’ coupons of a day', () => {
  test('are counted in the drawer as paper, and have a row in the Z report and in the report of the day', async () => {
    const lane = await open({ staffId: 'sam' })
    const { send } = saleActions(lane)
    await lane.ring(DETERGENT)
    await send('POST', '/tenders', payment('99000012345'))
    await send('POST', '/tenders', { kind: 'cheque', amountCents: 1_000, reference: '7' })
    const { sale } = await send('POST', '/tenders', { kind: 'cash', tenderedCents: 760 })
    expect(sale.state).toBe('completed')
    const [{ id } = { id: 0 }] = lane.read<{ id: number }>('SELECT id FROM shift')
    const cash = { by: 'sum', cents: 760 }
    const count = { cash, cardSlipsCents: 0, chequesCents: 1_000, couponsCents: 400 }
    const counted = (await lane.call('POST', `/api/shifts/${id}/counts`, { number: 1, count })).body as never as {
      shift: { recount: string[] }
    }
    expect(counted.shift.recount).toEqual(['coupons'])
    const again = { number: 2, count: { ...count, couponsCents: 500 } }
    expect((await lane.call('POST', `/api/shifts/${id}/counts`, again)).body).toMatchObject({
      shift: {
        result: {
          cash: { differenceCents: 0 },
          cheques: { expectedCents: 1_000, differenceCents: 0 },
          coupons: { expectedCents: 500, differenceCents: 0 },
        },
      },
    })
    await lane.call('POST', `/api/shifts/${id}/close`, { reason: null, leftCents: 0 })
    const z = (await lane.call('POST', '/api/z-reports', {})).body as never as { report: { number: number } }
    expect(z).toMatchObject({ report: { totals: { manufacturerCoupons: { taken: { count: 1, amountCents: 500 } } } } })
    const [stored] = lane.read<{ document: string }>("SELECT document FROM print_job WHERE kind = 'z-report'")
    expect(stored?.document).toMatch(/Cheque \(1\).*10\.00.*Manufacturer’s coupon \(1\).*5\.00/)
    const { breakdowns } = (await report(lane)) ?? {}
    expect(breakdowns?.['manufacturer-coupons'].rows).toMatchObject([
      { id: '99000012345', name, now: { count: 1, cents: 500 } },
    ])
    expect(breakdowns?.tenders.rows).toContainEqual(
      expect.objectContaining({ id: 'manufacturer-coupon', now: { count: 1, cents: 500 } }),
    )
  })

  test('have no row in the report of a day that has only store coupons and promotions', async () => {
    const items = { kind: 'items' as const, skus: [APPLES] }
    const lane = await open({
      staffId: 'sam',
      promotions: [{ id: 'half', names: name, items, reward: { kind: 'percent', ppm: 500_000 } }],
      coupons: [{ code: 'ALL5', name, percent: 5 }],
    })
    await lane.ring(APPLES)
    await lane.call('POST', '/api/sales/current/coupons', { code: 'ALL5' })
    await buy(lane, [[APPLES, 1]], { cash: true })
    const { breakdowns } = (await report(lane)) ?? {}
    expect(breakdowns?.coupons.rows).toMatchObject([{ id: 'ALL5', now: { count: 1 } }])
    expect(breakdowns?.promotions.rows).toMatchObject([{ id: 'half', now: { count: 1 } }])
    expect(breakdowns?.['manufacturer-coupons'].rows).toEqual([])
  })
})

test('a manufacturer’s coupon added by a manager is audited, and not added again with a serial number', async () => {
  const lane = await open({ staffId: 'sam', manufacturerCoupons: [] })
  const { trail } = saleActions(lane)
  const save = (coupon: object) => lane.call('POST', '/api/catalog/manufacturer-coupons', { how: 'add', coupon })
  expect((await save({ ...FIVE, code: ONE_DOLLAR })).body).toMatchObject({ coupons: [{ from: 'lane' }] })
  expect((await save({ ...FIVE, sku: '9999' })).body).toMatchObject({ code: 'item-unknown' })
  expect((await save({ ...FIVE, code: `${ONE_DOLLAR}50123456` })).body).toMatchObject({ code: 'coupon-code-used' })
  expect(trail().filter(({ kind }) => kind === 'manufacturer-coupon-added')).toHaveLength(1)
  await lane.ring(DETERGENT)
  const { tenders } = (await saleActions(lane).send('POST', '/tenders', payment(ONE_DOLLAR))).sale
  expect(tenders).toMatchObject([{ amountCents: 500, coupon: { name } }])
})
