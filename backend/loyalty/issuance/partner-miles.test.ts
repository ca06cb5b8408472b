import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cents } from '../../../contracts/core/money.ts'
import { PartnerRule } from '../../../contracts/core/profile.ts'
import { milesOf, milesToTakeBack, partnerMiles, type EarningBasket, type EarningLine } from './partner-miles.ts'
import { dayAt } from '../../core/zone.ts'

const rule = (fields: object): PartnerRule => PartnerRule.parse({ offerCode: 'X', ...fields })
const line = (
  sku: string,
  quantity: number,
  unitCents: number,
  departmentId = 'grocery',
  categoryId: string | null = null,
): EarningLine => ({ sku, quantity, amountCents: cents(quantity * unitCents), departmentId, categoryId })
const basket = (lines: EarningLine[], coupons: string[] = []): EarningBasket => ({ lines, coupons })
const milesBy = (fields: object, lines: EarningLine[], coupons: string[] = [], day = '2026-11-21'): number =>
  milesOf(partnerMiles([rule(fields)], basket(lines, coupons), day))

describe('a rule for store-calculated miles', () => {
  test.each([
    ['whole-steps', 1900, 2],
    ['down', 1900, 3],
    ['nearest', 1900, 4],
    ['up', 1900, 4],
    ['whole-steps', 999, 0],
    ['down', 499, 0],
    ['nearest', 250, 1],
    ['nearest', 249, 0],
    ['up', 1, 1],
    ['up', 0, 0],
    ['nearest', 2000, 4],
  ])('applies the rounding %s to 2 miles for every $10: %i cents earn %i miles', (rounding, amount, miles) => {
    expect(milesBy({ kind: 'base', miles: 2, perDollars: 10, rounding }, [line('A', 1, amount)])).toBe(miles)
  })

  test('gives exact miles for steps of $0.07 and $1.10, where floating-point dollars would lose a step', () => {
    expect(milesBy({ kind: 'base', miles: 1, perDollars: 0.07, rounding: 'whole-steps' }, [line('A', 3, 7)])).toBe(3)
    expect(milesBy({ kind: 'base', miles: 1, perDollars: 1.1, rounding: 'whole-steps' }, [line('A', 3, 110)])).toBe(3)
  })

  test('counts pieces of an item, or spending in a department or category, and names the contributing items', () => {
    const lines = [
      line('A', 2, 500, 'household'),
      line('A', 1, 500, 'household'),
      line('B', 1, 700, 'dairy', 'organic'),
      line('C', 1, 900),
    ]
    expect(
      partnerMiles(
        [
          rule({ kind: 'item', miles: 5, sku: 'A', offerId: 'FIVE' }),
          rule({
            kind: 'department',
            miles: 1,
            perDollars: 5,
            rounding: 'whole-steps',
            departmentId: 'household',
            offerCode: 'H',
          }),
          rule({
            kind: 'category',
            miles: 1,
            perDollars: 5,
            rounding: 'whole-steps',
            categoryId: 'organic',
            offerCode: 'O',
          }),
          rule({
            kind: 'category',
            miles: 1,
            perDollars: 5,
            rounding: 'whole-steps',
            categoryId: 'none',
            offerCode: 'N',
          }),
        ],
        basket(lines),
        '2026-11-21',
      ),
    ).toEqual([
      { issuanceOfferCode: 'X', offerId: 'FIVE', milesAmount: 15, contributingItemIds: ['A'] },
      { issuanceOfferCode: 'H', offerId: 'H', milesAmount: 3, contributingItemIds: ['A'] },
      { issuanceOfferCode: 'O', offerId: 'O', milesAmount: 1, contributingItemIds: ['B'] },
    ])
  })

  test('gives the miles of a coupon once if the basket reaches the minimum, and none without goods', () => {
    const coupon = { kind: 'coupon', miles: 10, coupon: 'TEN', minimumDollars: 20 }
    expect(milesBy(coupon, [line('A', 1, 2000)], ['TEN', 'TEN'])).toBe(10)
    expect(milesBy(coupon, [line('A', 1, 1999)], ['TEN'])).toBe(0)
    expect(milesBy(coupon, [line('A', 1, 2000)], ['OTHER'])).toBe(0)
    expect(milesBy({ kind: 'coupon', miles: 10, coupon: 'TEN' }, [], ['TEN'])).toBe(0)
  })

  test.each([
    ['2026-10-31', 0],
    ['2026-11-01', 5],
    ['2026-11-30', 5],
    ['2026-12-01', 0],
  ])('gives miles only on its days: a rule for November gives, on %s, %i miles', (day, miles) => {
    expect(
      milesBy(
        { kind: 'item', miles: 5, sku: 'A', from: '2026-11-01', until: '2026-11-30' },
        [line('A', 1, 1)],
        [],
        day,
      ),
    ).toBe(miles)
  })

  test('uses the day of the store’s time zone: 06:30 UTC on 1 December is 30 November in Vancouver', () => {
    expect(dayAt(Date.parse('2026-12-01T06:30:00Z'), 'America/Vancouver')).toBe('2026-11-30')
    expect(dayAt(Date.parse('2026-12-01T06:30:00Z'), 'America/St_Johns')).toBe('2026-12-01')
  })
})

