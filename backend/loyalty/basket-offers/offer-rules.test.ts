import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GIFT_CARD_SKU } from '../../../contracts/catalog/goods.ts'
import { offersForBasket, type DatedOffer, type OfferBasket, type OfferSetting } from './offer-rules.ts'
import type { OfferLine, OfferTerms } from '../offers/offer-terms.ts'

const STORE = '00000000-0000-4000-8000-000000009999'
const NOW = '2026-11-21T09:00:00'
const setting: OfferSetting = { partnerId: STORE, matches: [], now: NOW, states: null }

const tier = (asks: number | null, miles: number | null) => ({
  asks,
  miles,
  award: `${miles} miles`,
  qualifier: `for ${asks}`,
})
type Given = Partial<OfferTerms> & Partial<Omit<DatedOffer, 'terms' | 'card'>> & { readonly id?: string }
const offer = ({ id = 'a', displayDate, startDate, endDate, partnerId, ...terms }: Given = {}): DatedOffer => ({
  card: { id },
  displayDate: displayDate ?? '2026-11-01T00:00:00',
  startDate: startDate ?? '2026-11-01T00:00:00',
  endDate: endDate ?? '2026-12-31T23:59:59',
  partnerId: partnerId ?? STORE,
  terms: {
    type: 'spend',
    programType: 'traditionalcore',
    targeted: false,
    priority: null,
    promotionId: null,
    categoryId: null,
    tiers: [tier(40, 50)],
    mechanisms: [{ type: 'noAction', value: null }],
    ...terms,
  },
})
const line = (amountCents: number, over: Partial<OfferLine> = {}): OfferLine => ({
  sku: 's',
  quantity: 1,
  amountCents,
  departmentId: 'grocery',
  categoryId: null,
  ...over,
})
const basket = (...lines: OfferLine[]): OfferBasket => ({ lines, coupons: [] })
const evaluate = (given: Given, of: OfferBasket, over: Partial<OfferSetting> = {}) =>
  offersForBasket([offer(given)], of, { ...setting, ...over })[0]

describe('a tier of an offer', () => {
  test('is earned exactly at its threshold, and is nearly earned a cent below', () => {
    expect(evaluate({}, basket(line(40_00)))).toMatchObject({ status: 'earned', reached: { tier: 0, miles: 50 } })
    expect(evaluate({}, basket(line(39_99)))).toMatchObject({
      status: 'nearly',
      reached: null,
      next: { tier: 0, miles: 50, missing: { unit: 'cents', amount: 1 }, near: true },
    })
    expect(evaluate({}, basket(line(29_99)))).toMatchObject({ status: 'open', next: { near: false } })
    expect(evaluate({}, basket())).toMatchObject({
      status: 'open',
      next: { missing: { amount: 4_000 }, near: false },
    })
  })

  test('is reported as reached if it is the highest reached one, as next if it is the first with more miles', () => {
    const tiers = [tier(80, 150), tier(40, 50), tier(60, 50)]
    expect(evaluate({ tiers }, basket(line(76_00)))).toMatchObject({
      status: 'earned',
      reached: { tier: 1, miles: 50 },
      next: { tier: 2, miles: 150, missing: { unit: 'cents', amount: 4_00 }, near: true },
    })
    expect(evaluate({ tiers }, basket(line(76_00)))?.ladder.map(({ asks, isReached }) => [asks, isReached])).toEqual([
      [40, true],
      [60, true],
      [80, false],
    ])
    expect(evaluate({ tiers }, basket(line(80_00)))).toMatchObject({ reached: { miles: 150 }, next: null })
  })

  test('is preferred to others with the same threshold if it gives the most miles', () => {
    const tiers = [tier(40, 50), tier(40, 100), tier(60, null), tier(60, 150)]
    expect(evaluate({ tiers }, basket(line(39_00)))).toMatchObject({ next: { miles: 100 } })
    expect(evaluate({ tiers }, basket(line(59_00)))).toMatchObject({ reached: { miles: 100 }, next: { miles: 150 } })
  })

  test('is never reached if its threshold is missing or zero', () => {
    for (const asks of [null, 0])
      expect(evaluate({ tiers: [tier(asks, 50)] }, basket(line(900_00)))).toMatchObject({
        status: 'open',
        next: null,
      })
  })
})

