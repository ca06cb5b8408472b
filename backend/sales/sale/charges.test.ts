import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chargeOn } from '../../../contracts/catalog/charges.ts'
import { cents } from '../../../contracts/core/money.ts'
import { REGION_DEPOSITS } from '../../../contracts/core/region-deposits.ts'
import { basketTaxRulesOf } from '../../../contracts/core/region-taxes.ts'
import { Region } from '../../../contracts/core/regions.ts'
import { parseCsv } from '../../catalog/editions/csv.ts'
import { isEmpties, isGoods, readNamedCount } from '../../catalog/charges.ts'
import { taxesOf } from '../../catalog/tax.ts'
import { only, valueOfReturned } from '../../payments/returns/return-rules.ts'
import { cashDueOf, lineAmount, without } from './basket.ts'
import { piecesWithCharges, withCharges } from './charges.ts'
import type { DiscountRow } from './sale-rows.sql.ts'
import { pricedLines, totalsOf } from './sale-parts.ts'
import type { LineRow } from './sales.sql.ts'

interface Item {
  readonly id: string
  readonly p: number
  readonly q: number
  readonly t: string
  readonly dep?: number
  readonly fee?: number
  readonly c?: number
}
interface Sold {
  readonly items: readonly Item[]
  readonly promos?: readonly { readonly type: string; readonly pct: number }[]
  readonly empties?: readonly (readonly [count: number, each: number])[]
  readonly date?: string
}
type Figures = Record<string, number | Record<string, number>>

const CATEGORIES = { T: 'standard', Z: 'zero-rated' } as const

const row = (number: number, more: Partial<LineRow>): LineRow => ({
  number,
  sku: `S${number}`,
  name: {},
  quantity: 1,
  unitPriceCents: 100,
  regularPriceCents: null,
  taxCategory: 'standard',
  taxRule: null,
  departmentId: 'drinks',
  categoryId: null,
  voided: 0,
  note: null,
  minimumAge: null,
  rungAt: null,
  packPieces: null,
  exemption: null,
  charges: [],
  measure: null,
  chargeOf: null,
  returnDays: null,
  ...more,
})
const charge = (kind: 'deposit' | 'fee', each: number) => ({
  id: kind,
  kind,
  name: {},
  cents: cents(each),
  earns: false,
})

function rowsOf({ items, empties = [] }: Sold): LineRow[] {
  const goods = items.map(({ id, p, q, t, dep, fee, c = q }, at) =>
    row(at + 1, {
      sku: id,
      quantity: q,
      unitPriceCents: p,
      taxCategory: CATEGORIES[t as keyof typeof CATEGORIES],
      charges: [
        ...(dep === undefined ? [] : [charge('deposit', (dep * c) / q)]),
        ...(fee === undefined ? [] : [charge('fee', (fee * c) / q)]),
      ],
    }),
  )
  return [
    ...goods,
    ...empties.map(([count, each], at) =>
      row(goods.length + at + 1, {
        sku: 'milepost:empties',
        quantity: count,
        unitPriceCents: -each,
        taxCategory: 'zero-rated',
      }),
    ),
  ]
}

const percentOff = ({ promos = [] }: Sold): DiscountRow[] =>
  promos.map(({ pct }, at) => ({
    number: at + 1,
    reach: { kind: 'sale' },
    off: { kind: 'percent', ppm: pct * 10_000 },
    minimumCents: cents(0),
    source: 'coupon',
    reason: null,
    coupon: null,
    promotion: null,
  }))

const partsOf = (sold: Sold, region: Region) => ({
  sale: { taxes: null, exemption: null },
  lines: withCharges(rowsOf(sold), true),
  taxRules: basketTaxRulesOf(region),
  discounts: percentOff(sold),
  tenders: [],
})
const named = (tax: readonly { readonly code: string; readonly amountCents: number }[]) =>
  Object.fromEntries(tax.flatMap(({ code, amountCents }) => (amountCents === 0 ? [] : [[code, amountCents]])))
const nameOf = (code: string, region: string) => (code === 'PST' && region === 'MB' ? 'RST' : code)

