import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SaleDiscount } from '../../../contracts/sales/sale-changes.ts'
import { Locale } from '../../../contracts/core/locales.ts'
import { cents } from '../../../contracts/core/money.ts'
import { saleLineOf, totalBasket, type BasketLine } from '../../sales/sale/basket.ts'
import { shareDiscounts, type GrantedDiscount } from '../../sales/sale/discounts.ts'
import { paperOf, receiptTexts } from '../../core/paper/layout.ts'
import { basket } from './receipt.ts'
import { taxesOf } from '../../catalog/tax.ts'

const name = { 'en-CA': 'Garden hose', 'fr-CA': 'Boyau d’arrosage' }
const anyLines = fc.array(
  fc.record({
    quantity: fc.integer({ min: 1, max: 99 }),
    price: fc.integer({ min: 0, max: 99_999 }),
    regular: fc.option(fc.integer({ min: 0, max: 99_999 })),
    note: fc.option(fc.string({ maxLength: 120 })),
  }),
  { minLength: 1, maxLength: 6 },
)
const anyDiscounts = fc.array(
  fc.record({
    off: fc.oneof(
      fc.integer({ min: 1, max: 50_000 }).map((value) => ({ kind: 'amount' as const, cents: cents(value) })),
      fc.integer({ min: 1, max: 1_000_000 }).map((ppm) => ({ kind: 'percent' as const, ppm })),
    ),
    line: fc.option(fc.integer({ min: 1, max: 6 })),
    coupon: fc.boolean(),
  }),
  { maxLength: 4 },
)

function saleWith(
  lines: readonly { quantity: number; price: number; regular: number | null; note: string | null }[],
  given: readonly { off: NonNullable<GrantedDiscount['off']>; line: number | null; coupon: boolean }[],
) {
  const bare = lines.map(({ quantity, price, regular, note }, index): BasketLine => ({
    number: index + 1,
    sku: `K${index}`,
    name,
    quantity,
    unitPriceCents: cents(price),
    regularPriceCents: regular === null ? null : cents(regular),
    taxCategory: 'standard',
    departmentId: 'd',
    categoryId: null,
    voided: false,
    note,
  }))
  const granted = given.map(({ off, line, coupon }, index): GrantedDiscount => ({
    number: index + 1,
    off,
    reach: line === null ? { kind: 'sale' } : { kind: 'line', number: line },
    minimumCents: cents(0),
    source: coupon ? 'coupon' : 'cashier',
  }))
  const shares = shareDiscounts(
    bare.map(({ regularPriceCents = null, ...line }) => ({ ...line, regularPriceCents })),
    granted,
  )
  const sum = (of: typeof shares): number => of.reduce((total, { amountCents }) => total + amountCents, 0)
  const priced = bare.map((line): BasketLine => ({
    ...line,
    discount: { cents: cents(sum(shares.filter((share) => share.line === line.number))), pieces: line.quantity },
  }))
  const discounts = granted.map(({ number, off, reach, source }): SaleDiscount => {
    const amountCents = cents(sum(shares.filter((share) => share.discount === number)))
    return {
      number,
      off,
      reach,
      reason: source === 'cashier' ? 'damaged' : null,
      coupon: source === 'cashier' ? null : { code: 'C', name },
      promotion: null,
      amountCents,
      applies: amountCents > 0,
    }
  })
  const taxes = taxesOf(undefined, 'ON')
  return {
    discounts,
    taxes,
    lines: priced.map((line) => saleLineOf(line, taxes)),
    totals: totalBasket(priced, taxes, []),
  }
}

const amountIn = (text: string): number => Number(text.replace(/[^\d-]/g, ''))

test('the prices and discounts on a receipt add up to its subtotal, and no line is wider than the paper', () => {
  fc.assert(
    fc.property(anyLines, anyDiscounts, fc.constantFrom(...Locale.options), (lines, given, locale) => {
      const facts = saleWith(lines, given)
      const blocks = basket({ ...facts, locale }, receiptTexts(locale), paperOf(42))
      const rows = blocks
        .slice(
          0,
          blocks.findIndex(({ kind }) => kind === 'rule'),
        )
        .flatMap((block) => (block.kind === 'row' && block.right !== '' ? [amountIn(block.right)] : []))
      expect(rows.reduce((total, row) => total + row, 0)).toBe(facts.totals.subtotalCents)
      for (const block of blocks)
        expect(
          [...(block.kind === 'text' ? block.text : block.kind === 'row' ? `${block.left} ${block.right}` : '')].length,
        ).toBeLessThanOrEqual(42)
    }),
    { numRuns: 300 },
  )
})

test('returned goods are listed with their share of the discounts in one row', () => {
  const { lines, totals, taxes } = saleWith(
    [{ quantity: 3, price: 500, regular: null, note: null }],
    [{ off: { kind: 'amount', cents: cents(100) }, line: null, coupon: false }],
  )
  const rows = basket({ lines, totals, taxes, locale: 'fr-CA' }, receiptTexts('fr-CA'), paperOf(42)).flatMap((block) =>
    block.kind === 'row' ? [`${block.left} ${block.right}`] : [],
  )
  expect(rows.slice(0, 3)).toEqual(['3 × 5,00 H 15,00', 'Rabais -1,00', 'Sous-total (3 articles) 14,00'])
})
