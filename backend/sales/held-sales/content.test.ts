import { expect, test } from 'vitest'
import { GIFT_CARD_SKU } from '../../../contracts/catalog/goods.ts'
import { cents } from '../../../contracts/core/money.ts'
import { HeldContent } from '../../../contracts/store/holds.ts'
import { differencesOf, pricedToday } from './content.ts'
import { testContext } from '../../../packages/lab/testing/lane-context.ts'
import { type Sales, salesOf } from '../sales.ts'
import { type CouponTaking, couponTakingOf } from '../sale-changes/coupons.ts'

const name = (text: string) => ({ 'en-CA': text, 'fr-CA': text })
const line = (sku: string, unitPriceCents: number, more: object = {}) => ({
  sku,
  name: name(sku),
  quantity: 1,
  unitPriceCents,
  regularPriceCents: null,
  taxCategory: 'zero-rated',
  departmentId: 'held',
  categoryId: null,
  note: null,
  minimumAge: null,
  voided: 0,
  ...more,
})
const content = (part: object) =>
  HeldContent.parse({ lines: [], discounts: [], note: null, exemption: null, ageChecked: null, member: null, ...part })

const sales = {
  lineToday(sku: string, quantity: number) {
    if (sku !== 'apples' && sku !== 'flowers') return undefined
    const today = {
      sku,
      name: name(sku),
      quantity,
      unitPriceCents: 400,
      taxCategory: 'standard',
      departmentId: 'today',
      categoryId: null,
      minimumAge: null,
      rungAt: 2_000,
    } as const
    return { line: today, isPriced: sku === 'apples' }
  },
}
const SPRING = {
  reach: { kind: 'sale' },
  off: { kind: 'percent', ppm: 100_000 },
  minimumCents: cents(0),
  reason: null,
  coupon: { code: 'SPRING', name: name('Spring') },
  approvedBy: null,
} as const
const ctx = testContext()
salesOf.provide(ctx, sales as unknown as Sales)
couponTakingOf.provide(ctx, {
  grantOf: (code) => (code === 'SPRING' ? SPRING : undefined),
} as CouponTaking)
const priced = (part: object) => pricedToday(ctx, content(part))

test('a held line at today’s price is no difference, and has its item data from this lane’s catalog', () => {
  const both = priced({ lines: [line('apples', 400)] })
  expect(differencesOf(both)).toEqual([])
  expect(both.today.lines).toMatchObject([{ taxCategory: 'standard', departmentId: 'today', unitPriceCents: 400 }])
})

test('a held line keeps the time when it was rung, for promotions with hours', () => {
  for (const unitPriceCents of [400, 1]) {
    const both = priced({ lines: [line('apples', unitPriceCents, { rungAt: 1_000 })] })
    expect(both.today.lines).toMatchObject([{ rungAt: 1_000 }])
    expect(both.held.lines).toMatchObject([{ rungAt: 1_000 }])
  }
})

test('a held line at another price is a difference; at the held price, its regular price is today’s', () => {
  const both = priced({ lines: [line('apples', 1)] })
  expect(differencesOf(both)).toEqual(['price'])
  expect(both.today.lines).toMatchObject([{ unitPriceCents: 400, regularPriceCents: null }])
  expect(both.held.lines).toMatchObject([{ unitPriceCents: 1, regularPriceCents: 400, departmentId: 'today' }])
})

test.for([
  ['an item that the catalog does not have', line('forged', 500)],
  ['an item whose price is asked for', line('flowers', 900)],
  ['a piece that was rung by its label', line('apples', 175, { name: name('apples, 0.437 kg at $4.00/kg') })],
] as const)('a resumed sale leaves out %s at today’s prices, and includes it at the held prices', ([, held]) => {
  const both = priced({ lines: [held] })
  expect(differencesOf(both)).toEqual(['price'])
  expect(both.today.lines).toMatchObject([{ voided: 1 }])
  expect(both.held.lines).toMatchObject([{ voided: 0, unitPriceCents: held.unitPriceCents }])
})

test('a sale resumed at another lane never includes its gift cards', () => {
  const both = priced({ lines: [line('apples', 400), line(GIFT_CARD_SKU, 100)] })
  expect(both.held.lines.at(-1)).toMatchObject({ sku: GIFT_CARD_SKU, voided: 1 })
  expect(both.today.lines.at(-1)).toMatchObject({ voided: 1 })
})

test('a held coupon gives this lane’s discount; an unknown coupon or a manual discount is a difference', () => {
  const coupon = { ...SPRING, off: { kind: 'percent', ppm: 990_000 } }
  const lines = [line('apples', 400)]
  const known = priced({ lines, discounts: [coupon] })
  expect(differencesOf(known)).toEqual([])
  expect(known.held.discounts).toMatchObject([{ off: { ppm: 100_000 } }])
  const unknown = { ...coupon, coupon: { code: 'FORGED', name: name('Forged') } }
  const byHand = { ...coupon, coupon: null, reason: 'goodwill' }
  const exemption = { relief: 'all', reason: 'diplomat', certificate: 'D-1' }
  const both = priced({ lines, discounts: [unknown, byHand], exemption })
  expect(differencesOf(both)).toEqual(['discount', 'exemption'])
  expect(both.today).toMatchObject({ discounts: [], exemption: null })
})
