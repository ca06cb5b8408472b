import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SaleReturn } from '../../../contracts/payments/returns.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { Region, TaxCategory } from '../../../contracts/core/regions.ts'
import { cents } from '../../../contracts/core/money.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, buy, DETERGENT, quoteOf, refundsOf, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { percent, saleActions, SAM } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { taxesOf } from '../../catalog/tax.ts'
import { type BasketLine, lineAmount, totalBasket, without } from '../../sales/sale/basket.ts'
import type { LineRow } from '../../sales/sale/sales.sql.ts'
import type { PricedParts } from '../../sales/sale/sale-parts.ts'
import { evenLines, evenPieces, evenSale, isPriceChanged, valueOfEven } from './even-exchange.ts'
import { only, valueOfReturned } from './return-rules.ts'

const central = useCentral()

async function exchange(lane: TerminalHarness, sale: Sale, open: Sale, quantity = 1) {
  const lines = [{ number: 1, quantity }]
  const quote = await quoteOf(lane, sale, lines, open)
  const { body } = await lane.call('POST', '/api/returns', {
    saleId: sale.id,
    version: quote.version,
    lines,
    refunds: refundsOf(quote),
    cardReference: 'R1',
    exchange: quote.exchange && { saleId: quote.exchange.saleId, version: quote.exchange.version },
  })
  return { quote, returned: SaleReturn.parse(body['return']) }
}

