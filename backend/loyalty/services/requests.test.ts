import { TraceId } from '../../../contracts/core/trace.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InquireRequest, RedeemRequest, ReverseRequest } from '../../../contracts/central/cash.ts'
import {
  IssueRequest,
  PartnerBasketRequest,
  PartnerEventRequest,
  RecordRequest,
  ReturnRequest,
} from '../../../contracts/central/issuance.ts'
import type { CollectorNumber } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import { IssuanceSettings, type Profile } from '../../../contracts/core/profile.ts'
import type { Ctx } from '../../core/context.ts'
import { testContext, provideCentral } from '../../../packages/lab/testing/lane-context.ts'
import { trainingProfile } from '../../../packages/lab/testing/loyalty-harness.ts'
import { cashClientOf, encode } from './cash.ts'
import { zonedIso } from '../../core/zone.ts'
import { issuanceClientOf, type CollectorBasket } from './issuance.ts'
import { jsonOf } from '../../core/central/wire.ts'
import type { CentralCall, Transport } from '../../core/central/transport.ts'

const profile = trainingProfile()
const lane = profile.lanes[0] ?? { id: '01', deviceId: '', devices: {} }
const CARD = { collectorNumber: '80000000011' as CollectorNumber, entryMode: 'SWIPE' as const }
const AT = Date.parse('2026-11-20T15:00:00Z')

function listening(): { transport: Transport; sent: CentralCall[] } {
  const sent: CentralCall[] = []
  return {
    sent,
    transport: {
      send: async (call) => {
        sent.push(call)
        return { kind: 'unknown', reason: 'nobody there' }
      },
    },
  }
}

function context({
  transport = listening().transport,
  ...given
}: { transport?: Transport; profile?: Profile } = {}): Ctx {
  const ctx = testContext({ profile, lane, ...given })
  provideCentral(ctx, { transport })
  return ctx
}

test('INQUIRE, REDEEM and REVERSE have every specified field, with amounts as decimal strings', () => {
  const cash = cashClientOf(context())
  const redeem = cash.redeemRequest(CARD, cents(4335), cents(4000), AT, 'fr-CA')
  expect(redeem).toEqual({
    acquirerId: 'NORTHSTAR',
    cardEntryMode: 'SWIPE',
    collectorNumber: '80000000011',
    dateTime: '2026-11-20T10:00:00.000-05:00',
    deviceId: 'N101-01',
    dollarRedeemRequest: '40.00',
    instantMessage: 'fr-CA',
    postTaxBasketAmount: '43.35',
    sponsorCode: 'NRTH',
    storeId: 'TRAIN-001',
    traceId: redeem.traceId,
    vendorId: 'NORTHSTAR',
  })
  expect(RedeemRequest.safeParse(redeem).error).toBeUndefined()
  expect(InquireRequest.safeParse(cash.inquireRequest(CARD, cents(0), AT, 'en-CA')).error).toBeUndefined()
  const reverse = cash.reverseRequest(redeem, 'C-77', AT + 60_000)
  expect(ReverseRequest.safeParse(reverse).error).toBeUndefined()
  expect(reverse).toMatchObject({
    txnConfirmationNumber: 'C-77',
    dollarRedeemRequest: '40.00',
    dateTime: '2026-11-20T10:01:00.000-05:00',
  })
})

test('no two requests of the cash service have the same traceId', () => {
  const cash = cashClientOf(context())
  const redeem = cash.redeemRequest(CARD, cents(1000), cents(1000), AT, 'en-CA')
  const traces = [
    redeem,
    cash.redeemRequest(CARD, cents(1000), cents(1000), AT, 'en-CA'),
    cash.inquireRequest(CARD, cents(1000), AT, 'en-CA'),
    cash.reverseRequest(redeem, 'C', AT),
  ].map(({ traceId }) => traceId)
  expect(new Set(traces).size).toBe(4)
})

const line = (
  number: number,
  sku: string,
  change: Partial<CollectorBasket['lines'][number]> = {},
): CollectorBasket['lines'][number] => ({
  number,
  sku,
  name: { 'en-CA': 'Milk', 'fr-CA': 'Lait' },
  quantity: 3,
  unitPriceCents: cents(333),
  amountCents: cents(999),
  voided: false,
  departmentId: 'DAIRY',
  categoryId: null,
  ...change,
})
const BASKET: CollectorBasket = {
  saleId: 'N10101000042ABCD',
  collectorNumber: CARD.collectorNumber,
  atMs: AT,
  locale: 'fr-CA',
  tenders: ['miles', 'cash', 'card', 'cash'],
  totals: {
    subtotalCents: cents(1998),
    totalCents: cents(2258),
    taxes: [
      { code: 'GST', amountCents: cents(100) },
      { code: 'QST', amountCents: cents(160) },
    ],
  },
  lines: [line(1, 'A'), line(2, 'B', { voided: true }), line(3, 'C', { categoryId: 'COLD' })],
}

