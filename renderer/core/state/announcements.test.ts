import { createTranslator } from 'use-intl/core'
import { describe, expect, test } from 'vitest'
import enScreens from '../../../contracts/i18n/en-CA/screens.ts'
import frScreens from '../../../contracts/i18n/fr-CA/screens.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { formatFor } from '../i18n/format.ts'
import type { Words } from '../i18n/message-key.ts'
import { line, member, redemption, saleOf } from '../../testing/sales.ts'
import { announcementsOf } from './announcements.ts'

/** What a person who only listens hears of a sale, word for word. */
const words = (locale: 'en-CA' | 'fr-CA') => ({
  t: createTranslator({ locale, messages: locale === 'en-CA' ? enScreens : frScreens }) as Words,
  format: formatFor(locale),
})
const heard = (before: Sale | null, after: Sale, locale: 'en-CA' | 'fr-CA' = 'en-CA'): string[] =>
  announcementsOf(before, after).map(
    ({ say, urgency }) => `${urgency}: ${say(words(locale)).replaceAll(/[\u00A0\u202F]/g, ' ')}`,
  )

const giftCard = line(2, {
  sku: 'milepost:gift-card',
  name: { 'en-CA': 'Gift card', 'fr-CA': 'Carte-cadeau' },
  unitPriceCents: 2500,
  amountCents: 2500,
  taxCodes: [],
})
const milk = saleOf([line(1)])
const tender = (over: object) =>
  ({
    number: 1,
    kind: 'cash',
    amountCents: 500,
    roundingCents: 0,
    tenderedCents: 500,
    changeCents: 0,
    reference: null,
    ...over,
  }) as never

describe('a scan', () => {
  test('is its line and the total, once, in the language of whoever listens', () => {
    const both = saleOf([line(1), line(2)])
    expect(heard(milk, both)).toEqual(['polite: Coffee beans 340 g, $14.99. Total $20.48.'])
    expect(heard(milk, both, 'fr-CA')).toEqual(['polite: Café en grains 340 g, 14,99 $. Total 20,48 $.'])
    expect(heard(both, { ...both, milesPreview: 4 } as Sale)).toEqual([])
  })

  test('of the same item again says how many there are by now', () => {
    expect(heard(milk, saleOf([line(1, { quantity: 2 })]))).toEqual([
      'polite: 2 × Whole milk 2 L, $10.98. Total $10.98.',
    ])
  })

  test('after a payment is followed by what is left to pay, as it stands on the board', () => {
    const paid = { tenders: [tender({})] }
    expect(heard(saleOf([line(1)], paid), saleOf([line(1), line(2)], paid))).toEqual([
      'polite: Coffee beans 340 g, $14.99. Left to pay $15.48.',
    ])
  })
})

describe('beside a gift card', () => {
  const off = (share: number) => ({
    discounts: [
      {
        number: 1,
        reach: { kind: 'sale' },
        off: { kind: 'amount', cents: 100 },
        reason: 'goodwill',
        coupon: null,
        applies: true,
        amountCents: share,
      },
    ] as never,
  })
  const discounted = line(1, { discountCents: 100, amountCents: 449 })

  test('the card is heard for what is paid for it', () => {
    expect(heard(milk, saleOf([line(1), giftCard]))).toEqual(['polite: Gift card, $25.00. Total $30.49.'])
  })

  test('an item is heard at the amount that its line shows, not less its share of a discount on the sale', () => {
    const before = saleOf([discounted, giftCard], off(100))
    const after = saleOf([line(1, { quantity: 2, discountCents: 100, amountCents: 998 }), giftCard], off(100))
    expect(heard(before, after)).toEqual(['polite: 2 × Whole milk 2 L, $10.98. Total $34.98.'])
  })

  test('a discount that leaves it alone is heard as the new total', () => {
    expect(heard(saleOf([line(1), giftCard]), saleOf([discounted, giftCard], off(100)))).toEqual([
      'polite: Total $29.49.',
    ])
  })

  test('a card that pays a part is heard with what is left', () => {
    const sale = saleOf([line(1), giftCard])
    const paid = saleOf([line(1), giftCard], {
      tenders: [tender({ kind: 'gift-card', amountCents: 1741, tenderedCents: 1741, reference: 'KQRT' })],
    })
    expect(heard(sale, paid)).toEqual(['polite: Gift card $17.41 taken. Left to pay $13.08.'])
    expect(heard(sale, paid, 'fr-CA')).toEqual(['polite: Carte-cadeau, 17,41 $ reçus. Reste à payer 13,08 $.'])
  })
})