function figuresOf(sold: Sold, region: Region): Figures {
  const parts = partsOf(sold, region)
  const lines = pricedLines(parts)
  const totals = totalsOf(parts, taxesOf(undefined, region, sold.date ?? '2026-11-30'))
  const sumOf = (is: (line: (typeof lines)[number]) => boolean): number =>
    lines.filter(is).reduce((sum, line) => sum + lineAmount(line), 0)
  const of = (sku: string): number => sumOf((line) => line.sku === sku)
  const empties = -sumOf(isEmpties)
  return {
    lines: Object.fromEntries(lines.filter(isGoods).map((line) => [line.sku, lineAmount(line)])),
    disc: lines.reduce((sum, line) => sum + line.quantity * line.unitPriceCents - lineAmount(line), 0),
    sub: sumOf(isGoods),
    ...(of('milepost:deposit') === 0 ? {} : { dep: of('milepost:deposit') }),
    ...(of('milepost:fee') === 0 ? {} : { fee: of('milepost:fee') }),
    tax: Object.fromEntries(
      Object.entries(named(totals.taxes)).map(([code, amount]) => [nameOf(code, region), amount]),
    ),
    ...(empties === 0 ? {} : { empties }),
    total: totals.totalCents,
    cash: cashDueOf(totals.totalCents),
  }
}

const rows = [...parseCsv(readFileSync(path.join(import.meta.dirname, '../pricing/examples.csv'), 'utf8'))].map(
  ({ fields: [id = '', area = '', region = '', input = '', expected = ''] }) => ({ id, area, region, input, expected }),
)
const examples = rows
  .filter(({ area }) => area === 'deposit')
  .map(({ id, region, input, expected }) => ({
    id,
    region: Region.parse(region),
    input: JSON.parse(input) as Partial<Sold> & { calc?: 'empties' },
    expected: JSON.parse(expected) as Figures,
  }))

describe('a worked example of deposits', () => {
  test.each(examples.map((example) => [example.id, example] as const))(
    'named %s gives the amounts that examples.csv expects',
    (_id, { region, input, expected }) => {
      const figures = figuresOf({ ...input, items: input.items ?? [] }, region)
      const paid = cents(Number(figures['total']))
      const found = input.calc === undefined ? figures : { refund: 0 - paid, cash: 0 - cashDueOf(paid) }
      expect(found).toEqual(expected)
    },
  )

  test('is read from each of the 22 deposit rows of examples.csv', () => {
    expect(examples).toHaveLength(22)
  })

  test('named PX-141 refunds an unopened pack with its tax and deposits', () => {
    const found = rows.find(({ id }) => id === 'PX-141')
    const { sale } = JSON.parse(found?.input ?? '') as { sale: Sold }
    const sold = pricedLines(partsOf(sale, 'AB'))
    const pieces = piecesWithCharges(sold, [{ number: 1, quantity: 1 }])
    const back = valueOfReturned(sold, without(sold, pieces), taxesOf(undefined, 'AB'))
    const { refund_net, refund_tax, refund_dep, refund, refund_cash } = JSON.parse(found?.expected ?? '') as Figures
    const lines = only(sold, pieces)
    expect({
      refund_net: lines.filter(isGoods).reduce((sum, line) => sum + lineAmount(line), 0),
      refund_tax: named(back.taxes),
      refund_dep: lines.filter((line) => !isGoods(line)).reduce((sum, line) => sum + lineAmount(line), 0),
      refund: back.totalCents,
      refund_cash: cashDueOf(back.totalCents),
    }).toEqual({ refund_net, refund_tax, refund_dep, refund, refund_cash })
  })
})