describe('an item returned and bought again', () => {
  test('is sold again at the price that was paid, although its price rose, and nothing is due', async () => {
    const lane = await openTerminalHarness(central)
    const { price, trail } = saleActions(lane)
    await lane.ring(DETERGENT)
    await price(1, 1_500, { approval: SAM })
    const open = await lane.current()
    await lane.call('POST', `/api/sales/${open?.id}/tenders`, {
      version: open?.version,
      kind: 'card',
      amountCents: open?.totals.dueCents,
      reference: 'T1',
    })
    const sale = { ...open, id: open?.id } as Sale
    const again = await lane.ring(DETERGENT)
    const { quote, returned } = await exchange(lane, sale, again)
    expect(quote.exchange).toMatchObject({ paysCents: 1695, dueCents: 0, evenCount: 1 })
    expect(returned.totals).toMatchObject({ subtotalCents: 1500, totalCents: 1695 })
    expect(await lane.current(), 'the sale is complete').toBeNull()
    expect(lane.read('SELECT unit_price_cents AS price, regular_price_cents AS regular FROM sale_line')).toEqual([
      { price: 1500, regular: 1999 },
      { price: 1500, regular: 1999 },
    ])
    expect(trail().filter(({ kind }) => kind === 'even-exchange')).toHaveLength(1)
  })

  test('is sold again at its promotional price, while other pieces in the open sale keep today’s price', async () => {
    const lane = await openTerminalHarness(central, {
      staffId: 'sam',
      promotions: [
        {
          id: 'apples',
          names: { 'en-CA': 'Apples 3 for $10', 'fr-CA': 'Pommes 3 pour 10 $' },
          items: { kind: 'items', skus: [APPLES] },
          reward: { kind: 'set-price', units: 3, cents: cents(1_000) },
        },
      ],
    })
    const sale = await buy(lane, [[APPLES, 3]])
    await lane.call('POST', '/api/catalog/promotions/remove', { id: 'apples' })
    const { quote } = await exchange(lane, sale, await lane.ring(APPLES, 3), 2)
    expect(quote.totals.subtotalCents).toBe(666)
    expect(quote.exchange).toMatchObject({ paysCents: 666, dueCents: 699, evenCount: 2 })
    expect(await lane.current()).toMatchObject({
      lines: [
        { quantity: 1, unitPriceCents: 699 },
        { quantity: 2, unitPriceCents: 333, regularPriceCents: 699 },
      ],
      totals: { dueCents: 699 },
    })
  })

  describe('sold by weight', () => {
    const catalog = `sku,barcode,name_en,name_fr,price,tax_category,department,category,sold_by
HAM,,Ham,Jambon,20.00,standard,deli,,kg
`
    const promotions = [
      {
        id: 'ham',
        names: { 'en-CA': 'Ham', 'fr-CA': 'Jambon' },
        items: { kind: 'items' as const, skus: ['HAM'] },
        reward: { kind: 'percent' as const, ppm: 500_000 },
      },
    ]
    /** Sells 1.235 kg at half the price, and ends the promotion. */
    async function open() {
      const lane = await openTerminalHarness(central, { staffId: 'sam', region: 'ON', catalog, promotions })
      const weigh = async (grossThousandths: number): Promise<Sale> => {
        const line = { sku: 'HAM', quantity: 1, weighing: { from: 'typed', grossThousandths } }
        return (await lane.call('POST', '/api/sales/current/lines', line)).body.sale
      }
      const { id, version, totals } = await weigh(1_235)
      expect(totals).toMatchObject({ subtotalCents: 1_235, totalCents: 1_396 })
      const payment = { version, kind: 'card', amountCents: totals.dueCents, reference: 'T1' }
      const { sale } = (await lane.call('POST', `/api/sales/${id}/tenders`, payment)).body
      await lane.call('POST', '/api/catalog/promotions/remove', { id: 'ham' })
      return { lane, weigh, sale }
    }

    test('is refunded except for the weight that the customer keeps, at the price that was paid', async () => {
      const { lane, weigh, sale } = await open()
      await weigh(400)
      const { quote, returned } = await exchange(lane, sale, await weigh(300))
      expect(returned.totals).toMatchObject({ subtotalCents: 1_235, totalCents: 1_396 })
      expect(quote.exchange).toMatchObject({ paysCents: 791, evenCount: 2 })
      expect(returned.refunds).toMatchObject([
        { kind: 'card', amountCents: 605 },
        { kind: 'store-credit', amountCents: 791 },
      ])
      expect(lane.read('SELECT unit_price_cents AS price, regular_price_cents AS regular FROM sale_line')).toEqual([
        { price: 2_470, regular: null },
        { price: 400, regular: 800 },
        { price: 300, regular: 600 },
      ])
      expect(
        saleActions(lane)
          .trail()
          .filter(({ kind }) => kind === 'even-exchange'),
      ).toHaveLength(2)
    })

    test('is sold at today’s price if it weighs more than the returned goods', async () => {
      const { lane, weigh, sale } = await open()
      const { quote } = await exchange(lane, sale, await weigh(1_236))
      expect(quote.exchange).toMatchObject({ paysCents: 1_396, evenCount: 0 })
      expect((await lane.current())?.totals.subtotalCents).toBe(2_472)
    })

    test('is replaced by the same weight, not by a smaller one that was rung before it', async () => {
      const { lane, weigh, sale } = await open()
      await weigh(100)
      const { quote } = await exchange(lane, sale, await weigh(1_235))
      expect(quote.exchange).toMatchObject({ paysCents: 1_396, dueCents: 226, evenCount: 1 })
      expect((await lane.current())?.lines).toMatchObject([{ unitPriceCents: 200 }, { unitPriceCents: 1_235 }])
    })
  })

  test('has its deposit refunded and charged again', async () => {
    const catalog = `sku,barcode,name_en,name_fr,price,tax_category,department,category,deposits
POP12,,Pop 12,Boisson 12,6.99,standard,drinks,,ab-small x 12
SOAP,,Soap,Savon,20.00,standard,care,,`
    const lane = await openTerminalHarness(central, { catalog, region: 'AB', staffId: 'sam' })
    await lane.ring('POP12')
    await saleActions(lane).price(1, 500)
    const sale = await buy(lane, [['SOAP', 1]])
    const { quote } = await exchange(lane, sale, await lane.ring('POP12', 2))
    expect(quote.exchange).toMatchObject({ paysCents: 645, dueCents: 854, evenCount: 1 })
    expect((await lane.current())?.lines).toMatchObject([
      { quantity: 1, unitPriceCents: 699 },
      { sku: 'milepost:deposit', amountCents: 120 },
      { quantity: 1, unitPriceCents: 500, regularPriceCents: 699 },
      { sku: 'milepost:deposit', amountCents: 120 },
    ])
  })

  test('gives back every cent of a sale, and no tax on goods without tax that are returned later', async () => {
    const catalog = `SOUP,,Soup,Soupe,2.79,standard,hot,
GUM,,Gum,Gomme,1.03,standard,x,
MILK,,Milk,Lait,4.00,zero-rated,x,`
    const lane = await openTerminalHarness(central, { region: 'QC', staffId: 'sam', catalog })
    const laterTotals = []
    for (const others of [1, 2, 3, 5]) {
      const sale = await buy(
        lane,
        [
          ['SOUP', 1],
          ['MILK', 1],
        ],
        { cash: true },
      )
      await lane.ring('GUM', others)
      const { returned } = await exchange(lane, sale, await lane.ring('SOUP'))
      await buy(lane, [['MILK', 1]], { cash: true })
      expect(returned.totals.taxes).toEqual(sale.totals.taxes)
      laterTotals.push((await returnPieces(lane, sale, [2, 1])).totals.totalCents)
    }
    expect(laterTotals).toEqual([400, 400, 400, 400])
  })

  test('leaves the open sale’s line unchanged at an equal price, or with a discount of today', async () => {
    const lane = await openTerminalHarness(central)
    const { discount } = saleActions(lane)
    const sale = await buy(lane, [[DETERGENT, 2]])
    const open = await lane.ring(DETERGENT, 2)
    const { quote } = await exchange(lane, sale, open)
    expect(quote.exchange).toMatchObject({ dueCents: 2259, evenCount: 1 })
    expect((await lane.current())?.lines).toMatchObject([
      { quantity: 2, unitPriceCents: 1999, regularPriceCents: null },
    ])
    await lane.call('POST', `/api/sales/${open.id}/cancel`, { version: (await lane.current())?.version })
    await lane.ring(DETERGENT)
    await discount(percent(5))
    const reduced = await lane.current()
    if (reduced === null) throw new Error('no sale is open')
    expect((await quoteOf(lane, sale, [{ number: 1, quantity: 1 }], reduced)).exchange).toMatchObject({
      paysCents: 2146,
      dueCents: 0,
      evenCount: 0,
    })
  })
})

