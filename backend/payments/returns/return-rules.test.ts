import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PaidCoupon } from '../../../contracts/catalog/manufacturer-coupons.ts'
import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { cents } from '../../../contracts/core/money.ts'
import { Region, TaxCategory, type TaxCode } from '../../../contracts/core/regions.ts'
import { totalBasket, type BasketLine, without, type Pieces } from '../../sales/sale/basket.ts'
import { coveredByCoupons } from '../../sales/sale/paid-coupons.ts'
import { cashTender } from '../tender-types/cash.ts'
import {
  couponsOfReturned,
  isRefundable,
  only,
  planRefunds,
  type PlannedRefund,
  type ReturnValue,
  taxedWith,
  taxIn,
  valueOfReturned,
  withEarlierCents,
} from './return-rules.ts'
import { taxCodesOf, taxesOf } from '../../catalog/tax.ts'

const line = (
  number: number,
  quantity: number,
  unitPriceCents: number,
  taxCategory: TaxCategory = 'standard',
  voided = false,
): BasketLine => ({
  number,
  sku: `K${number}`,
  name: { 'en-CA': 'a', 'fr-CA': 'b' },
  quantity,
  unitPriceCents: cents(unitPriceCents),
  taxCategory,
  departmentId: 'd',
  categoryId: null,
  voided,
})
const off = (sold: BasketLine, amount: number): BasketLine => ({
  ...sold,
  discount: { cents: cents(amount), pieces: sold.quantity },
})
const tender = (kind: TenderKind, amount: number) => ({ kind, amountCents: cents(amount) })
type GivenBack = Pick<PlannedRefund, 'kind' | 'paidBy' | 'amountCents' | 'roundingCents'>
const refund = (
  kind: PlannedRefund['kind'],
  amount: number,
  rounding = 0,
  paidBy: PlannedRefund['paidBy'] = kind === 'store-credit' ? 'miles' : kind,
): GivenBack => ({ kind, paidBy, amountCents: cents(amount), roundingCents: cents(rounding) })
const plan = (
  amount: number,
  tenders: ReturnType<typeof tender>[],
  refunds: GivenBack[] = [],
  reversible = true,
  exchange = 0,
) =>
  planRefunds(cents(amount), { tenders, refunds, reversible }, exchange)?.map(
    ({ kind, amountCents, roundingCents }) => [kind, amountCents, roundingCents],
  ) ?? null

describe('remaining and returned goods', () => {
  const LINES = [line(1, 3, 500), line(2, 1, 700, 'standard', true), line(3, 2, 900)]
  test('returned pieces are removed from their lines, and void lines are left out', () => {
    expect(
      without(LINES, [
        { number: 1, quantity: 1 },
        { number: 1, quantity: 1 },
        { number: 3, quantity: 2 },
      ]).map(({ number, quantity }) => [number, quantity]),
    ).toEqual([[1, 1]])
    expect(
      only(LINES, [
        { number: 3, quantity: 1 },
        { number: 2, quantity: 1 },
        { number: 9, quantity: 1 },
      ]).map(({ number, quantity }) => [number, quantity]),
    ).toEqual([[3, 1]])
  })
  test('returned pieces include their share of the line’s discount', () => {
    const sold = [off(line(1, 3, 500), 100)]
    expect(
      only(sold, [
        { number: 1, quantity: 1 },
        { number: 1, quantity: 1 },
      ]).map(({ quantity, discount }) => [quantity, discount?.cents]),
    ).toEqual([
      [1, 34],
      [1, 33],
    ])
    expect(valueOfReturned(sold, without(sold, [{ number: 1, quantity: 1 }]), taxesOf([], 'ON')).subtotalCents).toBe(
      466,
    )
    expect(valueOfReturned(without(sold, [{ number: 1, quantity: 1 }]), [], taxesOf([], 'ON')).subtotalCents).toBe(934)
  })
  test('the value of returned goods includes tax', () => {
    expect(valueOfReturned(LINES, without(LINES, [{ number: 3, quantity: 1 }]), taxesOf(undefined, 'ON'))).toEqual({
      subtotalCents: 900,
      taxes: [{ code: 'HST', amountCents: 117 }],
      totalCents: 1017,
    })
  })
})