test('the items of a discounted line in ISSUE have whole cents per piece and add up to the line', () => {
  const client = issuanceClientOf(context())
  const inCents = (dollars: number): number => Math.round(dollars * 100)
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 999 }),
      fc.integer({ min: 0, max: 100_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (quantity, price, share) => {
        const amount = quantity * price - Math.floor(quantity * price * share)
        const { items = [] } = client.issueRequest({
          ...BASKET,
          lines: [line(1, 'A', { quantity, unitPriceCents: cents(price), amountCents: cents(amount) })],
        })
        expect(items.every((item) => inCents(item.finalAmount) === inCents(item.baseAmount) * item.quantity)).toBe(true)
        expect(items.reduce((sum, item) => sum + inCents(item.finalAmount), 0)).toBe(amount)
        expect(items.reduce((sum, item) => sum + item.quantity, 0)).toBe(quantity)
        expect(items.map(({ number }) => number)).toEqual(items.map((_, index) => index + 1))
        expect(items).toHaveLength(amount % quantity === 0 ? 1 : 2)
      },
    ),
  )
})

test('ISSUE has the codes of the coupons, and no coupon field without coupons', () => {
  const client = issuanceClientOf(context())
  expect(client.issueRequest({ ...BASKET, coupons: ['HOUSE10', 'BONUS10'] }).coupon).toEqual(['HOUSE10', 'BONUS10'])
  for (const basket of [BASKET, { ...BASKET, coupons: [] }])
    expect(client.issueRequest(basket)).not.toHaveProperty('coupon')
})

test('ISSUE has the sum of HST and its federal part in one field', () => {
  const totals: CollectorBasket['totals'] = {
    ...BASKET.totals,
    taxes: [
      { code: 'HST', amountCents: cents(130) },
      { code: 'HST-FEDERAL', amountCents: cents(95) },
    ],
  }
  const request = issuanceClientOf(context()).issueRequest({
    ...BASKET,
    totals,
  })
  expect(request).toMatchObject({ basketHSTAmount: 2.25 })
})

test('ISSUE has the lines that are not void, in order, and each tax in its own field', () => {
  const request = issuanceClientOf(context()).issueRequest(BASKET)
  expect(IssueRequest.safeParse(request).error).toBeUndefined()
  expect(request).toMatchObject({
    basketPostTaxAmount: 22.58,
    basketPreTaxAmount: 19.98,
    basketGSTAmount: 1,
    basketQSTAmount: 1.6,
    checkoutTransactionId: 'N10101000042ABCD',
    checkoutDateTime: '2026-11-20T10:00:00.000-05:00',
    locationCode: 'N101',
    sponsorCode: 'NRTH',
    tender: ['CASH', 'CREDIT'],
  })
  expect(request).not.toHaveProperty('basketHSTAmount')
  expect(
    request.items?.map(({ id, number, quantity, baseAmount, finalAmount, name }) => [
      id,
      number,
      quantity,
      baseAmount,
      finalAmount,
      name,
    ]),
  ).toEqual([
    ['A', 1, 3, 3.33, 9.99, 'Lait'],
    ['C', 2, 3, 3.33, 9.99, 'Lait'],
  ])
  expect(request.items?.map((item) => 'categoryId' in item)).toEqual([false, true])
})

test('ISSUE for a sale paid entirely with miles has no tender', () => {
  const request = issuanceClientOf(context()).issueRequest({
    ...BASKET,
    tenders: ['miles'],
  })
  expect(request).not.toHaveProperty('tender')
})

test('RETURN names the ISSUE to take back; RECORD has the provider, with or without a collector', () => {
  const issuance = issuanceClientOf(context())
  const returned = issuance.returnRequest(BASKET, 'T-1')
  expect(ReturnRequest.safeParse(returned).error).toBeUndefined()
  expect(returned).toEqual({ ...issuance.issueRequest(BASKET), originalTransactionId: 'T-1' })
  const { collectorNumber: _member, ...anonymous } = BASKET
  const record = issuance.recordRequest(anonymous, { transactionType: 'PURCHASE', collectorNumber: null })
  expect(RecordRequest.safeParse(record).error).toBeUndefined()
  expect(record).toMatchObject({
    transactionType: 'PURCHASE',
    provider: 'NORTHSTAR',
    program: 'CORE',
    tender: ['CASH', 'CREDIT'],
  })
  expect(record).not.toHaveProperty('collectorNumber')
  expect(
    issuance.recordRequest(BASKET, {
      transactionType: 'RETURN',
      collectorNumber: BASKET.collectorNumber,
      originalTransactionId: 'S',
    }),
  ).toMatchObject({ collectorNumber: '80000000011', originalTransactionId: 'S' })
})