describe('counting the basket for an offer', () => {
  const match = { id: 'promo', departments: ['grocery'], categories: ['coffee'], skus: ['1010'] }
  const setOfMatches = { matches: [match] }

  test('counts all goods except gift cards for a spend offer, or only goods that the profile matches to it', () => {
    const of = basket(line(30_00), line(20_00, { departmentId: 'x' }), line(500_00, { sku: GIFT_CARD_SKU }))
    expect(evaluate({ tiers: [tier(60, 9)] }, of)).toMatchObject({ next: { missing: { amount: 10_00 } } })
    expect(evaluate({ tiers: [tier(60, 9)], promotionId: 'promo' }, of, setOfMatches)).toMatchObject({
      next: { missing: { amount: 30_00 } },
    })
  })

  test('counts pieces of matched goods for a buy offer, and reports no progress if no goods are matched', () => {
    const buy: Given = { type: 'buy', tiers: [tier(3, 20)] }
    const of = basket(
      line(1, { quantity: 1 }),
      line(1, { departmentId: 'x', categoryId: 'coffee' }),
      line(1, { departmentId: 'x' }),
    )
    expect(evaluate({ ...buy, categoryId: 'promo' }, of, setOfMatches)).toMatchObject({
      status: 'nearly',
      next: { missing: { unit: 'pieces', amount: 1 } },
    })
    expect(evaluate(buy, basket(line(1, { quantity: 9 })))).toMatchObject({
      status: 'shown',
      reached: null,
      next: null,
    })
  })

  test('counts a line once even if it matches twice, and prefers the promotion’s match to the category’s', () => {
    const of = basket(line(10_00, { sku: '1010', categoryId: 'coffee' }), line(10_00, { sku: '1010' }))
    const asked: Given = { tiers: [tier(60, 9)], promotionId: 'promo', categoryId: 'tea' }
    const missing = (matches: (typeof match)[]): unknown => evaluate(asked, of, { matches })?.next?.missing.amount
    expect(missing([match])).toBe(40_00)
    const nothing = { ...match, departments: [], categories: [], skus: [] }
    expect(missing([{ ...nothing, id: 'tea' }, match])).toBe(40_00)
    expect(missing([nothing, match]), 'the first on an id').toBe(60_00)
  })

  test('leaves out offers of other partners, and never reports online, card-linked or unknown offers as earned', () => {
    const full = basket(line(900_00))
    expect(evaluate({ partnerId: 'another' }, full)).toBeUndefined()
    expect(offersForBasket([offer()], full, { ...setting, partnerId: undefined })).toEqual([])
    for (const programType of ['cardlinked', 'loyaltyshops', 'bankpreapp', 'new'])
      expect(evaluate({ programType }, full)?.status).toBe('shown')
    for (const type of ['button', 'new'])
      expect(evaluate({ mechanisms: [{ type, value: 'https://x' }] }, full)?.status).toBe('shown')
    expect(evaluate({ type: null }, full)?.status).toBe('shown')
  })
})

describe('an offer that needs an action of the customer', () => {
  const full = basket(line(900_00))

  test('requires the opt-in first, until the member has opted in', () => {
    const mechanisms = [{ type: 'optIn', value: null }]
    const states = (optedIn: boolean) => ({ states: new Map([['a', { optedIn, saved: false }]]) })
    expect(evaluate({ mechanisms }, full)?.status).toBe('opt-in-first')
    expect(evaluate({ mechanisms }, full, states(false))?.status).toBe('opt-in-first')
    expect(evaluate({ mechanisms }, full, states(true))?.status).toBe('earned')
  })

  test('requires the code first, until the code is added to the sale, in upper or lower case', () => {
    const mechanisms = [{ type: 'couponCode', value: 'MILE1000' }]
    expect(evaluate({ mechanisms }, full)).toMatchObject({ status: 'coupon-first', coupon: 'to-apply' })
    expect(evaluate({ mechanisms }, { ...full, coupons: ['mile1000'] })).toMatchObject({
      status: 'earned',
      coupon: 'applied',
    })
    expect(evaluate({ mechanisms, programType: 'loyaltyshops' }, full), 'of the web').toMatchObject({
      status: 'shown',
      coupon: 'none',
    })
    expect(evaluate({ mechanisms: [{ type: 'couponCode', value: null }] }, full)).toMatchObject({
      status: 'shown',
      coupon: 'none',
    })
  })
})

test('an offer is earned from its start to its end, and is shown from its display date', () => {
  const full = basket(line(900_00))
  expect(evaluate({ displayDate: '2026-11-21T09:00:01' }, full)).toBeUndefined()
  expect(evaluate({ startDate: '2026-11-21T09:00:01' }, full)?.status).toBe('coming')
  expect(evaluate({ startDate: NOW, displayDate: NOW }, full)?.status).toBe('earned')
  expect(evaluate({ endDate: NOW }, full)).toBeUndefined()
  expect(evaluate({ endDate: '2026-11-24T09:00:00' }, full)?.endingSoon).toBe(true)
  expect(evaluate({ endDate: '2026-11-24T09:00:01' }, full)?.endingSoon).toBe(false)
})

test('offers are ranked: earned, code or opt-in missing, nearly earned, targeted, ending soon, other, upcoming', () => {
  const far = [tier(500, 50)]
  const offers = [
    offer({ id: 'coming', startDate: '2026-11-22T00:00:00', displayDate: '2026-11-01T00:00:00' }),
    offer({ id: 'rest', tiers: far }),
    offer({ id: 'soon', tiers: far, endDate: '2026-11-22T00:00:00' }),
    offer({ id: 'targeted', tiers: far, targeted: true }),
    offer({ id: 'nearly', tiers: [tier(44, 50)] }),
    offer({ id: 'step', mechanisms: [{ type: 'couponCode', value: 'X' }] }),
    offer({ id: 'earned-less', tiers: [tier(10, 5)] }),
    offer({ id: 'earned-more', tiers: [tier(10, 500)] }),
  ]
  const ids = offersForBasket(offers, basket(line(40_00)), setting).map(({ offer: { card } }) => card.id)
  expect(ids).toEqual(['earned-more', 'earned-less', 'step', 'nearly', 'targeted', 'soon', 'rest', 'coming'])
})