describe('the planned refunds', () => {
  test.each([
    ['to the card that paid', 500, [tender('card', 2000)], [], true, [['card', 500, 0]]],
    [
      'card before cash',
      1500,
      [tender('cash', 1000), tender('card', 1000)],
      [],
      true,
      [
        ['card', 1000, 0],
        ['cash', 500, 0],
      ],
    ],
    ['cash in five cents', 753, [tender('cash', 2259)], [], true, [['cash', 753, 2]]],
    [
      'never more cash than was paid',
      1500,
      [tender('cash', 1000), tender('miles', 2000)],
      [],
      true,
      [
        ['cash', 1000, 0],
        ['store-credit', 500, 0],
      ],
    ],
    [
      'the whole redemption, while it can be reversed',
      3000,
      [tender('card', 1000), tender('miles', 2000)],
      [],
      true,
      [
        ['card', 1000, 0],
        ['miles', 2000, 0],
      ],
    ],
    [
      'the whole redemption, after the window',
      3000,
      [tender('card', 1000), tender('miles', 2000)],
      [],
      false,
      [
        ['card', 1000, 0],
        ['store-credit', 2000, 0],
      ],
    ],
    [
      'the whole redemption, when the rest was refunded before',
      2000,
      [tender('card', 1000), tender('miles', 2000)],
      [refund('card', 1000)],
      true,
      [['miles', 2000, 0]],
    ],
    ['a portion of a redemption', 500, [tender('miles', 2000)], [], true, [['store-credit', 500, 0]]],
    [
      'the rest of a redemption whose first portion is store credit already',
      1500,
      [tender('miles', 2000)],
      [refund('store-credit', 500)],
      true,
      [['store-credit', 1500, 0]],
    ],
    ['a cent or two of cash, for which there is no coin', 2, [tender('cash', 2)], [], true, [['cash', 2, -2]]],
    ['no refund for an amount of zero', 0, [tender('miles', 2000)], [], true, []],
    ['no plan above the payments', 1001, [tender('card', 1000)], [], true, null],
    ['no plan above the remaining payments', 600, [tender('miles', 1000)], [refund('store-credit', 500)], true, null],
    ['no plan after the miles were reversed', 1, [tender('miles', 1000)], [refund('miles', 1000)], true, null],
  ] as const)(
    'follow the order and form of the payments: %s',
    (_what, amount, tenders, refunds, reversible, expected) => {
      expect(plan(amount, [...tenders], [...refunds], reversible)).toEqual(expected)
    },
  )
})

describe('refunds of vouchers and exchanges', () => {
  const forms = (amount: number, tenders: ReturnType<typeof tender>[], refunds: GivenBack[], exchange: number) =>
    planRefunds(cents(amount), { tenders, refunds, reversible: true }, exchange)?.map(
      ({ kind, paidBy, amountCents, why }) => [kind, paidBy, amountCents, why],
    )
  test('give store credit for vouchers, after the card refund, and give back all redeemed miles', () => {
    expect(
      forms(
        4000,
        [tender('card', 500), tender('gift-card', 1000), tender('store-credit', 500), tender('miles', 2000)],
        [],
        0,
      ),
    ).toEqual([
      ['card', 'card', 500, 'paid-by-card'],
      ['store-credit', 'voucher', 1500, 'paid-by-voucher'],
      ['miles', 'miles', 2000, 'miles-whole'],
    ])
  })
  test('pay an exchange with the amounts paid by voucher, then cash, then card, and give back the miles', () => {
    const paid = [tender('card', 1000), tender('cash', 1000), tender('gift-card', 500), tender('miles', 2000)]
    expect(forms(4500, paid, [], 1700)).toEqual([
      ['card', 'card', 800, 'paid-by-card'],
      ['store-credit', 'card', 200, 'exchange'],
      ['store-credit', 'cash', 1000, 'exchange'],
      ['store-credit', 'voucher', 500, 'paid-by-voucher'],
      ['miles', 'miles', 2000, 'miles-whole'],
    ])
    expect(
      forms(4500, paid, [], 9000)?.reduce((sum, row) => sum + Number(row[0] === 'store-credit' ? row[2] : 0), 0),
    ).toBe(2500)
  })
  test('keep a redemption reversible when earlier exchanges used only money, not miles', () => {
    const paid = [tender('card', 1000), tender('miles', 2000)]
    expect(forms(2500, paid, [refund('store-credit', 500, 0, 'card')], 0)).toEqual([
      ['card', 'card', 500, 'paid-by-card'],
      ['miles', 'miles', 2000, 'miles-whole'],
    ])
  })
})

const anyLines = fc
  .array(
    fc.tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 5000 }),
      fc.constantFrom(...TaxCategory.options),
      fc.nat(100),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((lines) =>
    lines.map(([quantity, price, category, share], index) =>
      off(line(index + 1, quantity, price, category), Math.floor((quantity * price * share) / 100)),
    ),
  )