describe('the deposits of a region', () => {
  const each = (region: Region, id: string, day = '2026-11-30') => {
    const found = REGION_DEPOSITS[region].find((one) => one.id === id)
    return found && [chargeOn(found, day).cents, chargeOn(found, day).refundCents]
  }
  test.each([
    ['AB', 'ab-small', 10, 10],
    ['AB', 'ab-large', 25, 25],
    ['BC', 'bc-drink', 10, 10],
    ['SK', 'sk-plastic-large', 25, 25],
    ['SK', 'sk-glass-large', 40, 40],
    ['MB', 'mb-beer-small', 10, 10],
    ['ON', 'on-small', 10, 10],
    ['ON', 'on-large', 20, 20],
    ['QC', 'qc-plastic-metal', 10, 10],
    ['QC', 'qc-glass-large', 25, 25],
    ['NB', 'nb-drink', 10, 5],
    ['NS', 'ns-drink', 10, 5],
    ['NL', 'nl-drink', 8, 5],
  ] as const)('%s has %s at %i cents, of which %i are paid back', (region, id, paid, back) => {
    expect(each(region, id)).toEqual([paid, back])
  })

  test('begin on their day: water on 1 March 2025 and wine glass on 1 March 2027 in Québec', () => {
    expect(each('QC', 'qc-water', '2025-02-28')).toEqual([0, 0])
    expect(each('QC', 'qc-water', '2025-03-01')).toEqual([10, 10])
    expect(each('QC', 'qc-wine-glass', '2026-12-01')).toEqual([0, 0])
    expect(each('QC', 'qc-wine-glass', '2027-03-01')).toEqual([25, 25])
  })
})

describe('deposits and fees', () => {
  const goods = fc.record({
    quantity: fc.integer({ min: 1, max: 12 }),
    unitPriceCents: fc.integer({ min: 1, max: 2_000 }),
    taxCategory: fc.constantFrom('standard' as const, 'zero-rated' as const),
    charges: fc.array(
      fc
        .tuple(fc.constantFrom('deposit' as const, 'fee' as const), fc.integer({ min: 1, max: 300 }))
        .map(([kind, each]) => charge(kind, each)),
      { maxLength: 2 },
    ),
  })
  const basket = fc.record({
    lines: fc.array(goods, { minLength: 1, maxLength: 6 }),
    pct: fc.integer({ min: 1, max: 100 }),
  })

  test('are never lowered by a discount on the sale', () => {
    fc.assert(
      fc.property(basket, ({ lines, pct }) => {
        const parts = {
          ...partsOf({ items: [] }, 'AB'),
          lines: withCharges(
            lines.map((line, at) => row(at + 1, line)),
            true,
          ),
          discounts: percentOff({ items: [], promos: [{ type: 'pct', pct }] }),
        }
        const charges = pricedLines(parts).filter(({ chargeOf }) => chargeOf !== undefined)
        expect(charges.map(lineAmount)).toEqual(charges.map((line) => line.quantity * line.unitPriceCents))
      }),
    )
  })

  test('are returned in full with their goods, however the return is split', () => {
    fc.assert(
      fc.property(basket, fc.array(fc.nat(), { maxLength: 12 }), ({ lines }, cuts) => {
        const parts = {
          ...partsOf({ items: [] }, 'AB'),
          lines: withCharges(
            lines.map((line, at) => row(at + 1, line)),
            true,
          ),
        }
        const taxes = taxesOf(undefined, 'AB')
        const sold = pricedLines(parts)
        let left = sold
        let refunded = 0
        const take = (number: number, quantity: number): void => {
          const after = without(left, piecesWithCharges(left, [{ number, quantity }]))
          refunded += valueOfReturned(left, after, taxes).totalCents
          left = after
        }
        for (const cut of cuts) {
          const goods = left.filter(({ chargeOf }) => chargeOf === undefined)
          const line = goods[cut % Math.max(1, goods.length)]
          if (line) take(line.number, 1 + (cut % line.quantity))
        }
        for (const line of left.filter(({ chargeOf }) => chargeOf === undefined)) take(line.number, line.quantity)
        expect(left).toEqual([])
        expect(refunded).toBe(totalsOf(parts, taxes).totalCents)
      }),
    )
  })
})

test.each([
  ['Deposit, can 1 L: 6×0.10', 'Deposit, can 1 L', 6],
  ['Consigne, canette 1 L\u00A0: 6×0,10', 'Consigne, canette 1 L', 6],
  ['Deposit, can 1 L 12 × 0.10', 'Deposit, can 1 L', 12],
  ['Case 12 × 341', 'Case 12 × 341', 1],
  ['Boîte 2×4', 'Boîte 2×4', 1],
])('the name of a deposit line “%s” has the class “%s” and %i containers', (text, name, containers) => {
  expect(readNamedCount({ 'en-CA': text, 'fr-CA': text })).toEqual({
    name: { 'en-CA': name, 'fr-CA': name },
    containers,
  })
})
