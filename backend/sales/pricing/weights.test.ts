import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Tare } from '../../../contracts/catalog/measure.ts'
import {
  type MeasureUnit,
  measureOfPrice,
  parseThousandths,
  priceOfMeasure,
  tareOf,
} from '../../../contracts/catalog/measure-units.ts'
import { cents, roundToNickel } from '../../../contracts/core/money.ts'
import { parseCsv } from '../../catalog/editions/csv.ts'
import { shareDiscounts } from '../sale/discounts.ts'

interface ExampleItem {
  readonly id: string
  readonly kg?: string
  readonly lb?: string
  readonly ppk?: number
  readonly ppl?: number
  readonly tare?: string
  readonly tarepct?: string
  readonly label?: number
}
interface Example {
  readonly calc?: string
  readonly label?: number
  readonly ppk?: number
  readonly items?: readonly ExampleItem[]
  readonly promos?: readonly { readonly type: string; readonly pct: number }[]
  readonly rates?: Readonly<Record<string, string>>
}

const thousandths = (text: string): number => {
  const value = parseThousandths(text, 3)
  if (value === undefined) throw new Error(`not a quantity: ${text}`)
  return value
}

function amountOf({ kg, lb, ppk, ppl, tare, tarepct, label }: ExampleItem): number {
  if (label !== undefined) return label
  const [quantity, unit, price]: [string, MeasureUnit, number] =
    kg === undefined ? [lb ?? '', 'lb', ppl ?? 0] : [kg, 'kg', ppk ?? 0]
  const gross = thousandths(quantity)
  const packaging: Tare | undefined =
    tare !== undefined
      ? { kind: 'fixed', thousandths: thousandths(tare) }
      : tarepct !== undefined
        ? { kind: 'share', ppm: Number(tarepct) * 10_000 }
        : undefined
  return priceOfMeasure(gross - tareOf(packaging, gross), unit, price) ?? Number.NaN
}

function priced({ items = [], promos = [], rates = {} }: Example) {
  const lines = items.map((item, at) => ({
    number: at + 1,
    sku: item.id,
    departmentId: 'deli',
    quantity: 1,
    unitPriceCents: cents(amountOf(item)),
    regularPriceCents: null,
    voided: false,
  }))
  const shares = shareDiscounts(
    lines,
    promos.map(({ pct }, at) => ({
      number: at + 1,
      reach: { kind: 'line', number: 1 },
      off: { kind: 'percent', ppm: pct * 10_000 },
      minimumCents: cents(0),
      source: 'promotion',
    })),
  )
  const disc = shares.reduce((sum, { amountCents }) => sum + amountCents, 0)
  const sub = lines.reduce((sum, { unitPriceCents }) => sum + unitPriceCents, 0) - disc
  const tax = Object.fromEntries(
    Object.entries(rates).map(([name, rate]) => [name, Math.round((sub * Number(rate)) / 100)]),
  )
  const total = Object.values(tax).reduce((sum, amount) => sum + amount, sub)
  const off = (number: number): number =>
    shares.filter(({ line }) => line === number).reduce((sum, { amountCents }) => sum + amountCents, 0)
  return {
    lines: Object.fromEntries(lines.map(({ sku, number, unitPriceCents }) => [sku, unitPriceCents - off(number)])),
    disc,
    sub,
    tax,
    total,
    cash: roundToNickel(cents(total)),
  }
}

const resultOf = (example: Example): object =>
  example.calc === 'priceweight'
    ? {
        kg: (measureOfPrice(example.label ?? 0, 'kg', example.ppk ?? 0) / 1_000).toFixed(1),
        line: example.label,
      }
    : priced(example)

describe('a worked example of weights', () => {
  const rows = [...parseCsv(readFileSync(path.join(import.meta.dirname, 'examples.csv'), 'utf8'))]
    .map(({ fields }) => fields)
    .filter(([, area]) => area === 'weight')

  test('is read from each of the ten rows of examples.csv', () => expect(rows).toHaveLength(10))

  test.each(rows.map(([id = '', , , input = '', expected = '', why = '']) => [id, why, input, expected] as const))(
    'named %s: %s',
    (_id, _why, input, expected) => {
      // Rows with two accepted results round half a cent up here.
      const { alt: _alt, ...wanted } = JSON.parse(expected) as Record<string, unknown>
      expect(resultOf(JSON.parse(input) as Example)).toEqual(wanted)
    },
  )
})
