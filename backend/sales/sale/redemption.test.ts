import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RedemptionChoice } from '../../../contracts/sales/sales.ts'
import { CashResponse } from '../../../contracts/central/cash.ts'
import { cents, miles } from '../../../contracts/core/money.ts'
import { inquiryFacts, noRedemptionReason, redemptionChoice, type InquiryFacts } from './redemption.ts'
import { nameIn } from '../../../contracts/core/names.ts'

const plenty: InquiryFacts = {
  responseCode: '0000',
  availableOfferUnits: 60,
  availableCashMiles: miles(7125),
  availableCents: cents(75_000),
  dailyOfferLimit: 75,
  unitMiles: miles(95),
  unitCents: cents(1000),
  offerType: 'RGL',
}
const bareUnit: InquiryFacts = { responseCode: '0000', unitMiles: miles(95), unitCents: cents(1000) }
const choose = (total: number, inquiry: InquiryFacts = plenty, due = total, giftCards = 0) =>
  redemptionChoice({
    postTaxTotalCents: cents(total),
    dueCents: cents(due),
    goodsCents: cents(total - giftCards),
    inquiry,
  })
const reason = (total: number, inquiry: InquiryFacts = plenty, due = total, giftCards = 0) =>
  noRedemptionReason({
    postTaxTotalCents: cents(total),
    dueCents: cents(due),
    goodsCents: cents(total - giftCards),
    inquiry,
  })