const anyRule = fc
  .oneof(
    fc.record({
      kind: fc.constantFrom('base' as const),
      miles: fc.integer({ min: 1, max: 9 }),
      perDollars: fc.constantFrom(0.5, 1, 5, 9.99),
      rounding: fc.constantFrom('whole-steps', 'down', 'nearest', 'up'),
    }),
    fc.record({
      kind: fc.constantFrom('item' as const),
      miles: fc.integer({ min: 1, max: 9 }),
      sku: fc.constantFrom('A', 'B'),
    }),
    fc.record({
      kind: fc.constantFrom('department' as const),
      departmentId: fc.constantFrom('d', 'e'),
      miles: fc.integer({ min: 1, max: 9 }),
      perDollars: fc.constantFrom(1, 3.33),
      rounding: fc.constantFrom('whole-steps', 'up'),
    }),
    fc.record({
      kind: fc.constantFrom('coupon' as const),
      coupon: fc.constant('TEN'),
      miles: fc.integer({ min: 1, max: 9 }),
      minimumDollars: fc.constantFrom(1, 50),
    }),
  )
  .chain((fields) => fc.constantFrom('X', 'Y').map((offerCode) => rule({ ...fields, offerCode })))
const anyRules = fc.array(anyRule, { minLength: 1, maxLength: 5 })
const anyPieces = fc.array(
  fc.record({
    sku: fc.constantFrom('A', 'B', 'C'),
    unitCents: fc.integer({ min: 0, max: 5000 }),
    departmentId: fc.constantFrom('d', 'e'),
  }),
  { minLength: 1, maxLength: 12 },
)
const of = (pieces: readonly { sku: string; unitCents: number; departmentId: string }[]): EarningBasket =>
  basket(
    pieces.map(({ sku, unitCents, departmentId }) => line(sku, 1, unitCents, departmentId)),
    ['TEN'],
  )
const DAY = '2026-11-21'

describe('store-calculated miles for any rules and any basket', () => {
  test('never decrease with more goods, and are zero without goods', () => {
    fc.assert(
      fc.property(anyRules, anyPieces, fc.nat(12), (rules, pieces, left) => {
        expect(milesOf(partnerMiles(rules, of(pieces.slice(0, left)), DAY))).toBeLessThanOrEqual(
          milesOf(partnerMiles(rules, of(pieces), DAY)),
        )
        expect(partnerMiles(rules, basket([], ['TEN']), DAY)).toEqual([])
      }),
    )
  })

  test('do not decrease from rounding whole-steps to down, nearest and up; up is at most one mile above down', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.nat(1_000_000),
        (miles, stepCents, amount) => {
          const given = (['whole-steps', 'down', 'nearest', 'up'] as const).map((rounding) =>
            milesBy({ kind: 'base', miles, perDollars: stepCents / 100, rounding }, [line('A', 1, amount)]),
          )
          expect(given.toSorted((a, b) => a - b)).toEqual(given)
          const exact = BigInt(amount) * BigInt(miles)
          expect(BigInt(given[1] ?? 0)).toBe(exact / BigInt(stepCents))
          expect((given[3] ?? 0) - (given[1] ?? 0)).toBe(exact % BigInt(stepCents) === 0n ? 0 : 1)
          expect((given[1] ?? 0) - (given[0] ?? 0)).toBeLessThan(miles)
        },
      ),
    )
  })

  test('are taken back exactly by returning piece by piece in any order, and never exceed the issued miles', () => {
    fc.assert(
      fc.property(anyRules, anyPieces, (rules, pieces) => {
        const given = partnerMiles(rules, of(pieces), DAY)
        const taken: typeof given = []
        for (let left = pieces.length - 1; left >= 0; left -= 1) {
          const now = milesToTakeBack(given, taken, partnerMiles(rules, of(pieces.slice(0, left)), DAY), [
            pieces[left]?.sku ?? '',
          ])
          for (const entry of now) expect(entry.milesAmount).toBeGreaterThan(0)
          taken.push(...now)
          expect(milesOf(given) - milesOf(taken)).toBe(milesOf(partnerMiles(rules, of(pieces.slice(0, left)), DAY)))
        }
        expect(milesOf(taken)).toBe(milesOf(given))
      }),
    )
  })
})
