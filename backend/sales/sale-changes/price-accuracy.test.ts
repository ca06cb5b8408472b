import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import {
  accuracyLimitCents,
  cashOutLimitCents,
  compensationCents,
  receiptDetailOf,
} from '../../../contracts/core/region-rules.ts'
import { Region } from '../../../contracts/core/regions.ts'
import { XReport } from '../../../contracts/day/day-end.ts'
import type { ReportRun } from '../../../contracts/day/reports.ts'
import { HeldSales } from '../../../contracts/sales/held-sales.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { payCash } from '../../../packages/lab/testing/vouchers.ts'
import { APPLES, COFFEE, DETERGENT, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { SAM, approved, dollars, saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import { localDayAt } from '../../core/zone.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('01', '02')

/**
 * Coffee scans at $14.99, with a shelf price of $12.00. The Scanner Price Accuracy Voluntary Code takes $10.00 off one
 * piece.
 */
const SHELF = 1_200
async function open(more: TerminalHarnessOptions = {}) {
  const harness = await openTerminalHarness(central, { staffId: 'sam', ...more })
  const actions = saleActions(harness)
  const correct = (line: number, shelfPriceCents: number, given: object = {}) =>
    actions.send('POST', `/lines/${line}/shelf-price`, { shelfPriceCents, compensate: true, ...given })
  return { harness, ...actions, correct }
}
const amountsOf = ({ lines }: { readonly lines: readonly { readonly amountCents: number }[] }): number[] =>
  lines.map(({ amountCents }) => amountCents)
const correctionsOf = (harness: TerminalHarness) =>
  harness.read(`SELECT line_number AS line, scanned_cents AS scanned, shelf_cents AS shelf,
    discount_number IS NOT NULL AS compensated FROM price_correction ORDER BY line_number`)

describe('the rules of the regions', () => {
  test('give a compensation that never exceeds the shelf price or the limit', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Region.options), fc.integer({ min: 0, max: 100_000 }), (region, shelf) => {
        const limit = accuracyLimitCents(region, '2026-11-30')
        const off = compensationCents(shelf, limit)
        expect(off).toBe(Math.min(shelf, region === 'QC' ? 1_500 : 1_000))
      }),
    )
    expect(['2025-05-06', '2025-05-07'].map((day) => accuracyLimitCents('QC', day))).toEqual([1_000, 1_500])
  })

  test('pay out gift cards in Québec only, and require the buyer’s name from $500.00', () => {
    expect(Region.options.filter((region) => cashOutLimitCents(region) !== null)).toEqual(['QC'])
    expect([99_99, 100_00, 499_99, 500_00].map(receiptDetailOf)).toEqual(['supplier', 'tax', 'tax', 'buyer'])
  })
})