describe('the possible redemption', () => {
  it('is 40 dollars for a basket of 43.35', () => {
    expect(choose(4335)).toEqual({
      unitCents: 1000,
      unitMiles: 95,
      maxUnits: 4,
      defaultUnits: 4,
      limitedBy: 'basket',
      limits: [
        { by: 'basket', amountCents: 4000 },
        { by: 'offer', amountCents: 60_000 },
        { by: 'balance', amountCents: 75_000 },
      ],
    })
  })
  it('does not exist for 9.99, because the basket is too small', () => {
    expect(choose(999)).toBeNull()
    expect(reason(999)).toBe('basket-too-small')
  })
  it('excludes gift cards in the basket, and names them if they are the limit', () => {
    expect(choose(7259, plenty, 7259, 5000)).toMatchObject({
      maxUnits: 2,
      defaultUnits: 2,
      limitedBy: 'gift-card',
      limits: [{ by: 'gift-card', amountCents: 2000 }, { by: 'basket', amountCents: 7000 }, {}, {}],
    })
    expect(choose(4335, plenty, 4335, 300)).toMatchObject({
      maxUnits: 4,
      limitedBy: 'basket',
      limits: [{ by: 'basket' }, { by: 'offer' }, {}],
    })
    expect(choose(5999, plenty, 1500, 5000), 'what the goods cost may be paid by other means').toBeNull()
    expect(reason(5000, plenty, 5000, 5000)).toBe('gift-card')
  })
  it.each([
    [1000, 1],
    [1999, 1],
    [2000, 2],
  ])('is limited by a basket of %i cents to %i units', (total, units) => {
    expect(choose(total)?.maxUnits).toBe(units)
  })
  it('does not exist if INQUIRE returns no conditional field, regardless of the balances', () => {
    const bare = (fields: Record<string, unknown>) =>
      inquiryFacts(CashResponse.parse({ responseCode: '0000', availableDollarAmount: '750.00', ...fields }))
    const plain = bare({ availableCashBalance: '7125', cashBalance: '7125' })
    expect([choose(100_000, plain), reason(100_000, plain)]).toEqual([null, 'nothing-offered'])
    expect([choose(100_000, { responseCode: '0000' }), reason(100_000, { responseCode: '0000' })]).toEqual([
      null,
      'nothing-offered',
    ])
    expect([choose(100_000, { responseCode: '0001' }), reason(100_000, { responseCode: '0001' })]).toEqual([
      null,
      'nothing-offered',
    ])
    const empty = bare({
      availableOfferUnits: null,
      dailyOfferLimit: '',
      unitValueDollars: ' ',
      unitValueLoyaltyCash: null,
      offerType: '',
    })
    expect([choose(100_000, empty), reason(100_000, empty)]).toEqual([null, 'nothing-offered'])
    const poor = bare({ availableCashBalance: '94', cashBalance: '94' })
    expect([choose(100_000, poor), reason(100_000, poor)]).toEqual([null, 'insufficient-miles'])
    const hidden = { ...poor, responseCode: '0001' }
    expect(reason(100_000, hidden), 'says nothing of a private balance').toBe('nothing-offered')
  })
  it('is at most 750 dollars a day', () => {
    expect(choose(100_000, bareUnit)).toMatchObject({
      maxUnits: 75,
      limitedBy: 'daily-limit',
      limits: [{ by: 'daily-limit', amountCents: 75_000 }, { by: 'basket' }],
    })
  })
  it('is limited by the collector’s miles', () => {
    expect(choose(10_000, { ...plenty, availableCashMiles: miles(284) })).toMatchObject({
      maxUnits: 2,
      limitedBy: 'balance',
    })
    expect(choose(10_000, { ...plenty, availableCents: cents(3999) })).toMatchObject({
      maxUnits: 3,
      limitedBy: 'balance',
    })
  })
  it('is limited by the rest of the daily limit below a larger balance, and names the daily limit', () => {
    const near = inquiryFacts(
      CashResponse.parse({
        responseCode: '0000',
        availableCashBalance: '190',
        cashBalance: '9500',
        availableDollarAmount: '20.00',
        availableOfferUnits: '2',
        dailyOfferLimit: '75',
        unitValueLoyaltyCash: '95',
        unitValueDollars: '10.00',
      }),
    )
    expect(choose(10_000, near)).toMatchObject({ maxUnits: 2, limitedBy: 'daily-limit' })
    expect(choose(10_000, near)?.limits).toContainEqual({ by: 'daily-limit', amountCents: 2000 })
    const usedUp = inquiryFacts(
      CashResponse.parse({ responseCode: '0000', availableCashBalance: '0', cashBalance: '5000' }),
    )
    expect(reason(10_000, usedUp)).toBe('daily-limit')
    const rest = inquiryFacts(
      CashResponse.parse({
        responseCode: '0000',
        availableCashBalance: '285',
        cashBalance: '300',
        availableOfferUnits: '3',
      }),
    )
    expect(choose(10_000, rest)).toMatchObject({ maxUnits: 3, limitedBy: 'balance' })
    expect(choose(10_000, { ...near, responseCode: '0001' })).toMatchObject({ maxUnits: 2, limitedBy: 'offer' })
  })
  it('is limited by the units of the redemption offer and by the daily limit', () => {
    expect(choose(10_000, { ...plenty, availableOfferUnits: 5 })).toMatchObject({ maxUnits: 5, limitedBy: 'offer' })
    expect(choose(10_000, { ...plenty, dailyOfferLimit: 6 })).toMatchObject({ maxUnits: 6, limitedBy: 'daily-limit' })
  })
  it('is limited by the amount due after other tenders', () => {
    expect(choose(10_000, plenty, 2599)).toMatchObject({ maxUnits: 2, limitedBy: 'due' })
    expect(choose(10_000, plenty, 0)).toBeNull()
    expect(choose(10_000, plenty, -500)).toBeNull()
  })
  it('lists each limit with its amount, the deciding limit first', () => {
    expect(choose(10_000, { ...plenty, availableCashMiles: miles(284), dailyOfferLimit: 6 }, 2599)?.limits).toEqual([
      { by: 'due', amountCents: 2000 },
      { by: 'balance', amountCents: 2000 },
      { by: 'basket', amountCents: 10_000 },
      { by: 'offer', amountCents: 60_000 },
    ])
  })
  it('lists only the deciding limit and limits that reveal no balance, when balances are private', () => {
    const privately: InquiryFacts = {
      ...plenty,
      responseCode: '0001',
      availableOfferUnits: 30,
      availableCashMiles: miles(2850),
    }
    expect(choose(4335, privately)?.limits).toEqual([{ by: 'basket', amountCents: 4000 }])
    expect(choose(40_000, privately)?.limits).toEqual([
      { by: 'offer', amountCents: 30_000 },
      { by: 'basket', amountCents: 40_000 },
    ])
  })
  it('ignores fields that INQUIRE did not return', () => {
    expect(choose(4335, { responseCode: '0000', offerType: 'RGL' })).toEqual({
      unitCents: 1000,
      unitMiles: 95,
      maxUnits: 4,
      defaultUnits: 4,
      limitedBy: 'basket',
      limits: [{ by: 'basket', amountCents: 4000 }],
    })
  })
  it('uses the unit of a special redemption offer', () => {
    expect(
      choose(4335, {
        ...plenty,
        unitMiles: miles(70),
        unitCents: cents(1000),
        offerType: 'SPL',
        availableCashMiles: miles(150),
      }),
    ).toEqual({
      unitCents: 1000,
      unitMiles: 70,
      maxUnits: 2,
      defaultUnits: 2,
      limitedBy: 'balance',
      limits: [
        { by: 'balance', amountCents: 2000 },
        { by: 'basket', amountCents: 4000 },
        { by: 'offer', amountCents: 60_000 },
      ],
    })
    expect(choose(4335, { ...plenty, unitMiles: miles(95), unitCents: cents(2000) })).toMatchObject({
      maxUnits: 2,
      unitCents: 2000,
    })
  })
  it('does not exist for a unit of zero', () => {
    expect(choose(4335, { ...plenty, unitCents: cents(0) })).toBeNull()
    expect(choose(4335, { ...plenty, unitMiles: miles(0) })).toBeNull()
    expect(reason(4335, { ...plenty, unitMiles: miles(0) })).toBe('central-refused')
  })
  it('exists under response code 0001 without naming the balance as a limit', () => {
    expect(choose(10_000, { ...plenty, responseCode: '0001', availableCashMiles: miles(284) })).toMatchObject({
      maxUnits: 2,
      limitedBy: 'offer',
    })
  })
  it.each([
    '0002',
    '0005',
    '0006',
    '0008',
    '0009',
    '0025',
    '0035',
    '0051',
    '0065',
    '0066',
    '0067',
    '0080',
    '0092',
    '0096',
    '9999',
    '',
  ])('does not exist under response code %s, for any values of the other fields', (responseCode) => {
    expect(choose(10_000, { ...plenty, responseCode })).toBeNull()
    expect(reason(10_000, { ...plenty, responseCode })).not.toBeNull()
  })
  it('is replaced by a reason when it does not exist', () => {
    expect(reason(10_000, { ...plenty, availableCashMiles: miles(94) })).toBe('insufficient-miles')
    expect(reason(10_000, { ...plenty, dailyOfferLimit: 0 })).toBe('daily-limit')
    expect(reason(10_000, { ...plenty, availableOfferUnits: 0 })).toBe('not-allowed')
    expect(reason(10_000, { ...plenty, responseCode: '0005' })).toBe('suppressed')
    expect(reason(10_000)).toBeNull()
  })

  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
  const facts = fc.record({
    responseCode: fc.constantFrom('0000', '0001'),
    // Always present: without any conditional field, no redemption is possible.
    offerType: fc.constant('RGL'),
    availableOfferUnits: optional(fc.integer({ min: 0, max: 90 })),
    availableCashMiles: optional(fc.integer({ min: 0, max: 9000 }).map(miles)),
    availableCents: optional(fc.integer({ min: 0, max: 90_000 }).map(cents)),
    dailyOfferLimit: optional(fc.integer({ min: 0, max: 90 })),
    unitMiles: optional(fc.integer({ min: 1, max: 200 }).map(miles)),
    unitCents: optional(fc.integer({ min: 1, max: 5000 }).map(cents)),
  })
  const amount = fc.integer({ min: -5000, max: 200_000 })

  it('is the largest within all limits, for every basket and every INQUIRE answer', () => {
    fc.assert(
      fc.property(facts, amount, amount, (inquiry, total, due) => {
        const unitCents = inquiry.unitCents ?? 1000
        const unitMiles = inquiry.unitMiles ?? 95
        const allowed = (units: number): boolean =>
          units * unitCents <= Math.min(total, due, 75_000, inquiry.availableCents ?? Infinity) &&
          units * unitMiles <= (inquiry.availableCashMiles ?? Infinity) &&
          units <= Math.min(inquiry.availableOfferUnits ?? Infinity, inquiry.dailyOfferLimit ?? Infinity)
        const choice = choose(total, inquiry, due)
        const units = choice?.maxUnits ?? 0
        expect(units === 0 || allowed(units)).toBe(true)
        expect(allowed(units + 1)).toBe(false)
        expect(choice?.defaultUnits).toBe(choice?.maxUnits)
        expect(RedemptionChoice.nullable().safeParse(choice).success).toBe(true)
        expect(reason(total, inquiry, due) === null).toBe(choice !== null)
        expect(inquiry.responseCode === '0001' && choice?.limitedBy === 'balance').toBe(false)
      }),
      { numRuns: 1000 },
    )
  })
  it('is the smallest of the seven limits in whole units, ignoring fields that INQUIRE did not return', () => {
    const formula = (inquiry: InquiryFacts, total: number, due: number): number => {
      const unit = inquiry.unitCents ?? 1000
      const down = (value: number | undefined, step: number): number[] =>
        value === undefined ? [] : [Math.floor(value / step)]
      return Math.max(
        0,
        Math.min(
          ...down(total, unit),
          ...down(inquiry.availableOfferUnits, 1),
          ...down(inquiry.availableCashMiles, inquiry.unitMiles ?? 95),
          ...down(inquiry.availableCents, unit),
          ...down(inquiry.dailyOfferLimit, 1),
          ...down(75_000, unit),
          ...down(due, unit),
        ),
      )
    }
    fc.assert(
      fc.property(facts, amount, amount, (inquiry, total, due) => {
        expect(choose(total, inquiry, due)?.defaultUnits ?? 0).toBe(formula(inquiry, total, due))
      }),
      { numRuns: 2_000 },
    )
  })
  it('names a limit that decides: loosening all other limits changes nothing', () => {
    fc.assert(
      fc.property(
        facts.map((inquiry) => ({ ...inquiry, responseCode: '0000' })),
        amount,
        amount,
        amount,
        (inquiry, total, due, held) => {
          const giftCards = Math.min(held, total)
          const choice = choose(total, inquiry, due, giftCards)
          fc.pre(choice !== null)
          const loose = 1_000_000
          const loosened: Record<RedemptionChoice['limitedBy'], () => ReturnType<typeof choose>> = {
            basket: () =>
              choose(total, { ...bareUnit, unitCents: choice.unitCents, unitMiles: choice.unitMiles }, loose),
            due: () => choose(loose, { ...bareUnit, unitCents: choice.unitCents, unitMiles: choice.unitMiles }, due),
            'gift-card': () =>
              choose(
                total,
                { ...bareUnit, unitCents: choice.unitCents, unitMiles: choice.unitMiles },
                loose,
                giftCards,
              ),
            'daily-limit': () =>
              choose(
                loose,
                {
                  ...inquiry,
                  availableOfferUnits: undefined,
                  availableCashMiles: undefined,
                  availableCents: undefined,
                },
                loose,
              ),
            balance: () =>
              choose(loose, { ...inquiry, availableOfferUnits: undefined, dailyOfferLimit: undefined }, loose),
            offer: () =>
              choose(
                loose,
                { ...inquiry, dailyOfferLimit: undefined, availableCashMiles: undefined, availableCents: undefined },
                loose,
              ),
          }
          expect(loosened[choice.limitedBy]()?.maxUnits).toBe(choice.maxUnits)
        },
      ),
      { numRuns: 1000 },
    )
  })
})

