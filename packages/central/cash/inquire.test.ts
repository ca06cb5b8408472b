import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CASH_PATHS, type CashResponse } from '../../../contracts/central/cash.ts'
import { asCash, FINE, openRehearsal, type Rehearsal, row, outcomeOf } from '../rehearsal.fixture.ts'

let client: Rehearsal
beforeAll(async () => {
  client = await openRehearsal()
})
afterAll(() => client.close())

const CONDITIONAL = [
  'availableOfferUnits',
  'dailyOfferLimit',
  'offerDescEn',
  'offerDescFr',
  'offerId',
  'offerType',
  'unitValueLoyaltyCash',
  'unitValueDollars',
] as const satisfies readonly (keyof CashResponse)[]

describe('ECHO', () => {
  it('returns the fields of the request, the code and the time', async () => {
    const received = await client.echo({ traceId: 'E-77' })
    expect(outcomeOf(received)).toEqual(row('0000'))
    const answer = asCash(received)
    expect(answer).toMatchObject({
      deviceId: 'N101-01',
      sponsorCode: 'NRTH',
      storeId: 'TRAIN-001',
      traceId: 'E-77',
      vendorId: 'NORTHSTAR',
    })
    expect(String(answer.transDateTime)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/)
  })
  it.each(['deviceId', 'sponsorCode', 'storeId', 'traceId', 'vendorId'])(
    'refuses a request without %s',
    async (field) => {
      const received = await client.echo({ [field]: undefined })
      expect(outcomeOf(received)).toEqual(row('0035'))
      expect(received.text).toContain(field)
    },
  )
  it('requires cache-control: no-cache', async () => {
    expect(outcomeOf(await client.echo({}, { headers: { 'cache-control': 'max-age=0' } }))).toEqual(row('0035'))
  })
})

describe('INQUIRE', () => {
  it('returns the balances and the redemption offer of a collector who may redeem, all as strings', async () => {
    const received = await client.inquire()
    expect(outcomeOf(received)).toEqual(row('0000'))
    expect(asCash(received)).toMatchObject({
      collectorNumber: FINE,
      postTaxBasketAmount: '43.35',
      cashBalance: '4750',
      dreamBalance: '12300',
      availableCashBalance: '4750',
      availableDollarAmount: '500.00',
      availableOfferUnits: '50',
      dailyOfferLimit: '75',
      offerType: 'RGL',
      unitValueLoyaltyCash: '95',
      unitValueDollars: '10.00',
    })
  })
  it.each([
    ['80000000022', '0001', true],
    ['80000000033', '0005', false],
    ['80000000044', '0006', false],
    ['80000000055', '0051', false],
    ['80000000066', '0000', true],
    ['80000000077', '0000', true],
    ['80000000088', '0002', false],
    ['80000000099', '0025', false],
    ['80000000101', '0025', false],
    ['80000000112', '0067', false],
    ['80000000134', '0000', false],
    ['80000000145', '0000', true],
  ] as const)(
    'for collector %s returns code %s (with the fields of the redemption offer: %s)',
    async (collectorNumber, code, withOffer) => {
      const received = await client.inquire({ collectorNumber })
      expect(outcomeOf(received)).toEqual(row(code))
      const answer = asCash(received)
      for (const field of CONDITIONAL) expect([field, answer[field] !== undefined]).toEqual([field, withOffer])
    },
  )
  it('limits a collector near the daily limit to the two units that remain on that day', async () => {
    expect(asCash(await client.inquire({ collectorNumber: '80000000066' }))).toMatchObject({
      availableOfferUnits: '2',
      availableCashBalance: '190',
      availableDollarAmount: '20.00',
      cashBalance: '9500',
    })
  })
  it('returns a special redemption offer of 76 miles per unit, with its description in both languages', async () => {
    const answer = asCash(await client.inquire({ collectorNumber: '80000000077' }))
    expect(answer).toMatchObject({
      offerType: 'SPL',
      unitValueLoyaltyCash: '76',
      unitValueDollars: '10.00',
      availableOfferUnits: '20',
      dailyOfferLimit: '20',
      availableCashBalance: '1520',
      availableDollarAmount: '200.00',
      cashBalance: '3800',
    })
    expect(answer.offerDescEn).toContain('76 miles')
    expect(answer.offerDescFr).toContain('76 milles')
  })
  it('refuses a keyed card and returns no balance', async () => {
    const received = await client.inquire({ cardEntryMode: 'KEYED' })
    expect(outcomeOf(received)).toEqual(row('0009'))
    const answer = asCash(received)
    expect(answer.cashBalance).toBeUndefined()
  })
  it.each(['SCAN', 'PREREGISTERED'])('accepts the card entry mode %s', async (cardEntryMode) => {
    expect(outcomeOf(await client.inquire({ cardEntryMode }))).toEqual(row('0000'))
  })
  it.each([
    'acquirerId',
    'cardEntryMode',
    'collectorNumber',
    'dateTime',
    'deviceId',
    'postTaxBasketAmount',
    'sponsorCode',
    'storeId',
    'traceId',
    'vendorId',
  ])('refuses a request without %s, with code 0035', async (field) => {
    expect(outcomeOf(await client.inquire({ [field]: undefined }))).toEqual(row('0035'))
  })
  it.each([
    ['cardEntryMode', 'TYPED'],
    ['dateTime', 'yesterday'],
    ['postTaxBasketAmount', 43.35],
    ['postTaxBasketAmount', '43.355'],
    ['sponsorCode', 'NOBODY'],
    ['sponsorCode', 'OLDE'],
    ['collectorNumber', 80000000011],
  ])('refuses a request with an invalid value, with code 0035: %s %s', async (field, value) => {
    expect(outcomeOf(await client.inquire({ [field]: value }))).toEqual(row('0035'))
  })
  it.each(['8000000001', '90000000011', 'abc'])(
    'refuses %s as a collector number, with code 0025',
    async (collectorNumber) => {
      expect(outcomeOf(await client.inquire({ collectorNumber }))).toEqual(row('0025'))
    },
  )
})

describe('an invalid request to the cash service', () => {
  it.each([
    ['not JSON', '{"traceId":'],
    ['a list', '[]'],
    ['a number', '7'],
    ['nothing', ''],
    ['null', 'null'],
    ['deep nesting', '['.repeat(50_000)],
  ])('gets code 0035 if its body is %s', async (_case, body) => {
    const received = await client.post(CASH_PATHS.redeem, body)
    expect(outcomeOf(received)).toEqual(row('0035'))
    expect(received.text).not.toMatch(/at .*\.ts/)
  })
  it('is refused if its body is larger than 256 kB', async () => {
    expect(outcomeOf(await client.inquire({ instantMessage: 'x'.repeat(300_000) }))).toEqual(row('0035'))
  })
  it('is refused if its content type is not JSON', async () => {
    expect(outcomeOf(await client.redeem({}, { headers: { 'content-type': 'text/plain' } }))).toEqual(row('0035'))
  })
  it('gets status 404 and code 0035 if its path is unknown', async () => {
    const received = await client.post('/checkout/loyaltycash/refund', {})
    expect([received.status, received.body.responseCode]).toEqual([404, '0035'])
  })
})