const row = (number: number, quantity: number, unitPriceCents: number, taxCategory: TaxCategory): LineRow => ({
  number,
  sku: `S${number}`,
  name: { 'en-CA': `S${number}`, 'fr-CA': `S${number}` },
  quantity,
  unitPriceCents,
  regularPriceCents: null,
  taxCategory,
  taxRule: null,
  departmentId: 'd',
  categoryId: null,
  voided: 0,
  note: null,
  minimumAge: null,
  rungAt: null,
  packPieces: null,
  exemption: null,
  charges: [],
  chargeOf: null,
  measure: null,
  returnDays: null,
})
const sold = (line: LineRow, discount: number): BasketLine => ({
  ...line,
  unitPriceCents: cents(line.unitPriceCents),
  exemption: undefined as never,
  packPieces: undefined as never,
  chargeOf: undefined as never,
  measure: undefined as never,
  regularPriceCents: null,
  voided: false,
  discount: { cents: cents(discount), pieces: line.quantity },
})
const anyGoods = fc.array(
  fc.record({
    quantity: fc.integer({ min: 1, max: 4 }),
    paid: fc.integer({ min: 1, max: 3000 }),
    share: fc.nat(99),
    today: fc.integer({ min: 1, max: 3000 }),
    again: fc.integer({ min: 0, max: 5 }),
    taxCategory: fc.constantFrom(...TaxCategory.options),
  }),
  { minLength: 1, maxLength: 4 },
)

test('goods returned and bought again at any prices have equal subtotals, and at most two cents are due', () => {
  fc.assert(
    fc.property(anyGoods, fc.constantFrom(...Region.options), (goods, region) => {
      const taxes = taxesOf(undefined, region)
      const before = goods.map(({ quantity, paid, share, taxCategory }, at) =>
        sold(row(at + 1, quantity, paid, taxCategory), Math.floor((quantity * paid * share) / 100)),
      )
      const returned = only(before, before)
      const open: PricedParts = {
        sale: { taxes: null, exemption: null },
        lines: goods.map(({ quantity, today, again, taxCategory }, at) =>
          row(at + 1, quantity + again, today, taxCategory),
        ),
        discounts: [],
        tenders: [],
      }
      const even = evenPieces(returned, open)
      const lines = evenLines(open.lines, even, isPriceChanged(even, open))
      const after = evenSale({ ...open, lines }, lines, taxes)
      const worth = valueOfReturned(before, [], taxes)
      const value = valueOfEven(
        worth,
        { before, left: [], even: even.flatMap(({ returned: whole }) => whole ?? []) },
        taxes,
        after,
      )
      expect(lines.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(
        open.lines.reduce((sum, { quantity }) => sum + quantity, 0),
      )
      expect(
        after.goods.reduce((sum, line) => sum + lineAmount(line), 0),
        'nets to zero before tax',
      ).toBe(worth.subtotalCents)
      expect(value.subtotalCents).toBe(worth.subtotalCents)
      expect(Math.abs(value.totalCents - worth.totalCents), 'differs by rounding alone').toBeLessThanOrEqual(2)
      const isWhole = goods.every(({ again }) => again === 0)
      const due = isWhole ? totalBasket(after.goods, taxes, []).totalCents - value.totalCents : 0
      // A cent or two may be due, because a return never refunds more tax than was charged.
      expect(due).toBeGreaterThanOrEqual(0)
      expect(due).toBeLessThanOrEqual(worth.totalCents >= after.bought.totalCents ? 0 : 2)
      expect(without(before, returned)).toEqual([])
    }),
    { numRuns: 300 },
  )
})
