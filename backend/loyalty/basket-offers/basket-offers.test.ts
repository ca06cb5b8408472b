import { describe, expect, test } from 'vitest'
import {
  ChangeOfferStates,
  MAX_OFFER_CHANGES,
  type BasketOffer,
  type BasketOffers,
} from '../../../contracts/loyalty/basket-offers.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { CollectorNumber, SaleId } from '../../../contracts/core/ids.ts'
import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { cents } from '../../../contracts/core/money.ts'
import { OfferSettings } from '../../../contracts/core/profile.ts'
import { localDateTime } from '../../core/zone.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import { openCheckout } from '../../../packages/lab/testing/checkout-harness.ts'
import { trainingProfile } from '../../../packages/lab/testing/loyalty-harness.ts'
import { APPLES, COFFEE } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { withoutApproval } from '../../sales/approvals/guard.ts'
import type { StoredOffer } from '../offers/offers.sql.ts'
import {
  basketOffersOf,
  type BasketOffersService,
  storedOffersOf,
  type MemberOffers,
  offerPictureOf,
} from './basket-offers.ts'
import type { Clock } from '../../core/clock.ts'
import { memberOffersOf } from '../member/member-offers.ts'
import { offerStatesOf } from '../member/offer-states.ts'
import { type Sales, salesOf } from '../../sales/sales.ts'
import { testContext } from '../../../packages/lab/testing/lane-context.ts'