describe('an outcome', () => {
  const miles = tender({ kind: 'miles', amountCents: 4000, tenderedCents: 4000, reference: '8842 0017 3351' })
  const lines = [line(2, { quantity: 3 })]
  const asked = saleOf(lines, {
    redemption: redemption({ state: 'intent', outcome: 'sending', confirmationNumber: null }),
  })

  test('approved is said at once and once: not a second time as a payment or a total', () => {
    expect(heard(asked, saleOf(lines, { redemption: redemption(), tenders: [miles] }))).toEqual([
      'assertive: Approved. $40.00 paid with miles. Confirmation number 8842 0017 3351. Left to pay $4.97.',
    ])
  })

  test('not applied says why', () => {
    expect(
      heard(asked, saleOf(lines, { redemption: redemption({ state: 'declined', outcome: 'insufficient-miles' }) })),
    ).toEqual(['assertive: Miles were not applied. Not enough cash miles.'])
  })

  test('miles on their way back are heard, and again when they have arrived', () => {
    const back = (state: 'reversing' | 'reversed') =>
      saleOf(lines, { redemption: redemption({ state, outcome: state }) })
    expect([...heard(asked, back('reversing')), ...heard(back('reversing'), back('reversed'))]).toEqual([
      'assertive: Miles are being returned to the account.',
      'assertive: Miles returned to the account.',
    ])
  })

  test('a reversal that comes too late is heard after the cancellation said that miles return', () => {
    const cancelled = (state: 'reversing' | 'reversal-expired') =>
      ({
        ...saleOf(lines, { redemption: redemption({ state, outcome: state }), tenders: [miles] }),
        state: 'cancelled',
      }) as Sale
    expect(heard(cancelled('reversing'), cancelled('reversal-expired'))).toEqual([
      'assertive: Too late to return miles. Give the printed store credit, never cash.',
    ])
    expect(heard(cancelled('reversing'), cancelled('reversing'))).toEqual([])
  })

  test('an approval replaces the available amount that was heard before', () => {
    const before = saleOf(lines, {
      member: member({}),
      redemption: redemption({ state: 'intent', outcome: 'sending', confirmationNumber: null }),
    })
    const after = saleOf(lines, {
      member: member({ availableCents: 11_000 }),
      redemption: redemption(),
      tenders: [miles],
    })
    expect(heard(before, after)).toContain('polite: Member ending in 0011. $110.00 available to redeem.')
  })

  test('the end of a sale says the change, or that there is none', () => {
    const done = (changeCents: number) =>
      ({ ...saleOf([line(1)], { tenders: [tender({ amountCents: 549, changeCents })] }), state: 'completed' }) as Sale
    expect([...heard(milk, done(1451)), ...heard(milk, done(0)), ...heard(done(0), done(0))]).toEqual([
      'assertive: Sale complete. Change due $14.51.',
      'assertive: Sale complete. No change due.',
    ])
  })
})

test('a card is heard when the program has answered for it: what is available, or why nothing is', () => {
  const at = (over: object) => saleOf([line(1)], { member: member(over) })
  const pending = at({ state: 'pending', availableCents: null, availableCashMiles: null })
  expect(heard(milk, pending)).toEqual([])
  expect(heard(pending, at({}))).toEqual(['polite: Member ending in 0011. $150.00 available to redeem.'])
  expect(heard(pending, at({ availableCents: null, availableCashMiles: null, noRedemption: 'daily-limit' }))).toEqual([
    'polite: Member ending in 0011. Daily redemption limit reached. Available again tomorrow.',
  ])
  expect(heard(at({}), at({}))).toEqual([])
})
