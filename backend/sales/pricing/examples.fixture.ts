import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Promotion, type PromotionReward } from '../../../contracts/catalog/promotions.ts'
import { cents } from '../../../contracts/core/money.ts'
import { parseCsv } from '../../catalog/editions/csv.ts'
import type { PromotableLine } from './promotion-index.ts'

export const NOON = { day: '2026-12-01', weekday: 2, minute: 720 }

export interface ExampleItem {
  readonly id: string
  readonly p: number
  readonly q: number
  readonly nodisc?: boolean
}
export interface ExamplePromotion {
  readonly type: string
  readonly on?: readonly string[]
  readonly buy_on?: readonly string[]
  readonly get_on?: readonly string[]
  readonly count?: readonly string[]
  readonly need?: readonly string[]
  readonly of?: readonly (readonly ExamplePromotion[])[]
  readonly pct?: number | string
  readonly off?: number
  readonly price?: number
  readonly n?: number
  readonly buy?: number
  readonly get?: number
  readonly min?: number
  readonly minq?: number
  readonly max?: number
  readonly maxu?: number
}
const itemsOf = (skus: readonly string[] | undefined) =>
  skus === undefined ? { kind: 'all' as const } : { kind: 'items' as const, skus: [...skus] }
const ppmOf = (percent: number | string | undefined): number => Math.round(Number(percent ?? 100) * 10_000)

function rewardOf(example: ExamplePromotion): PromotionReward {
  const { type, off = 0, price = 0 } = example
  switch (type) {
    case 'pct':
      return { kind: 'percent', ppm: ppmOf(example.pct) }
    case 'off':
      return { kind: 'amount', cents: cents(off) }
    case 'price':
      return { kind: 'price', cents: cents(price) }
    case 'opct':
      return { kind: 'basket-percent', ppm: ppmOf(example.pct) }
    case 'ooff':
      return { kind: 'basket-amount', cents: cents(off) }
    case 'nfor':
      return { kind: 'set-price', units: example.n ?? 0, cents: cents(price) }
    case 'bxgy':
      return {
        kind: 'buy-get',
        buy: example.buy ?? 0,
        get: example.get ?? 0,
        ppm: ppmOf(example.pct),
        ...(example.get_on ? { getItems: itemsOf(example.get_on) } : {}),
      }
    default:
      throw new Error(`unknown type of promotion: ${type}`)
  }
}

export const promotionsOf = (examples: readonly ExamplePromotion[]): Promotion[] =>
  examples.flatMap((example, at) =>
    example.type === 'best'
      ? (example.of ?? []).flatMap(([only], alternative) =>
          only === undefined ? [] : [promotionOf(only, `p${at}-${alternative}`, at, false)],
        )
      : [promotionOf(example, `p${at}`, at, true)],
  )

const promotionOf = (example: ExamplePromotion, id: string, priority: number, stackable: boolean): Promotion => {
  const { min, minq, count, need, max, maxu } = example
  return Promotion.parse({
    id,
    names: { 'en-CA': id, 'fr-CA': id },
    items: itemsOf(example.buy_on ?? example.on),
    reward: rewardOf(example),
    conditions: {
      ...(min === undefined ? {} : { minimumCents: min }),
      ...(minq === undefined ? {} : { minimumUnits: minq }),
      ...(count === undefined ? {} : { counts: itemsOf(count) }),
      ...(need === undefined ? {} : { alsoNeeds: need }),
    },
    ...(max === undefined && maxu === undefined ? {} : { most: max ?? maxu }),
    stackable,
    priority,
  })
}

export const linesOf = (items: readonly ExampleItem[]): PromotableLine[] =>
  items.map(({ id, p, q, nodisc = false }, at) => ({
    number: at + 1,
    sku: id,
    departmentId: 'grocery',
    categoryId: null,
    quantity: q,
    unitCents: cents(p),
    isReducible: !nodisc,
    rungAt: NOON,
  }))

/** Rows of the file in an area: id, region, input and expected result. */
export function examplesOf<Input, Expected>(area: string) {
  const file = readFileSync(path.join(import.meta.dirname, 'examples.csv'), 'utf8')
  return [...parseCsv(file)].flatMap(({ fields: [id = '', of, region = '', input = '', expected = ''] }) =>
    of === area ? [{ id, region, input: JSON.parse(input) as Input, expected: JSON.parse(expected) as Expected }] : [],
  )
}