const { partnerId = '' } = trainingProfile().program
const uuid = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`

function storedOffer(index: number, locale: Locale, terms: Partial<StoredOffer['terms']> = {}): StoredOffer {
  const french = locale === 'fr-CA'
  const miles = (count: number): string => (french ? `${count} milles` : `${count} miles`)
  const spend = (dollars: number): string => (french ? `${dollars} $ de café` : `$${dollars} of coffee`)
  return {
    card: {
      id: uuid(index),
      partner: 'Northstar Markets',
      category: null,
      award: miles(50 * index),
      qualifier: spend(20),
      description: null,
      endsOn: '2099-12-31',
      legalText: null,
    },
    displayDate: '2020-01-01T00:00:00',
    startDate: '2020-01-01T00:00:00',
    endDate: '2099-12-31T23:59:59',
    partnerId,
    imageUrl: null,
    terms: {
      type: 'spend',
      programType: 'traditionalcore',
      targeted: false,
      priority: null,
      promotionId: null,
      categoryId: null,
      tiers: [
        { asks: 14, miles: 50 * index, award: miles(50 * index), qualifier: spend(14) },
        { asks: 30, miles: 100 * index, award: miles(100 * index), qualifier: spend(30) },
      ],
      mechanisms: [{ type: 'noAction', value: null }],
      ...terms,
    },
  }
}

const printer = { drawerOpenedAt: null, print: async () => ({ state: 'sent', detail: null }) as const }
type Lists = Record<Locale, StoredOffer[]>
const listsOf = (...make: ((locale: Locale) => StoredOffer)[]): Lists => ({
  'en-CA': make.map((one) => one('en-CA')),
  'fr-CA': make.map((one) => one('fr-CA')),
})

async function open(lists: Lists, receipt: OfferSettings['receipt'] = 'earned') {
  const opened = await openCheckout(
    printer,
    { offers: OfferSettings.parse({ receipt }) },
    { offers: (locale) => ({ offers: lists[locale], fetchedAt: 1_000, stale: false }) },
  )
  const { checkout, cashier, cardReads } = opened
  return {
    ...opened,
    swipe: () => checkout.members.identify(cardReads.hold(CollectorNumber.parse('80000000011'), 'SWIPE')),
    pay: (id: SaleId) => {
      const { version, totals } = checkout.sales.view(id)
      return checkout.tenders.add(id, { kind: 'card', version, amountCents: cents(totals.dueCents), reference: 'T1' })
    },
    apply: (id: string, index: number, applied: boolean) =>
      checkout.offerCoupons.apply(
        id,
        { version: checkout.sales.view(id).version, offerId: uuid(index), applied },
        withoutApproval(cashier),
      ),
    textOf: (id: string) => JSON.stringify(checkout.receipts.view(SaleId.parse(id)).document.blocks),
  }
}

interface SeenOffers {
  readonly sales: Sales
  readonly clock: Clock
  readonly lists: (locale: Locale) => { readonly offers: readonly StoredOffer[] }
  readonly member?: () => MemberOffers | null
  readonly stateOf?: () => { readonly state: 'ready'; readonly optedIn: number }
}

function offersSeen({ sales, clock, lists, member = () => null, stateOf }: SeenOffers): BasketOffersService {
  const ctx = testContext({ clock })
  salesOf.provide(ctx, sales)
  storedOffersOf.provide(ctx, (locale) => ({ ...lists(locale), fetchedAt: 1_000, stale: false }))
  offerPictureOf.provide(ctx, () => null)
  memberOffersOf.provide(ctx, { ...memberOffersOf(ctx), of: member, stateOf: stateOf ?? (() => null) })
  offerStatesOf.provide(ctx, { ...offerStatesOf(ctx), of: () => [] })
  return basketOffersOf(ctx)
}

describe('the offers listed for a sale', () => {
  const plain = listsOf((locale) => storedOffer(1, locale))

  test('are evaluated again after an item is rung, with texts in the requested language', async () => {
    const { checkout } = await open(plain)
    const { id } = checkout.sales.ringSku(COFFEE, 1)
    const one = checkout.basketOffers.view(id, 'en-CA')
    expect(one).toMatchObject({ version: checkout.sales.view(id).version, stale: false })
    expect(one.offers).toMatchObject([
      {
        standing: 'earned',
        reached: { tier: 0, miles: 50, award: '50 miles' },
        next: { tier: 1, award: '100 miles', missing: { unit: 'cents', amount: 15_01 }, near: false },
        ladder: [{ isReached: true }, { isReached: false }],
      },
    ])
    const { version } = checkout.sales.ringSku(COFFEE, 1)
    const two = checkout.basketOffers.view(id, 'fr-CA')
    expect(two.version).toBe(version)
    expect(two.offers[0]).toMatchObject({ next: { award: '100 milles', missing: { amount: 2 }, near: true } })
  })

  test('are evaluated for a sale that was open before a restart; an unknown sale id gets not-found', async () => {
    const { checkout, clock } = await open(plain)
    const { id } = checkout.sales.ringSku(COFFEE, 1)
    const rankedAgain = offersSeen({
      sales: checkout.sales,
      lists: () => ({ offers: plain['en-CA'] }),
      clock,
    })
    expect(rankedAgain.view(id, 'en-CA').offers[0]?.standing).toBe('earned')
    expect(() => rankedAgain.view('N1010100000001K7QZ', 'en-CA')).toThrow('not-found')
  })

  test('include targeted offers of a signed-in member; one that needs an opt-in is earned only after it', async () => {
    const state = { optedIn: false, saved: true }
    const mechanisms = [{ type: 'optIn', value: null }]
    const { checkout, clock } = await open(plain)
    const { id } = checkout.sales.ringSku(COFFEE, 1)
    const basketOffers = offersSeen({
      sales: checkout.sales,
      lists: (locale) => ({ offers: plain[locale] }),
      member: () => ({
        targeted: (locale) => [storedOffer(2, locale, { targeted: true, mechanisms })],
        states: new Map([[uuid(2), state]]),
      }),
      clock,
    })
    const theirs = (): BasketOffer | undefined =>
      basketOffers.view(id, 'en-CA').offers.find((offer) => offer.id === uuid(2))
    expect(theirs()).toMatchObject({ standing: 'opt-in-first', targeted: true, saved: true })
    state.optedIn = true
    expect(theirs()?.standing).toBe('earned')
  })

  test('are ranked again when the list, the member’s offers, the basket or the minute changes', async () => {
    const { checkout, clock, pay } = await open(plain)
    const { id } = checkout.sales.ringSku(COFFEE, 1)
    const theirs = listsOf((locale) => storedOffer(2, locale, { targeted: true }))
    let list = plain
    let member: MemberOffers = { targeted: (locale) => plain[locale], states: new Map() }
    const basketOffers = offersSeen({
      sales: checkout.sales,
      lists: (locale) => ({ offers: list[locale] }),
      member: () => member,
      clock,
    })
    const shown = () => basketOffers.asShown(checkout.sales.parts(id))
    basketOffers.view(id, 'fr-CA')
    const ranked = shown()
    expect(ranked[0]?.ladder[0]?.award).toBe('50 milles')
    const changes = [
      () => (member = { ...member, states: new Map([[uuid(1), { optedIn: false, saved: true }]]) }),
      () => (member = { ...member, targeted: (locale) => theirs[locale] }),
      () => (list = { 'en-CA': [...plain['en-CA']], 'fr-CA': [...plain['fr-CA']] }),
      () => clock.advance(60_000),
      () => checkout.sales.ringSku(COFFEE, 1),
    ]
    for (const change of changes) {
      const before = shown()
      change()
      expect(shown()).not.toBe(before)
    }
    const beforePayment = shown()
    const { version } = checkout.sales.view(id)
    checkout.tenders.add(id, { kind: 'card', version, amountCents: cents(100), reference: 'T0' })
    expect(shown()).toBe(beforePayment)
    pay(id)
    expect(shown()).not.toBe(beforePayment)
  })

  test('are listed once if they are both regional and targeted', async () => {
    const { checkout, clock } = await open(plain)
    const { id } = checkout.sales.ringSku(COFFEE, 1)
    const { offers } = offersSeen({
      sales: checkout.sales,
      lists: (locale) => ({ offers: plain[locale] }),
      member: () => ({ targeted: (locale) => [storedOffer(1, locale), storedOffer(2, locale)], states: new Map() }),
      clock,
    }).view(id, 'en-CA')
    expect(offers.map((offer) => offer.id)).toEqual([uuid(2), uuid(1)])
  })

  test('are limited to the 500 offers with the highest rank', async () => {
    const { checkout, clock } = await open(plain)
    const { id } = checkout.sales.ringSku(COFFEE, 1)
    const many = Array.from({ length: 3_000 }, (_, index) => storedOffer(index + 1, 'en-CA'))
    const { offers } = offersSeen({
      sales: checkout.sales,
      lists: () => ({ offers: many }),
      clock,
    }).view(id, 'en-CA')
    expect(offers).toHaveLength(500)
    expect(offers[0]).toMatchObject({ id: uuid(3_000), standing: 'earned' })
  })

  test('are included in an opt-in to all offers up to the number of changes that one request allows', async () => {
    const mechanisms = [{ type: 'optIn', value: null }]
    const { checkout, clock } = await open(plain)
    const { id } = checkout.sales.ringSku(COFFEE, 1)
    const many = Array.from({ length: MAX_OFFER_CHANGES + 1 }, (_, index) =>
      storedOffer(index + 1, 'en-CA', { mechanisms }),
    )
    const { optInAll } = offersSeen({
      sales: checkout.sales,
      clock,
      lists: () => ({ offers: many }),
      stateOf: () => ({ state: 'ready', optedIn: 0 }),
    }).view(id, 'en-CA')
    const changes = (optInAll?.offerIds ?? []).map((offerId) => ({ offerId, change: 'opt-in' }))
    expect(changes).toHaveLength(MAX_OFFER_CHANGES)
    expect(ChangeOfferStates.safeParse({ changes }).success).toBe(true)
  })
})

test('an opt-in to all offers leaves out an offer that also needs a code', async () => {
  const { checkout, clock } = await open(listsOf((locale) => storedOffer(1, locale)))
  const { id } = checkout.sales.ringSku(COFFEE, 1)
  const optIn = { type: 'optIn', value: null }
  const both = { mechanisms: [optIn, { type: 'couponCode', value: 'MILE1000' }] }
  const offers = [storedOffer(1, 'en-CA', { mechanisms: [optIn] }), storedOffer(2, 'en-CA', both)]
  const { optInAll } = offersSeen({
    sales: checkout.sales,
    clock,
    lists: () => ({ offers: offers }),
    stateOf: () => ({ state: 'ready', optedIn: 0 }),
  }).view(id, 'en-CA')
  expect(optInAll).toEqual({ offerIds: [uuid(1)], miles: 50 })
})

describe('the code of an offer', () => {
  const lists = listsOf((locale) => storedOffer(1, locale, { mechanisms: [{ type: 'couponCode', value: 'Mile1000' }] }))

  test('is added and removed by the same command with `applied` true or false, and changes no price', async () => {
    const { checkout, apply } = await open(lists)
    const before = checkout.sales.ringSku(COFFEE, 1)
    const shownStatus = (): BasketOffer['standing'] | undefined =>
      checkout.basketOffers.view(before.id, 'en-CA').offers[0]?.standing
    expect(shownStatus()).toBe('coupon-first')
    const applied = apply(before.id, 1, true)
    expect(applied.totals).toEqual(before.totals)
    expect(applied.discounts).toMatchObject([
      { coupon: { code: 'Mile1000', name: { 'en-CA': '50 miles', 'fr-CA': '50 milles' } }, off: null, amountCents: 0 },
    ])
    expect(shownStatus()).toBe('earned')
    expect(apply(before.id, 1, true).version, 'twice is once').toBe(applied.version)
    expect(apply(before.id, 1, false).discounts).toEqual([])
    expect(shownStatus()).toBe('coupon-first')
    apply(before.id, 1, true)
    expect(checkout.sales.view(before.id).undo).toBe('discount')
  })

  test('is removed with `applied` false also if a second code of its offer was scanned', async () => {
    const codes = ['FIRST', 'SECOND'].map((value) => ({ type: 'couponCode', value }))
    const { checkout, apply } = await open(listsOf((locale) => storedOffer(1, locale, { mechanisms: codes })))
    const { id } = checkout.sales.ringSku(COFFEE, 1)
    checkout.scanning.scan('SECOND')
    expect(checkout.basketOffers.view(id, 'en-CA').offers[0]?.coupon).toBe('applied')
    expect(apply(id, 1, false).discounts).toEqual([])
  })

  test('is accepted from the time of the offer’s start, not from the beginning of that day', async () => {
    const soon = structuredClone(lists)
    const { checkout, clock } = await open(soon)
    checkout.sales.ringSku(COFFEE, 1)
    const startsIn = (ms: number): void => {
      const startDate = localDateTime(clock.now() + ms, trainingProfile().timeZone)
      for (const locale of LOCALES) soon[locale] = lists[locale].map((offer) => ({ ...offer, startDate }))
    }
    startsIn(1_000)
    expect(() => checkout.coupons.take('MILE1000')).toThrow('coupon-not-yet')
    startsIn(0)
    expect(checkout.coupons.take('MILE1000').discounts).toHaveLength(1)
  })

  test('is accepted when scanned, and refused when then typed as well; an unknown code is refused', async () => {
    const { checkout } = await open(lists)
    const { id } = checkout.sales.ringSku(COFFEE, 1)
    checkout.scanning.scan('MILE1000')
    expect(checkout.sales.view(id).discounts).toMatchObject([{ coupon: { code: 'Mile1000' } }])
    expect(() => checkout.coupons.take('mile1000')).toThrow('coupon-used')
    expect(() => checkout.coupons.take('MILE1001')).toThrow('coupon-unknown')
  })

  test('is refused for an online offer, another partner’s offer, one without a code, or a stale version', async () => {
    const { checkout, apply } = await open(
      listsOf(
        (locale) => storedOffer(1, locale),
        (locale) => ({
          ...storedOffer(2, locale, { mechanisms: [{ type: 'couponCode', value: 'A' }] }),
          partnerId: uuid(9),
        }),
        (locale) =>
          storedOffer(3, locale, { programType: 'loyaltyshops', mechanisms: [{ type: 'couponCode', value: 'B' }] }),
        (locale) => storedOffer(4, locale, { mechanisms: [{ type: 'couponCode', value: 'C' }] }),
      ),
    )
    const { id, version } = checkout.sales.ringSku(COFFEE, 1)
    for (const index of [1, 2, 3]) expect(() => apply(id, index, true), String(index)).toThrow('offer-code-gone')
    expect(() =>
      checkout.offerCoupons.apply(
        id,
        { version: version - 1, offerId: uuid(4), applied: true },
        withoutApproval({ id: 'alex', role: 'cashier' } as never),
      ),
    ).toThrow('sale-stale')
    apply(id, 4, true)
  })
})

describe('the receipt of a sale', () => {
  const lists = listsOf(
    (locale) => storedOffer(1, locale),
    (locale) => storedOffer(2, locale, { tiers: storedOffer(2, locale).terms.tiers.slice(1) }),
  )
  const sell = async (receipt: OfferSettings['receipt'], card = true) => {
    const now = structuredClone(lists)
    const opened = await open(now, receipt)
    const { id } = opened.checkout.sales.ringSku(COFFEE, 2)
    if (card) opened.swipe()
    opened.pay(id)
    return { ...opened, id, lists: now, text: opened.textOf(id) }
  }

  test('lists no offers, earned offers, or also missed offers, as the profile sets; none without a card', async () => {
    const earned = await sell('earned')
    expect(earned.text).toContain('"Offer conditions met"')
    expect(earned.text).toContain('The program decides whether these miles')
    expect(earned.text).toContain('"50 miles: $14 of coffee"')
    expect(earned.text).not.toContain('Almost met')
    const both = await sell('earned-and-missed')
    expect(both.text).toContain('"$0.02 more: 200 miles"')
    expect((await sell('none')).text).not.toContain('Offer')
    expect((await sell('earned-and-missed', false)).text, 'nobody earns without a card').not.toContain('Offer')
  })

  test('is printed without offers if one offer cannot be stored, and the sale still completes', async () => {
    const { checkout, swipe, pay, textOf } = await open(
      listsOf((locale) => ({ ...storedOffer(1, locale), card: { ...storedOffer(1, locale).card, id: '' } })),
    )
    const { id } = checkout.sales.ringSku(COFFEE, 2)
    swipe()
    expect(pay(id).state).toBe('completed')
    expect(textOf(id)).not.toContain('Offer')
  })

  test('lists on its copy the offers of the original, also after the program has removed these offers', async () => {
    const { checkout, id, db, lists: now, textOf } = await sell('earned-and-missed')
    expect(db.prepare('SELECT said, awards FROM sale_offer WHERE sale_id = ? ORDER BY number').all(id)).toEqual([
      { said: 'earned', awards: '{"en-CA":"50 miles","fr-CA":"50 milles"}' },
      { said: 'missed', awards: '{"en-CA":"100 miles","fr-CA":"100 milles"}' },
      { said: 'missed', awards: '{"en-CA":"200 miles","fr-CA":"200 milles"}' },
    ])
    expect(() => db.prepare('DELETE FROM sale_offer').run()).toThrow('what a receipt said stays')
    const original = textOf(id)
    for (const list of Object.values(now)) list.splice(0)
    await checkout.receipts.whenPrinted()
    checkout.receipts.reprint({ kind: 'sale', id }, { actorId: 'alex' })
    const copies = db.prepare<[], string>('SELECT document FROM print_job ORDER BY rowid').pluck().all()
    expect(copies).toHaveLength(2)
    for (const words of ['50 miles: $14 of coffee', '$0.02 more: 200 miles']) {
      expect(original).toContain(words)
      expect(copies[1]).toContain(words)
    }
  })
})

describe('with the reference services', () => {
  const central = useCentral()
  const offersOf = async (harness: TerminalHarness, saleId: string, locale: Locale): Promise<BasketOffers> =>
    (await harness.call('GET', `/api/sales/${saleId}/offers?locale=${locale}`)).body as never

  test('the offers for which an item counts are found by the goods that the store configured', async () => {
    const harness = await openTerminalHarness(central)
    const { id: saleId } = await harness.ring(APPLES)
    const offersFor = async (sku: string): Promise<string[]> =>
      ((await harness.call('GET', `/api/offers/of-item?sku=${sku}`)).body.offers as { id: string }[]).map(
        ({ id }) => id,
      )
    await expect.poll(() => offersFor(APPLES)).not.toEqual([])
    const configured = trainingProfile().offers.matches.filter(({ skus }) => skus.includes(APPLES))
    const known = (await offersOf(harness, saleId, 'en-CA')).offers.map(({ id }) => id)
    expect((await offersFor(APPLES)).toSorted()).toEqual(
      configured
        .map(({ id }) => id)
        .filter((id) => known.includes(id))
        .toSorted(),
    )
    expect(await offersFor('unknown')).toEqual([])
  })

  test('ISSUE has the offer code applied to the sale, and the receipt lists offers with conditions met', async () => {
    const harness = await openTerminalHarness(central)
    const { send } = saleActions(harness)
    await harness.ring(COFFEE, 3)
    await harness.ring(APPLES, 9)
    const sale = await harness.swipe('fine')
    await expect.poll(async () => (await offersOf(harness, sale.id, 'fr-CA')).offers[0]?.standing).toBe('earned')
    const { offers } = await offersOf(harness, sale.id, 'en-CA')
    const french = await offersOf(harness, sale.id, 'fr-CA')
    expect(french.offers.map(({ id }) => id)).toEqual(offers.map(({ id }) => id))
    expect(new Set(offers.map(({ partner }) => partner))).toEqual(new Set(['Northstar Markets']))
    const coded = offers.find(({ standing, reached }) => standing === 'coupon-first' && reached !== null)
    if (!coded) throw new Error('the training has a spend offer with a code')
    const applied = await send('POST', '/offer-coupons', { offerId: coded.id, applied: true })
    expect(applied.sale.discounts[0]?.coupon?.name).toMatchObject({ 'en-CA': coded.award })
    const [coupon] = applied.sale.discounts
    await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'card',
      version: applied.sale.version,
      amountCents: applied.sale.totals.dueCents,
      reference: 'T1',
    })
    await harness.untilOperation('issue', 'confirmed')
    expect((await central.requests(ISSUANCE_PATHS.issue))[0]?.body['coupon']).toEqual([coupon?.coupon?.code])
    const { document } = (await harness.call('GET', `/api/sales/${sale.id}/receipt`)).body
    expect(JSON.stringify(document.blocks)).toContain('Offer conditions met')
    expect(
      await harness.refused('POST', `/api/sales/${sale.id}/offer-coupons`, {
        version: applied.sale.version,
        offerId: coded.id,
        applied: false,
      }),
    ).toBe('sale-not-open')
  })
})