test('RECORD uses the profile’s name for the tender in miles', () => {
  const cashProfile = { ...profile, issuance: IssuanceSettings.parse({ loyaltyCashTender: 'LOYALTY' }) }
  const issuance = issuanceClientOf(context({ profile: cashProfile }))
  expect(issuance.recordRequest(BASKET, { transactionType: 'PURCHASE', collectorNumber: null }).tender).toEqual([
    'LOYALTY',
    'CASH',
    'CREDIT',
  ])
  expect(issuance.issueRequest(BASKET).tender, 'no other call knows that value').toEqual(['CASH', 'CREDIT'])
})

test('each entry of store-calculated miles has the store’s location, and each call its path from the profile', () => {
  const partner = {
    ...profile,
    issuance: IssuanceSettings.parse({ paths: { post: '/a', postEvent: '/b', reverse: '/c' } }),
  }
  const issuance = issuanceClientOf(context({ profile: partner }))
  const given = [{ issuanceOfferCode: 'NRBASE', offerId: 'NRBASE', milesAmount: 4, contributingItemIds: ['A'] }]
  const post = issuance.postRequest(BASKET, given)
  expect(PartnerBasketRequest.safeParse(post).error).toBeUndefined()
  expect(post).toMatchObject({
    issuances: [{ ...given[0], locationCode: 'N101' }],
    provider: 'NORTHSTAR',
    program: 'CORE',
    basketPreTaxAmount: 19.98,
  })
  expect(issuance.postReverseRequest(BASKET, given, 'T-2')).toEqual({ ...post, originalTransactionId: 'T-2' })
  const event = issuance.eventRequest({
    clientTransactionId: 'E-1',
    collectorNumber: BASKET.collectorNumber,
    atMs: AT,
    issuances: given,
    originalClientTransactionId: 'S-1',
  })
  expect(PartnerEventRequest.safeParse(event).error).toBeUndefined()
  expect(event).toMatchObject({
    transactionDateTime: '2026-11-20T10:00:00.000-05:00',
    deviceId: 'N101-01',
    sponsorCode: 'NRTH',
    originalClientTransactionId: 'S-1',
  })
  expect(
    ['post', 'post-event', 'post-reverse', 'reverse-event', 'issue'].map((call) => issuance.pathOf(call as 'post')),
  ).toEqual(['/a', '/b', '/c', '/checkout/issuance/reverse/event', '/checkout/issuance/issue'])
})

test('stored bytes are sent unchanged, with their idempotency key and the timeout of their service', async () => {
  const { transport, sent } = listening()
  const call = { path: '/p', request: encode({ a: 'é' }), idempotencyKey: 'K', trace: TraceId.parse('7'.repeat(32)) }
  const ctx = context({ transport })
  const cash = cashClientOf(ctx)
  await cash.sendStored(call)
  await issuanceClientOf(ctx).sendStored(call)
  await cash.inquire(cash.inquireRequest(CARD, cents(1), AT, 'en-CA'))
  expect(sent.map(({ service, timeoutMs, authenticate }) => [service, timeoutMs, authenticate])).toEqual([
    ['cash', 8_000, true],
    ['issuance', 15_000, true],
    ['cash', 8_000, true],
    ['cash', 8_000, true],
  ])
  expect(sent.slice(0, 2).every(({ body }) => body === call.request)).toBe(true)
  expect(
    sent.map(({ headers }) => headers?.['idempotency-key']),
    'INQUIRE takes no key',
  ).toEqual(['K', 'K', undefined, undefined])
  expect(sent[3]?.body, 'nobody answered: the identical bytes go once more').toBe(sent[2]?.body)
})

test.each([
  ['before the clocks go back', '2026-11-01T05:30:00Z', '2026-11-01T01:30:00.000-04:00'],
  ['after the clocks go back', '2026-11-01T06:30:00Z', '2026-11-01T01:30:00.000-05:00'],
  ['in summer', '2026-07-01T00:00:00.001Z', '2026-06-30T20:00:00.001-04:00'],
])('times in requests are in the store’s time zone with its offset: %s', (_when, utc, local) => {
  expect(zonedIso(Date.parse(utc), 'America/Toronto')).toBe(local)
})

test.each([
  ['an incomplete UTF-8 character', Uint8Array.from([0x22, 0xc3, 0x22])],
  ['no bytes', new Uint8Array()],
  ['an HTML page', Buffer.from('<html>')],
  ['two JSON values', Buffer.from('{}{}')],
])('the JSON value of a body with %s is undefined', (_what, bytes) => {
  expect(jsonOf(bytes)).toBeUndefined()
})