const anyReturns = (lines: readonly BasketLine[]): fc.Arbitrary<Pieces[][]> => {
  const pieces = lines.flatMap(({ number, quantity }) =>
    Array.from({ length: quantity }, () => ({ number, quantity: 1 })),
  )
  return fc
    .tuple(
      fc.shuffledSubarray(pieces, { minLength: pieces.length }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: pieces.length, maxLength: pieces.length }),
    )
    .map(([shuffled, sizes]) => {
      const left = [...shuffled]
      return sizes.map((size) => left.splice(0, size)).filter((some) => some.length > 0)
    })
}
const anyScenario = fc
  .tuple(anyLines, fc.constantFrom(...Region.options), fc.nat(100), fc.nat(100), fc.boolean())
  .chain(([lines, region, card, miles, reversible]) =>
    anyReturns(lines).map((returns) => ({
      lines,
      taxes: taxesOf(undefined, region),
      card,
      miles,
      reversible,
      returns,
    })),
  )

test('returning a sale in any pieces refunds its total once, to each form of payment at most what it paid', () => {
  fc.assert(
    fc.property(anyScenario, ({ lines, taxes, card, miles, reversible, returns }) => {
      const total = totalBasket(lines, taxes, []).totalCents
      const byMiles = Math.floor((total * miles) / 100 / 1000) * 1000
      const byCard = Math.floor(((total - byMiles) * card) / 100)
      const rest = cents(total - byMiles - byCard)
      const cash = rest > 0 ? cashTender(rest, cents(rest + 1000 - (rest % 5))) : null
      const cashIn = cash ? cash.tenderedCents - cash.changeCents : 0
      const tenders = [tender('miles', byMiles), tender('card', byCard), tender('cash', rest)]
      const refunds: PlannedRefund[] = []
      const cashOut = (): number =>
        refunds
          .filter(({ kind }) => kind === 'cash')
          .reduce((sum, { amountCents, roundingCents }) => sum + amountCents + roundingCents, 0)
      const taken: Pieces[] = []
      let worth = 0
      for (const pieces of returns) {
        const before = without(lines, taken)
        taken.push(...pieces)
        const { totalCents, taxes: taxed, subtotalCents } = valueOfReturned(before, without(lines, taken), taxes)
        expect(totalBasket(only(before, pieces), [], []).subtotalCents, 'the lines of its paper add up').toBe(
          subtotalCents,
        )
        expect(totalCents).toBeGreaterThanOrEqual(0)
        expect(taxed.reduce((sum, tax) => sum + tax.amountCents, subtotalCents as number)).toBe(totalCents)
        const planned = planRefunds(totalCents, { tenders, refunds, reversible })
        expect(planned).not.toBeNull()
        expect(planned?.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(totalCents)
        refunds.push(...(planned ?? []))
        worth += totalCents
        const given = (...kinds: string[]): number =>
          refunds.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { amountCents }) => sum + amountCents, 0)
        expect(cashOut()).toBeLessThanOrEqual(cashIn)
        expect(given('card')).toBeLessThanOrEqual(byCard)
        expect(given('miles', 'store-credit')).toBeLessThanOrEqual(byMiles)
        for (const { amountCents, roundingCents } of refunds)
          expect(amountCents + roundingCents).toBeGreaterThanOrEqual(0)
        expect(
          refunds.filter(
            ({ kind, amountCents, roundingCents }) => kind === 'cash' && (amountCents + roundingCents) % 5 !== 0,
          ),
        ).toEqual([])
        expect(refunds.filter(({ kind, amountCents }) => kind === 'miles' && amountCents !== byMiles)).toEqual([])
      }
      expect(worth).toBe(total)
      expect(cashOut()).toBe(cashIn)
    }),
    { numRuns: 300 },
  )
})