const day = (month: number, date: number): string =>
  `2026-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}T00:00:00`
const someDay = fc.record({ month: fc.integer({ min: 9, max: 12 }), date: fc.integer({ min: 1, max: 28 }) })
const someTier = fc
  .record({
    asks: fc.option(fc.integer({ min: 0, max: 200 })),
    miles: fc.option(fc.integer({ min: 1, max: 500 })),
  })
  .map(({ asks, miles }) => tier(asks, miles))
const someOffer = fc
  .record({
    id: fc.uuid(),
    type: fc.constantFrom('buy' as const, 'spend' as const, null),
    programType: fc.constantFrom('traditionalcore', 'cardlinked'),
    targeted: fc.boolean(),
    priority: fc.option(fc.integer({ min: 1, max: 5 })),
    promotionId: fc.constantFrom('promo', null),
    tiers: fc.array(someTier, { maxLength: 4 }),
    mechanisms: fc.array(
      fc.constantFrom(
        { type: 'noAction', value: null },
        { type: 'couponCode', value: 'CODE' },
        { type: 'optIn', value: null },
      ),
      { maxLength: 2 },
    ),
    display: someDay,
    start: someDay,
    end: someDay,
  })
  .map(({ display, start, end, ...given }) =>
    offer({
      ...given,
      displayDate: day(display.month, display.date),
      startDate: day(start.month, start.date),
      endDate: day(end.month, end.date),
    }),
  )
const someLine = fc
  .record({ amount: fc.integer({ min: 0, max: 9_999 }), quantity: fc.integer({ min: 1, max: 5 }), here: fc.boolean() })
  .map(({ amount, quantity, here }) => line(amount, { quantity, departmentId: here ? 'grocery' : 'x' }))
const someBasket = fc.record({
  lines: fc.array(someLine, { maxLength: 6 }),
  coupons: fc.constantFrom<string[]>([], ['CODE']),
})
const withMatch = { ...setting, matches: [{ id: 'promo', departments: ['grocery'], categories: [], skus: [] }] }
const earnedMiles = (offers: readonly DatedOffer[], of: OfferBasket): Map<string, number> =>
  new Map(
    offersForBasket(offers, of, withMatch)
      .filter((at) => at.status === 'earned')
      .map((at) => [at.offer.card.id, at.reached?.miles ?? 0]),
  )

test('adding goods to a basket never lowers the miles of an earned offer', () => {
  fc.assert(
    fc.property(fc.array(someOffer, { maxLength: 8 }), someBasket, someLine, (offers, of, more) => {
      const before = earnedMiles(offers, of)
      const after = earnedMiles(offers, { ...of, lines: [...of.lines, more] })
      for (const [id, miles] of before) expect(after.get(id) ?? -1).toBeGreaterThanOrEqual(miles)
    }),
  )
})

test('no offer is reported as earned before its start, after its end, or if it is card-linked', () => {
  fc.assert(
    fc.property(fc.array(someOffer, { maxLength: 8 }), someBasket, (offers, of) => {
      for (const at of offersForBasket(offers, of, withMatch)) {
        expect(at.offer.displayDate <= NOW && NOW < at.offer.endDate).toBe(true)
        if (at.status !== 'earned') continue
        expect(at.offer.startDate <= NOW).toBe(true)
        expect(at.offer.terms.programType).toBe('traditionalcore')
      }
    }),
  )
})

test('adding the missing amount of the next tier reaches it; adding one cent or piece less does not', () => {
  fc.assert(
    fc.property(someOffer, someBasket, (one, of) => {
      const [at] = offersForBasket([one], of, withMatch)
      if (!at?.next) return
      const { unit, amount } = at.next.missing
      const added = (less: number): OfferLine =>
        unit === 'cents' ? line(amount - less) : line(0, { quantity: amount - less })
      const isReached = (more: OfferLine): boolean | undefined =>
        offersForBasket([one], { ...of, lines: [...of.lines, more] }, withMatch)[0]?.ladder[at.next?.tier ?? 0]
          ?.isReached
      expect(isReached(added(0))).toBe(true)
      expect(isReached(added(1))).toBe(false)
    }),
  )
})

test('the ranking of offers does not depend on the order in which the service sends them', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(someOffer, { maxLength: 8, selector: ({ card }) => card.id }),
      someBasket,
      (offers, of) => {
        const ids = (list: readonly DatedOffer[]): string[] =>
          offersForBasket(list, of, withMatch).map(({ offer: { card } }) => card.id)
        expect(ids(offers.toReversed())).toEqual(ids(offers))
      },
    ),
  )
})
