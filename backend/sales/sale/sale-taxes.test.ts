import { describe, expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { manualClock } from '../../../packages/lab/testing/manual-clock.ts'
import { APPLES, DETERGENT, buy, quoteOf, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { dollars, saleActions, SAM } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const MUFFIN = '1071' // 1.50, single baked serving
const SOUP = '1072' // 3.75, prepared food

describe('the taxes of a sale', () => {
  test('depend on the number of baked servings, and a return of one of six servings refunds no tax', async () => {
    const lane = await openTerminalHarness(central)
    expect(await lane.ring(MUFFIN, 5)).toMatchObject({
      lines: [{ taxCodes: ['HST'] }],
      totals: { subtotalCents: 750, totalCents: 848 },
    })
    const sale = await buy(lane, [[MUFFIN, 1]], { cash: true })
    expect(sale).toMatchObject({
      state: 'completed',
      lines: [{ quantity: 6, taxCodes: [] }],
      totals: { totalCents: 900 },
    })
    expect(lane.read('SELECT tax_category AS category, tax_rule AS rule FROM sale_line')).toEqual([
      { category: 'zero-rated', rule: null },
    ])
    expect(await returnPieces(lane, sale, [1, 1])).toMatchObject({ totals: { subtotalCents: 150, totalCents: 150 } })
    expect(await quoteOf(lane, sale, [{ number: 1, quantity: 5 }])).toMatchObject({ totals: { totalCents: 750 } })
  })

  test('count every baked serving of a pack, also if the pack is one unit with its own price', async () => {
    const lane = await openTerminalHarness(central, {
      catalog: `sku,barcode,name_en,name_fr,price,tax_category,department,category,packs,tax_rule
TART,,Tart,Tartelette,1.50,standard,bakery,,10628451101007 x 4 @ 5.00,baked-serving`,
    })
    expect(await lane.ring('TART', 2)).toMatchObject({ lines: [{ taxCodes: ['HST-FEDERAL'] }] })
    await lane.call('POST', '/api/training/scan', { code: ']I010628451101007' })
    expect(await lane.until(({ lines }) => lines.length === 2)).toMatchObject({
      lines: [{ taxCodes: [] }, { quantity: 1, taxCodes: [] }],
      totals: { totalCents: 800 },
    })
  })

  test('have only the federal part if all prepared food is four dollars or less after discounts', async () => {
    const lane = await openTerminalHarness(central, { staffId: 'sam' })
    const { discount, now, send } = saleActions(lane)
    expect((await lane.ring(SOUP)).totals).toMatchObject({
      taxes: [
        { code: 'HST', amountCents: 0 },
        { code: 'HST-FEDERAL', amountCents: 19 },
      ],
    })
    expect((await lane.ring(MUFFIN)).totals.taxes).toEqual([{ code: 'HST', amountCents: 68 }])
    await discount(dollars(2))
    expect(await now()).toMatchObject({
      lines: [{ taxCodes: ['HST-FEDERAL'] }, { taxCodes: ['HST-FEDERAL'] }],
      totals: { subtotalCents: 325, totalCents: 341 },
    })
    const { sale } = await send('POST', '/tenders', { kind: 'card', amountCents: 341, reference: 'T1' })
    expect(sale.state).toBe('completed')
    const { blocks } = (await lane.call('GET', `/api/sales/${sale.id}/receipt`)).body.document
    expect(blocks).toContainEqual(expect.objectContaining({ left: expect.stringMatching(/^HST 5%/) }))
    expect(lane.read("SELECT taxes FROM sale WHERE state = 'completed' AND totals LIKE '%HST-FEDERAL%'")).toHaveLength(
      1,
    )
    const answers = [await returnPieces(lane, sale, [1, 1]), await returnPieces(lane, sale, [2, 1])]
    expect(answers.reduce((sum, { totals }) => sum + totals.totalCents, 0)).toBe(sale.totals.totalCents)
  })

  test('are lower when a discount brings prepared food to the limit, without a further approval', async () => {
    const lane = await openTerminalHarness(central)
    const { discount } = saleActions(lane)
    await lane.ring(SOUP, 2)
    const { sale } = await discount(dollars(5), null, { approval: SAM })
    expect(sale).toMatchObject({ totals: { subtotalCents: 250, totalCents: 263 } })
  })

  test('are the lowest that a sale could have charged for goods returned without a record', async () => {
    const lane = await openTerminalHarness(central, { staffId: 'sam' })
    const quote = (quantity: number) =>
      lane.call('POST', '/api/returns/without-record/quote', { items: [{ sku: MUFFIN, quantity }], reason: 'gift' })
    expect((await quote(6)).body).toMatchObject({ totals: { totalCents: 900 } })
    expect((await quote(1)).body).toMatchObject({ totals: { totalCents: 150 } })
  })

  test('do not change when the sale is put on hold', async () => {
    const lane = await openTerminalHarness(central)
    const { send } = saleActions(lane)
    await lane.ring(MUFFIN, 6)
    await send('PUT', '/lines/1', { quantity: 5 })
    await send('PUT', '/lines/1', { quantity: 6 })
    const held = await send('POST', '/hold', { name: 'Ana' })
    expect(held).not.toHaveProperty('code')
    const { body } = await lane.call('GET', '/api/sales/held')
    expect(body).toMatchObject({ sales: [{ totalCents: 900 }] })
  })
})

describe('a line with its own exemption', () => {
  const exemption = { relief: 'all', reason: 'diplomat', certificate: 'D-2210' }

  test('needs a supervisor, has no tax, is audited and printed, and its undo restores the tax', async () => {
    const lane = await openTerminalHarness(central)
    const { send, undo, trail, now } = saleActions(lane)
    await lane.ring(DETERGENT)
    await lane.ring(APPLES)
    await lane.ring(DETERGENT)
    expect(await send('PUT', '/exemption', { line: 1, exemption })).toMatchObject({
      code: 'approval-required',
      details: [{ message: 'exemption' }],
      approval: { exemption },
    })
    const { sale } = await send('PUT', '/exemption', { line: 1, exemption, approval: SAM })
    expect(sale).toMatchObject({
      exemption: null,
      undo: 'exemption',
      lines: [{ exemption, taxCodes: [] }, {}, { taxCodes: ['HST'] }],
      totals: { taxes: [{ code: 'HST', amountCents: 260 }] },
    })
    expect(trail().at(-1)).toMatchObject({ kind: 'tax-exemption', line: 1, before: null, approvedBy: 'sam' })
    await undo()
    expect((await now()).totals.taxes).toEqual([{ code: 'HST', amountCents: 520 }])
    await send('PUT', '/exemption', { line: 3, exemption, approval: SAM })
    // A line with an exemption takes no more pieces.
    expect((await lane.ring(DETERGENT)).lines).toHaveLength(4)
    const paid = await buy(lane, [[APPLES, 1]], { cash: true })
    const { blocks } = (await lane.call('GET', `/api/sales/${paid.id}/receipt`)).body.document
    expect(blocks).toContainEqual(expect.objectContaining({ text: 'Tax exempt: diplomat' }))
    expect(blocks).toContainEqual(expect.objectContaining({ left: 'Certificate', right: 'D-2210' }))
    expect(await returnPieces(lane, paid, [3, 1])).toMatchObject({ totals: { totalCents: 1_999 } })
  })

  test('needs a new approval when more pieces increase the exempted tax', async () => {
    const lane = await openTerminalHarness(central)
    const { send } = saleActions(lane)
    await lane.ring(DETERGENT)
    await send('PUT', '/exemption', { line: 1, exemption, approval: SAM })
    expect(await send('PUT', '/lines/1', { quantity: 2 })).toMatchObject({ code: 'approval-required' })
  })
})

describe('a planned tax change of an item', () => {
  test('applies to lines rung from its first day on in store time, and not to earlier lines', async () => {
    const clock = manualClock('2024-12-14T04:59:30Z', { from: 1 })
    const lane = await openTerminalHarness(central, {
      clock,
      catalog: `sku,barcode,name_en,name_fr,price,tax_category,department,category,tax_rule,tax_changes
A,,Toy,Jouet,10.00,standard,household,,,2024-12-14=standard+no-federal-tax|2025-02-16=standard`,
      region: 'QC',
    })
    expect((await lane.ring('A')).totals).toMatchObject({
      taxes: [
        { code: 'GST', amountCents: 50 },
        { code: 'QST', amountCents: 100 },
      ],
    })
    clock.advance(60_000)
    const sale = await lane.ring('A')
    expect(sale.lines.map(({ taxCodes }) => taxCodes)).toEqual([['GST', 'QST'], ['QST']])
    expect(sale.totals.taxes).toEqual([
      { code: 'GST', amountCents: 50 },
      { code: 'QST', amountCents: 200 },
    ])
  })
})