test('an even exchange refunds each tax of a return to within a cent, while other goods stay sold', () => {
  const goods = { returned: [line(1, 1, 279)], left: [line(2, 1, 279)], rates: taxesOf(undefined, 'ON') }
  const hst = (amountCents: number) => ({ taxes: [{ code: 'HST' as const, amountCents: cents(amountCents) }] })
  const worth = taxedWith({ subtotalCents: cents(279), taxes: [], totalCents: cents(0) }, hst(36).taxes)
  expect([35, 36, 37, 38, 73].map((amount) => isRefundable(hst(amount), worth, goods))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})

test('an even exchange adds no cent to a tax of zero, which may hide a cent that was refunded before', () => {
  const goods = { returned: [line(1, 1, 3)], left: [line(2, 2, 4)], rates: taxesOf(undefined, 'ON') }
  const hst = (amountCents: number) => ({ taxes: [{ code: 'HST' as const, amountCents: cents(amountCents) }] })
  const worth = taxedWith({ subtotalCents: cents(3), taxes: [], totalCents: cents(0) }, hst(0).taxes)
  expect([0, 1].map((amount) => isRefundable(hst(amount), worth, goods))).toEqual([true, false])
})

test('returns and even exchanges of a sale refund each tax once, and only for goods with that tax', () => {
  const rounding = fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 60, maxLength: 60 })
  fc.assert(
    fc.property(anyScenario, rounding, fc.boolean(), ({ lines, taxes: rates, returns }, roundings, isElsewhere) => {
      const steps = [...roundings]
      const refunded: ReturnValue[] = []
      const taken: Pieces[] = []
      for (const pieces of returns) {
        const before = without(lines, taken)
        taken.push(...pieces)
        const left = without(lines, taken)
        const returned = only(before, pieces)
        const natural = valueOfReturned(before, left, rates)
        const earlier = {
          given: isElsewhere ? [] : refunded,
          totalCents: refunded.reduce((sum, { totalCents }) => sum + totalCents, 0),
          returns: refunded.length,
        }
        const worth = withEarlierCents(natural, valueOfReturned(lines, before, rates), earlier, { returned, rates })
        const even = natural.taxes.map(({ code, amountCents }) => ({
          code,
          amountCents: cents(amountCents + (steps.pop() ?? 0)),
        }))
        const value = isRefundable({ taxes: even }, worth, { returned, left, rates }) ? taxedWith(worth, even) : worth
        const isTaxed = (code: TaxCode): boolean => returned.some((goods) => taxCodesOf(goods, rates).includes(code))
        const wrong = value.taxes.filter(
          ({ code, amountCents }) => amountCents < 0 || (amountCents > 0 && !isTaxed(code)),
        )
        expect(wrong).toEqual([])
        refunded.push(value)
      }
      const whole = totalBasket(lines, rates, [])
      expect(refunded.reduce((sum, { totalCents }) => sum + totalCents, 0)).toBe(whole.totalCents)
      if (isElsewhere) return
      for (const { code, amountCents } of whole.taxes)
        expect(refunded.reduce((sum, one) => sum + taxIn(one, code), 0)).toBe(amountCents)
    }),
    { numRuns: 500 },
  )
})

const anyCoupons = fc.array(
  fc.record({
    sku: fc.constantFrom('K1', 'K2', 'K3', null),
    units: fc.integer({ min: 1, max: 2 }),
    face: fc.integer({ min: 1, max: 4000 }),
  }),
  { maxLength: 3 },
)

test('returning all goods in any pieces refunds coupons and cheques as store credit, and the rest in cash', () => {
  fc.assert(
    fc.property(anyScenario, anyCoupons, fc.nat(3000), ({ lines, taxes, returns }, offered, cheque) => {
      const offers = offered.map(({ sku, units, face }): PaidCoupon => ({
        name: null,
        reach: sku === null ? { kind: 'all' } : { kind: 'items', skus: [sku] },
        units,
        faceCents: cents(face),
      }))
      const coupons = coveredByCoupons(lines, offers).flatMap((price, at) => {
        const [offer, amount] = [offers[at], Math.min(price, offers[at]?.faceCents ?? 0)]
        return offer && amount > 0
          ? [{ kind: 'manufacturer-coupon' as const, amountCents: cents(amount), coupon: offer }]
          : []
      })
      const byCoupons = coupons.reduce((sum, { amountCents }) => sum + amountCents, 0)
      const rest = totalBasket(lines, taxes, []).totalCents - byCoupons
      const byCheque = Math.min(cheque, rest)
      const tenders = [...coupons, tender('cheque', byCheque), tender('cash', rest - byCheque)]
      const refunds: PlannedRefund[] = []
      const taken: Pieces[] = []
      for (const pieces of returns) {
        const before = without(lines, taken)
        taken.push(...pieces)
        const left = without(lines, taken)
        const couponCents = couponsOfReturned(lines, left, coupons)
        const { totalCents } = valueOfReturned(before, left, taxes)
        const planned = planRefunds(totalCents, { tenders, refunds, reversible: false, couponCents })
        expect(planned?.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(totalCents)
        const credit = planned?.find(({ kind }) => kind === 'store-credit')?.amountCents ?? 0
        const creditBefore = refunds.reduce((sum, one) => sum + (one.kind === 'store-credit' ? one.amountCents : 0), 0)
        expect(credit).toBeGreaterThanOrEqual(Math.min(totalCents, couponCents - creditBefore))
        refunds.push(...(planned ?? []))
      }
      const given = (form: string): number =>
        refunds.reduce((sum, { kind, amountCents }) => sum + (kind === form ? amountCents : 0), 0)
      expect([given('store-credit'), given('cash')]).toEqual([byCoupons + byCheque, rest - byCheque])
    }),
    { numRuns: 300 },
  )
})
