import { createTranslator } from 'use-intl/core'
import { describe, expect, test } from 'vitest'
import enScreens from '../../../contracts/i18n/en-CA/screens.ts'
import frScreens from '../../../contracts/i18n/fr-CA/screens.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { formatFor } from '../i18n/format.ts'
import type { Translate } from '../i18n/message-key.ts'
import { line, member, redemption, saleOf } from '../../testing/sales.ts'
import { announcementsOf } from './announcements.ts'

const texts = (locale: 'en-CA' | 'fr-CA') => ({
  t: createTranslator({ locale, messages: locale === 'en-CA' ? enScreens : frScreens }) as Translate,
  format: formatFor(locale),
})
const announced = (before: Sale | null, after: Sale, locale: 'en-CA' | 'fr-CA' = 'en-CA'): string[] =>
  announcementsOf(before, after).map(
    ({ text, urgency }) => `${urgency}: ${text(texts(locale)).replaceAll(/[\u00A0\u202F]/g, ' ')}`,
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

describe('the screen-reader text of a scan', () => {
  test('contains the line and the total, once, in the language of the screen', () => {
    const both = saleOf([line(1), line(2)])
    expect(announced(milk, both)).toEqual(['polite: Coffee beans 340 g, $14.99. Total $20.48.'])
    expect(announced(milk, both, 'fr-CA')).toEqual(['polite: Café en grains 340 g, 14,99 $. Total 20,48 $.'])
    expect(announced(both, { ...both, milesPreview: 4 } as Sale)).toEqual([])
  })

  test('contains the new quantity when the same item is scanned again', () => {
    expect(announced(milk, saleOf([line(1, { quantity: 2 })]))).toEqual([
      'polite: 2 × Whole milk 2 L, $10.98. Total $10.98.',
    ])
  })

  test('after a payment, contains the amount due as on the screen', () => {
    const paid = { tenders: [tender({})] }
    expect(announced(saleOf([line(1)], paid), saleOf([line(1), line(2)], paid))).toEqual([
      'polite: Coffee beans 340 g, $14.99. Left to pay $15.48.',
    ])
  })
})

describe('the screen-reader text of a sale with a gift card', () => {
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

  test('contains the price paid for the gift card', () => {
    expect(announced(milk, saleOf([line(1), giftCard]))).toEqual(['polite: Gift card, $25.00. Total $30.49.'])
  })

  test('contains the amount of an item’s line, without its share of a sale discount', () => {
    const before = saleOf([discounted, giftCard], off(100))
    const after = saleOf([line(1, { quantity: 2, discountCents: 100, amountCents: 998 }), giftCard], off(100))
    expect(announced(before, after)).toEqual(['polite: 2 × Whole milk 2 L, $10.98. Total $34.98.'])
  })

  test('contains the new total after a discount that excludes the gift card', () => {
    expect(announced(saleOf([line(1), giftCard]), saleOf([discounted, giftCard], off(100)))).toEqual([
      'polite: Total $29.49.',
    ])
  })

  test('contains the amount due after a gift card paid a portion', () => {
    const sale = saleOf([line(1), giftCard])
    const paid = saleOf([line(1), giftCard], {
      tenders: [tender({ kind: 'gift-card', amountCents: 1741, tenderedCents: 1741, reference: 'KQRT' })],
    })
    expect(announced(sale, paid)).toEqual(['polite: Gift card $17.41 taken. Left to pay $13.08.'])
    expect(announced(sale, paid, 'fr-CA')).toEqual(['polite: Carte-cadeau, 17,41 $ reçus. Reste à payer 13,08 $.'])
  })
})

describe('the screen-reader text of an outcome', () => {
  const miles = tender({ kind: 'miles', amountCents: 4000, tenderedCents: 4000, reference: '8842 0017 3351' })
  const lines = [line(2, { quantity: 3 })]
  const asked = saleOf(lines, {
    redemption: redemption({ state: 'intent', outcome: 'sending', confirmationNumber: null }),
  })

  test('announces an approved redemption once and immediately, and not again as a payment or total', () => {
    expect(announced(asked, saleOf(lines, { redemption: redemption(), tenders: [miles] }))).toEqual([
      'assertive: Approved. $40.00 paid with miles. Confirmation number 8842 0017 3351. Left to pay $4.97.',
    ])
  })

  test('announces why a redemption was not applied', () => {
    expect(
      announced(asked, saleOf(lines, { redemption: redemption({ state: 'declined', outcome: 'insufficient-miles' }) })),
    ).toEqual(['assertive: Miles were not applied. Not enough cash miles.'])
  })

  test('announces that miles are being returned, and later that they have been returned', () => {
    const back = (state: 'reversing' | 'reversed') =>
      saleOf(lines, { redemption: redemption({ state, outcome: state }) })
    expect([...announced(asked, back('reversing')), ...announced(back('reversing'), back('reversed'))]).toEqual([
      'assertive: Miles are being returned to the account.',
      'assertive: Miles returned to the account.',
    ])
  })

  test('announces that it is too late to return miles, after the cancellation announced their return', () => {
    const cancelled = (state: 'reversing' | 'reversal-expired') =>
      ({
        ...saleOf(lines, { redemption: redemption({ state, outcome: state }), tenders: [miles] }),
        state: 'cancelled',
      }) as Sale
    expect(announced(cancelled('reversing'), cancelled('reversal-expired'))).toEqual([
      'assertive: Too late to return miles. Give the printed store credit, never cash.',
    ])
    expect(announced(cancelled('reversing'), cancelled('reversing'))).toEqual([])
  })

  test('announces an approved redemption together with the member’s new redeemable amount', () => {
    const before = saleOf(lines, {
      member: member({}),
      redemption: redemption({ state: 'intent', outcome: 'sending', confirmationNumber: null }),
    })
    const after = saleOf(lines, {
      member: member({ availableCents: 11_000 }),
      redemption: redemption(),
      tenders: [miles],
    })
    expect(announced(before, after)).toContain('polite: Member ending in 0011. $110.00 available to redeem.')
  })

  test('announces the change at the end of a sale, or that no change is due', () => {
    const done = (changeCents: number) =>
      ({ ...saleOf([line(1)], { tenders: [tender({ amountCents: 549, changeCents })] }), state: 'completed' }) as Sale
    expect([...announced(milk, done(1451)), ...announced(milk, done(0)), ...announced(done(0), done(0))]).toEqual([
      'assertive: Sale complete. Change due $14.51.',
      'assertive: Sale complete. No change due.',
    ])
  })
})

test('announces the redeemable amount, or why a collector card cannot redeem, when the program has answered', () => {
  const at = (over: object) => saleOf([line(1)], { member: member(over) })
  const pending = at({ state: 'pending', availableCents: null, availableCashMiles: null })
  expect(announced(milk, pending)).toEqual([])
  expect(announced(pending, at({}))).toEqual(['polite: Member ending in 0011. $150.00 available to redeem.'])
  expect(
    announced(pending, at({ availableCents: null, availableCashMiles: null, noRedemption: 'daily-limit' })),
  ).toEqual(['polite: Member ending in 0011. Daily redemption limit reached. Available again tomorrow.'])
  expect(announced(at({}), at({}))).toEqual([])
})