describe('a line corrected to its shelf price', () => {
  test('has one piece reduced by the limit, the others at the shelf price, and the reason on the receipt', async () => {
    const { harness, correct } = await open()
    await harness.ring(COFFEE, 3)
    const { sale } = await correct(1, SHELF)
    expect(sale.lines[0]).toMatchObject({
      unitPriceCents: SHELF,
      regularPriceCents: 1_499,
      discountCents: 1_000,
      amountCents: 3 * SHELF - 1_000,
    })
    expect(sale.discounts).toMatchObject([{ reason: 'price-error', amountCents: 1_000 }])
    await payCash(harness, sale)
    const [receipt] = harness.read<{ document: string }>("SELECT document FROM print_job WHERE kind = 'sale'")
    expect(receipt?.document).toContain('Regular price 14.99')
    expect(receipt?.document).toContain('price error')
    expect(correctionsOf(harness)).toEqual([{ line: 1, scanned: 1_499, shelf: SHELF, compensated: 1 }])
  })

  test('compensates an item once for each sale: another line of the item gets the shelf price only', async () => {
    const { harness, correct, send } = await open()
    await harness.ring(COFFEE)
    await correct(1, SHELF)
    await harness.ring(DETERGENT)
    await harness.ring(COFFEE, 2)
    expect(amountsOf((await correct(3, SHELF)).sale)).toEqual([200, 1_999, 2 * SHELF])
    expect(await correct(3, 1_100), 'a lower shelf price is accepted').toMatchObject({ sale: { state: 'open' } })
    expect(await correct(1, SHELF)).toMatchObject({ code: 'accuracy-done' })
    await send('POST', '/lines/1/void', {})
    expect(amountsOf((await correct(3, 1_000)).sale), 'after the first line is void').toEqual([0, 1_999, 1_000])
  })

  test('compensates an item once, also after its first line was corrected again at another price', async () => {
    const { harness, correct, price, send, undo } = await open({ staffId: 'sam' })
    await harness.ring(COFFEE, 3)
    await harness.ring(DETERGENT)
    await harness.ring(COFFEE)
    await correct(1, SHELF)
    await price(1, 1_100)
    expect(amountsOf((await correct(1, 1_000)).sale)).toEqual([2_000, 1_999, 1_499])
    expect(await correct(1, 900)).toMatchObject({ code: 'accuracy-done' })
    expect(amountsOf((await correct(3, SHELF)).sale)).toEqual([2_000, 1_999, SHELF])

    await send('POST', `/cancel`, {})
    await harness.ring(COFFEE)
    await harness.ring(DETERGENT)
    await harness.ring(COFFEE)
    const { sale } = await correct(1, SHELF)
    await send('POST', `/discounts/${sale.discounts[0]?.number}/remove`, {})
    await correct(1, 1_100)
    await undo()
    await undo()
    expect(amountsOf((await correct(3, SHELF)).sale), 'after the removal was undone').toEqual([200, 1_999, SHELF])
  })

  test('is in the report of wrong shelf prices with its compensation, and voided lines are not', async () => {
    const { harness, correct, send } = await open({ staffId: 'sam' })
    await harness.ring(COFFEE)
    await correct(1, SHELF)
    await harness.ring(DETERGENT)
    await correct(2, 1_500)
    await send('POST', '/lines/2/void', {})
    await harness.ring(COFFEE)
    await payCash(harness, (await correct(3, SHELF)).sale)
    const day = localDayAt(Date.now(), 'America/Toronto')
    const { id } = (await harness.call('POST', '/api/reports/runs', { from: day, to: day })).body as { id?: number }
    const report = await vi.waitFor(
      async () => {
        const run = await harness.get<ReportRun>(`/api/reports/runs/${id}`)
        if (!run.report) throw new Error('the report is not read yet')
        return run.report
      },
      { timeout: 20_000 },
    )
    expect(report.breakdowns['price-accuracy'].rows).toMatchObject([{ id: COFFEE, now: { count: 2, cents: 1_000 } }])
  })

  test('is restored by one undo, and can then be corrected again', async () => {
    const { harness, correct, undo } = await open()
    await harness.ring(COFFEE, 2)
    expect(amountsOf((await correct(1, SHELF)).sale)).toEqual([2 * SHELF - 1_000])
    expect(amountsOf((await undo()).sale)).toEqual([2 * 1_499])
    expect(amountsOf((await correct(1, 900)).sale)).toEqual([900])
  })

  test('is excluded from promotions; a shelf price not below the promotional price is refused', async () => {
    const { harness, correct } = await open({
      promotions: [
        {
          id: 'coffee',
          names: { 'en-CA': 'Coffee deal', 'fr-CA': 'Aubaine' },
          items: { kind: 'items', skus: [COFFEE] },
          reward: { kind: 'amount', cents: 400 },
        },
      ],
    })
    await harness.ring(COFFEE)
    expect((await correct(1, 1_100)).code).toBe('accuracy-not-lower')
    const { sale } = await correct(1, 1_050, { compensate: false })
    expect(sale).toMatchObject({ discounts: [], lines: [{ amountCents: 1_050, regularPriceCents: 1_499 }] })
  })

  test('may have a coupon or a discount: its shelf price is compared with the price without them', async () => {
    const { correct, discount, harness } = await open({
      staffId: 'sam',
      coupons: [{ code: 'TEN', name: { 'en-CA': '10 % off', 'fr-CA': 'Rabais de 10 %' }, percent: 10 }],
    })
    await harness.ring(COFFEE)
    await harness.call('POST', '/api/sales/current/coupons', { code: 'TEN' })
    expect(amountsOf((await discount({ kind: 'percent', ppm: 50_000 }, 1)).sale)).toEqual([1_282])
    expect((await correct(1, 1_499)).code).toBe('accuracy-not-lower')
    expect(amountsOf((await correct(1, 1_400, { compensate: false })).sale)).toEqual([1_197])
  })

  test('is refunded exactly its paid amount when its pieces are returned one by one', async () => {
    const { harness, correct } = await open()
    await harness.ring(COFFEE, 3)
    const sale = await payCash(harness, (await correct(1, SHELF)).sale)
    const totals = []
    for (let piece = 0; piece < 3; piece += 1)
      totals.push((await returnPieces(harness, sale, [1, 1])).totals.totalCents)
    expect(totals.reduce((sum, cents) => sum + cents, 0)).toBe(sale.totals.totalCents)
  })

  test('needs an approval, which shows the amounts, if the profile requires one', async () => {
    const { harness, correct, now } = await open({
      staffId: 'alex',
      approvals: { actions: { 'price-accuracy': { cashier: 'with-approval' } } },
    })
    await harness.ring(COFFEE)
    expect(await correct(1, SHELF)).toMatchObject({
      code: 'approval-required',
      approval: { action: 'price-accuracy', reason: 'price-error', items: [{ beforeCents: 1_499, afterCents: 200 }] },
    })
    expect(correctionsOf(harness)).toEqual([])
    const { id, version } = await now()
    const body = { version, shelfPriceCents: SHELF, compensate: true }
    await approved(harness, 'POST', `/api/sales/${id}/lines/1/shelf-price`, body, SAM)
    expect(amountsOf(await now())).toEqual([200])
    const [discount] = harness.read<{ by: string }>('SELECT approved_by AS by FROM sale_discount')
    expect(discount).toEqual({ by: 'sam' })
  })

  test('needs the approval of a price change if it becomes cheaper by more than the limit', async () => {
    const { harness, correct, send, now } = await open({ staffId: 'alex' })
    await harness.ring(COFFEE)
    await harness.ring(DETERGENT, 5)
    await harness.ring(APPLES)
    expect(await correct(1, 0), 'no shelf price').toMatchObject({ code: 'body-invalid' })
    expect((await correct(1, 600)).sale.lines[0], 'alone, with its compensation').toMatchObject({ amountCents: 0 })
    expect(await correct(3, 500), '$10.98 in all').toMatchObject({ code: 'approval-required' })
    expect((await correct(3, 599)).sale.lines[2], '$9.99 in all').toMatchObject({ amountCents: 0 })
    expect(await send('POST', '/lines/2/shelf-price', { shelfPriceCents: 1, compensate: false })).toMatchObject({
      code: 'approval-required',
      approval: { action: 'price', limitPercent: 10, items: [{ beforeCents: 9_995, afterCents: 5 }] },
    })
    const asked = await correct(2, 700)
    const covered = { ...SAM, covers: asked.approval?.covers }
    const { id, version } = await now()
    const path = `/api/sales/${id}/lines/2/shelf-price`
    // Both cost $28.00: 5 × $7.00 less $7.00, and 5 × $5.60.
    const other = { version, shelfPriceCents: 560, compensate: false, approval: covered }
    expect(await harness.refused('POST', path, other)).toBe('approval-required')
    const same = { version, shelfPriceCents: 700, compensate: true, approval: covered }
    expect((await harness.call('POST', path, same)).status).toBe(200)
    expect(amountsOf(await now())).toEqual([0, 2_800, 0])
  })

  test('is no manual discount in the X report, as in the report by person', async () => {
    const { harness, correct, discount } = await open({ staffId: 'sam' })
    await harness.ring(COFFEE)
    await harness.ring(DETERGENT)
    await correct(1, SHELF)
    const { sale } = await discount(dollars(1), 2)
    await payCash(harness, sale)
    const { totals } = XReport.parse((await harness.call('GET', '/api/x-report')).body)
    expect(totals.discounts).toBe(1)
  })

  test('stays corrected when another lane resumes the sale, and is not compensated again there', async ({ skip }) => {
    const one = await open({ store: store.place(skip, '01'), laneId: '01', staffId: 'sam' })
    const other = await open({ store: store.place(skip, '02'), laneId: '02', staffId: 'sam' })
    await one.harness.ring(COFFEE)
    await one.correct(1, SHELF)
    const { sale } = await one.send('POST', '/hold', { name: 'Blue coat' })
    const found = await vi.waitFor(
      async () => {
        const { body } = await other.harness.call('GET', '/api/sales/held')
        const held = HeldSales.parse(body).sales.find(({ id, where }) => id === sale.id && where === 'store')
        if (!held) throw new Error('the other lane does not list the sale')
        return held
      },
      { timeout: 20_000 },
    )
    const path = `/api/sales/${sale.id}/resume`
    const asked = await other.harness.call('POST', path, { version: found.version })
    const covers = asked.body.approval?.covers
    const resumed = await other.harness.call('POST', path, { version: found.version, prices: 'held', covers })
    expect(resumed.status).toBe(200)
    await other.harness.ring(DETERGENT)
    await other.harness.ring(COFFEE)
    expect(amountsOf((await other.correct(3, SHELF)).sale)).toEqual([200, 1_999, SHELF])
  })
})