describe('the facts of an INQUIRE answer', () => {
  const read = (fields: Record<string, unknown>) =>
    inquiryFacts(CashResponse.parse({ responseCode: '0000', ...fields }))

  it('are read from strings, and from numbers of a lenient server', () => {
    expect(
      read({
        availableOfferUnits: '12',
        availableCashBalance: 1140,
        availableDollarAmount: '120.00',
        dailyOfferLimit: '75',
        unitValueLoyaltyCash: '95',
        unitValueDollars: '10.00',
        offerType: 'spl',
        offerDescEn: 'Double value',
        offerDescFr: 'Valeur double',
      }),
    ).toEqual({
      responseCode: '0000',
      availableOfferUnits: 12,
      availableCashMiles: 1140,
      availableCents: 12_000,
      dailyOfferLimit: 75,
      unitMiles: 95,
      unitCents: 1000,
      offerType: 'SPL',
      offerDesc: { 'en-CA': 'Double value', 'fr-CA': 'Valeur double' },
    })
  })
  it.each(['', ' ', '-5', 'NaN', 'Infinity', '1e3', '12.5', 'twelve', '0x10', '9'.repeat(30)])(
    'treat the miles or units %j like an absent field',
    (nonsense) => {
      expect(
        read({
          availableOfferUnits: nonsense,
          availableCashBalance: nonsense,
          dailyOfferLimit: nonsense,
          unitValueLoyaltyCash: nonsense,
        }),
      ).toEqual({ responseCode: '0000' })
    },
  )
  it.each(['', '-10.00', 'NaN', '10.005', '1e3', 'ten'])('treat the amount %j like an absent field', (nonsense) => {
    expect(read({ availableDollarAmount: nonsense, unitValueDollars: nonsense })).toEqual({ responseCode: '0000' })
  })
  it('keep a unit of zero, which prevents every redemption', () => {
    expect(choose(4335, read({ unitValueDollars: '0.00' }))).toBeNull()
    expect(choose(4335, read({ unitValueLoyaltyCash: '0' }))).toBeNull()
  })
  it('use the only description of a redemption offer for both languages', () => {
    const { offerDesc } = read({ offerDescFr: 'Valeur double', offerDescEn: ' ' })
    expect(offerDesc).toEqual({ 'fr-CA': 'Valeur double' })
    expect(nameIn(offerDesc ?? {}, 'en-CA')).toBe('Valeur double')
    expect(read({ offerDescFr: ' ' }).offerDesc).toBeUndefined()
  })
  it('never throw and never exceed the basket, for any text in the fields', () => {
    const text = fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String))
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(
            'availableOfferUnits',
            'availableCashBalance',
            'availableDollarAmount',
            'dailyOfferLimit',
            'unitValueLoyaltyCash',
            'unitValueDollars',
          ),
          text,
        ),
        (fields) => {
          const choice = choose(50_000, read(fields))
          expect((choice?.maxUnits ?? 0) * (choice?.unitCents ?? 0)).toBeLessThanOrEqual(50_000)
        },
      ),
    )
  })
})
