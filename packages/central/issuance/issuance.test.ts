import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ISSUANCE_PATHS, type IssuanceResponse } from '../../../contracts/central/issuance.ts'
import { FINE, openRehearsal, type Received, type Rehearsal } from '../rehearsal.fixture.ts'

let client: Rehearsal
beforeEach(async () => {
  client = await openRehearsal()
})
afterEach(() => client.close())

const coffee = {
  id: '1010',
  name: 'Coffee beans 340 g',
  number: 1,
  quantity: 2,
  baseAmount: 14.99,
  finalAmount: 29.98,
  departmentId: 'grocery',
}
const towels = {
  id: '1018',
  name: 'Paper towels',
  number: 2,
  quantity: 1,
  baseAmount: 12.99,
  finalAmount: 12.99,
  departmentId: 'household',
}
const basket = {
  basketPostTaxAmount: 44.66,
  basketPreTaxAmount: 42.97,
  basketHSTAmount: 1.69,
  checkoutDateTime: '2026-07-01T12:00:00-04:00',
  checkoutTransactionId: 'N10101000000010001',
  collectorNumber: FINE,
  locationCode: 'N101',
  sponsorCode: 'NRTH',
  items: [coffee, towels],
}
const answer = (received: Received): IssuanceResponse => received.body as IssuanceResponse
const milesOf = (received: Received): Record<string, number> =>
  Object.fromEntries((answer(received).issuances ?? []).map((entry) => [entry.issuanceOfferCode, entry.milesAmount]))
const calculate = (fields: object = {}) =>
  client.post(ISSUANCE_PATHS.calculate, { ...basket, transactionType: 'PURCHASE', ...fields })
const returnItems = (fields: object, key = 'return') =>
  client.post(
    ISSUANCE_PATHS.return,
    { ...basket, checkoutTransactionId: 'RETURN-1', originalTransactionId: basket.checkoutTransactionId, ...fields },
    { key },
  )
const total = async (number = FINE): Promise<number> => {
  const { balances } = await client.ledger(number)
  return balances.cash + balances.dream
}

describe('CALCULATE', () => {
  it('computes base and bonus miles with the items that earned them, and issues nothing', async () => {
    const received = await calculate()
    expect(received.status).toBe(200)
    expect(milesOf(received)).toEqual({ NRBASE: 8, NRCOFFEE: 10, NRHOUSE: 2 })
    expect(answer(received).issuances?.find((entry) => entry.issuanceOfferCode === 'NRCOFFEE')).toMatchObject({
      contributingItemIds: ['1010'],
      offerId: 'COFFEE-5',
    })
    for (const entry of answer(received).issuances ?? [])
      expect(Object.keys(entry)).not.toEqual(expect.arrayContaining(['status']))
    expect(received.text).not.toMatch(/confirmationNumber|processedDateTime|"status"/)
    expect(answer(received).transactionId).toMatch(/^[0-9a-f-]{36}$/)
    expect(await total()).toBe(17_050)
  })
  it('returns offer names in the requested language, with English as the fallback', async () => {
    const nameIn = async (headers: Record<string, string>): Promise<string | undefined> =>
      answer(
        await client.post(ISSUANCE_PATHS.calculate, { ...basket, transactionType: 'PURCHASE' }, { headers }),
      ).issuances?.find(({ issuanceOfferCode }) => issuanceOfferCode === 'NRBASE')?.offerDescription
    expect([
      await nameIn({}),
      await nameIn({ 'accept-language': 'fr-CA' }),
      await nameIn({ 'accept-language': 'en-CA' }),
    ]).toEqual(['1 mile for every $5', '1 mille par tranche de 5 $', '1 mile for every $5'])
  })
  it("adds the miles of a coupon if the basket reaches the coupon's minimum", async () => {
    expect(milesOf(await calculate({ coupon: ['BONUS10'] }))).toMatchObject({ NRBONUS10: 10 })
    expect(milesOf(await calculate({ coupon: ['BONUS10'], basketPreTaxAmount: 19.99, items: [] }))).not.toHaveProperty(
      'NRBONUS10',
    )
  })
  it('leaves the field issuances out when nothing is earned', async () => {
    expect(
      (await calculate({ basketPreTaxAmount: 4.99, basketPostTaxAmount: 4.99, items: [] })).body,
    ).not.toHaveProperty('issuances')
  })
  it('requires a transaction type', async () => {
    expect((await calculate({ transactionType: undefined })).status).toBe(400)
  })
})

describe('ISSUE', () => {
  it('credits the miles that CALCULATE returns, as confirmed, and echoes the basket', async () => {
    const received = await client.issue(basket, { key: 'k' })
    expect(received.status).toBe(200)
    expect(milesOf(received)).toEqual(milesOf(await calculate()))
    expect(received.body).toMatchObject({ ...basket, transactionId: expect.any(String) as string })
    for (const entry of answer(received).issuances ?? [])
      expect(entry).toMatchObject({
        status: 'CONFIRMED',
        confirmationNumber: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        processedDateTime: expect.any(String) as string,
      })
    const { balances, entries } = await client.ledger(FINE)
    expect(balances).toEqual({ cash: 4_760, dream: 12_310 })
    expect(entries.at(-1)).toMatchObject({
      operation: 'ISSUE',
      reference: basket.checkoutTransactionId,
      idempotencyKey: 'k',
      cash: 10,
      dream: 10,
    })
  })
  it.each([
    ['an unknown sponsor', { sponsorCode: 'NOBODY' }, '221'],
    ['a closed account', { collectorNumber: '80000000088' }, '224'],
    ['a deleted account', { collectorNumber: '80000000101' }, '232'],
    ['an unknown account', { collectorNumber: '80000000099' }, '234'],
  ])('rejects a basket with %s', async (_case, fields, code) => {
    const received = await client.issue({ ...basket, ...fields }, { key: 'k' })
    expect([received.status, received.body.responseCode]).toEqual([400, code])
    expect(answer(received).errors).toMatchObject([{ errorCode: code, errorReason: received.body.message }])
  })
  it.each([
    ['no location', { locationCode: undefined }, '202'],
    ['an inactive location', { locationCode: 'X900' }, '205'],
    ['an unknown location', { locationCode: 'Z111' }, '230'],
    ['a collector whose issuances are delayed', { collectorNumber: '80000000123' }, '000'],
  ])('accepts a basket with %s as pending; its miles are credited at settlement', async (_case, fields, code) => {
    const collectorNumber = 'collectorNumber' in fields ? String(fields.collectorNumber) : FINE
    const before = await total(collectorNumber)
    const received = await client.issue({ ...basket, ...fields }, { key: 'k' })
    expect([received.status, received.body.responseCode]).toEqual([202, code])
    for (const entry of answer(received).issuances ?? [])
      expect(entry).toMatchObject({ status: 'PENDING', errors: [{ errorCode: code }] })
    expect((await client.issue({ ...basket, ...fields }, { key: 'k' })).text).toBe(received.text)
    expect(await total(collectorNumber)).toBe(before)
    expect((await client.control('POST', '/issuances/settle')).body).toEqual({ settled: 1 })
    expect((await client.control('POST', '/issuances/settle')).body).toEqual({ settled: 0 })
    expect(await total(collectorNumber)).toBe(before + 20)
  })
  it('accepts a basket of an expired sponsor as pending, with code 225', async () => {
    const received = await client.issue({ ...basket, sponsorCode: 'OLDE' }, { key: 'k' })
    expect([received.status, received.body.responseCode]).toEqual([202, '225'])
  })
  it.each([
    'basketPostTaxAmount',
    'basketPreTaxAmount',
    'checkoutDateTime',
    'checkoutTransactionId',
    'collectorNumber',
    'sponsorCode',
  ])('refuses a basket without %s', async (field) => {
    const received = await client.issue({ ...basket, [field]: undefined }, { key: 'k' })
    expect([received.status, received.body.responseCode]).toEqual([400, '400'])
    expect(received.text).toContain(field)
  })
  it.each([
    ['a time without a zone', { checkoutDateTime: '2026-07-01T12:00:00' }],
    ['a location code that is too long', { locationCode: 'N1012' }],
    ['a wrong sum', { items: [{ ...coffee, finalAmount: 14.99 }] }],
    ['an amount as text', { basketPreTaxAmount: '42.97' }],
    ['a quantity of half a piece', { items: [{ ...coffee, quantity: 1.5 }] }],
    ['an amount with half a cent', { basketPreTaxAmount: 42.975 }],
    ['a collector number that is too short', { collectorNumber: '8000000001' }],
  ])('refuses a basket with %s', async (_case, fields) => {
    expect((await client.issue({ ...basket, ...fields }, { key: 'k' })).status).toBe(400)
  })
  it('issues the miles of a checkout once, even under different idempotency keys', async () => {
    await client.issue(basket, { key: 'a' })
    expect((await client.issue(basket, { key: 'b' })).status).toBe(400)
    expect(await total()).toBe(17_070)
  })
  it('fails while another transaction of the same collector is in progress', async () => {
    await client.fault({ path: ISSUANCE_PATHS.issue, occurrence: 1, action: { kind: 'delay', ms: 400 } })
    const first = client.issue(basket, { key: 'a' })
    await client.control('GET', `/wait?path=${ISSUANCE_PATHS.issue}&count=1`)
    const second = await client.issue({ ...basket, checkoutTransactionId: 'OTHER-1' }, { key: 'b' })
    const neighbour = await client.issue(
      { ...basket, collectorNumber: '80000000077', checkoutTransactionId: 'OTHER-2' },
      { key: 'c' },
    )
    expect([(await first).status, second.status, neighbour.status]).toEqual([200, 500, 200])
    expect(second.body).toMatchObject({
      responseCode: '500',
      checkoutTransactionId: 'OTHER-1',
      transactionId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
    })
    expect((await client.issue({ ...basket, checkoutTransactionId: 'OTHER-1' }, { key: 'b' })).status).toBe(200)
  })
  it.each([
    ['a closed account', { collectorNumber: '80000000088' }, '224'],
    ['an invalid location', { locationCode: 'N1012' }, '400'],
    ['a basket without a sponsor', { sponsorCode: undefined }, '400'],
    ['a checkout whose miles were issued before', { checkoutTransactionId: 'BEFORE' }, '400'],
  ])(
    'sends a transactionId and the fields of the request when it refuses %s (specification 3 §2.3)',
    async (_case, fields, code) => {
      await client.issue({ ...basket, checkoutTransactionId: 'BEFORE' }, { key: 'before' })
      const sent = { ...basket, deviceId: 'L1', context: { note: 'a' }, ...fields }
      const received = await client.issue(sent, { key: 'k' })
      expect([received.status, received.body.responseCode]).toEqual([400, code])
      expect(received.body).toMatchObject(JSON.parse(JSON.stringify(sent)) as object)
      expect(received.body.transactionId).toMatch(/^[0-9a-f-]{36}$/)
    },
  )
  it('echoes neither unreadable nor unknown fields', async () => {
    const received = await client.post(ISSUANCE_PATHS.issue, {
      ...basket,
      items: [{ id: 5 }],
      deviceId: { deep: [1] },
      more: 'x',
    })
    expect(Object.keys(received.body).filter((name) => ['items', 'deviceId', 'more'].includes(name))).toEqual([])
    expect((await client.post(ISSUANCE_PATHS.issue, '[1')).body.transactionId).toMatch(/^[0-9a-f-]{36}$/)
  })
  it('refuses a request without a token with status 401 and without a response code', async () => {
    const received = await client.issue(basket, { token: null })
    expect([received.status, Object.keys(received.body)]).toEqual([401, ['message']])
  })
})

describe('RETURN', () => {
  it.each(['transactionId', 'checkoutTransactionId'])(
    'withdraws all miles that the basket earned, and finds the basket by its %s',
    async (name) => {
      const issued = await client.issue(basket, { key: 'k' })
      const received = await returnItems({ originalTransactionId: issued.body[name] })
      expect(received.status).toBe(200)
      expect(milesOf(received)).toEqual({ NRBASE: -8, NRCOFFEE: -10, NRHOUSE: -2 })
      expect(await total()).toBe(17_050)
    },
  )
  it('withdraws over several returns exactly the miles that the basket earned', async () => {
    await client.issue(basket, { key: 'k' })
    const one = {
      basketPreTaxAmount: 14.99,
      basketPostTaxAmount: 14.99,
      items: [{ ...coffee, quantity: 1, finalAmount: 14.99 }],
    }
    expect(milesOf(await returnItems({ ...one, checkoutTransactionId: 'A' }, 'a'))).toEqual({
      NRBASE: -3,
      NRCOFFEE: -5,
    })
    expect(milesOf(await returnItems({ ...one, checkoutTransactionId: 'B' }, 'b'))).toEqual({
      NRBASE: -3,
      NRCOFFEE: -5,
    })
    expect((await returnItems({ ...one, checkoutTransactionId: 'C' }, 'c')).status).toBe(400)
    expect(
      milesOf(
        await returnItems(
          { basketPreTaxAmount: 12.99, basketPostTaxAmount: 14.68, items: [towels], checkoutTransactionId: 'D' },
          'd',
        ),
      ),
    ).toEqual({ NRBASE: -2, NRHOUSE: -2 })
    expect(await total()).toBe(17_050)
  })
  it('requires an issue of the same collector', async () => {
    await client.issue(basket, { key: 'k' })
    expect((await returnItems({ originalTransactionId: undefined }, 'a')).status).toBe(400)
    expect((await returnItems({ originalTransactionId: 'NOTHING' }, 'b')).status).toBe(400)
    expect((await returnItems({ collectorNumber: '80000000077' }, 'c')).status).toBe(400)
  })
  it('is pending (202) while the ISSUE of its basket is; once both settle, the balance is as before', async () => {
    await client.issue({ ...basket, locationCode: undefined }, { key: 'k' })
    expect((await returnItems({})).status).toBe(202)
    await client.control('POST', '/issuances/settle')
    expect(await total()).toBe(17_050)
  })
})

describe('a call with partner-calculated miles', () => {
  it('to RECORD stores a transaction with or without a collector, and moves no miles', async () => {
    for (const fields of [{}, { collectorNumber: undefined, items: undefined }]) {
      const received = await client.post(ISSUANCE_PATHS.record, {
        ...basket,
        transactionType: 'PURCHASE',
        provider: 'NORTHSTAR',
        program: 'CORE',
        ...fields,
      })
      expect([received.status, received.body.provider, typeof received.body.transactionId]).toEqual([
        200,
        'NORTHSTAR',
        'string',
      ])
    }
    expect((await client.post(ISSUANCE_PATHS.record, basket)).status).toBe(400)
    expect(await total()).toBe(17_050)
  })
  it('to POST or POST/EVENT moves the calculated miles, and the reversal moves them back', async () => {
    const issuances = [{ issuanceOfferCode: 'NRBASE', milesAmount: 9, offerId: 'NRBASE' }]
    const posted = await client.post(ISSUANCE_PATHS.post, { ...basket, issuances }, { key: 'a' })
    expect([posted.status, milesOf(posted)]).toEqual([200, { NRBASE: 9 }])
    const event = {
      clientTransactionId: 'E1',
      collectorNumber: FINE,
      issuances,
      sponsorCode: 'NRTH',
      transactionDateTime: '2026-07-01T12:00:00Z',
    }
    expect((await client.post(ISSUANCE_PATHS.postEvent, event, { key: 'b' })).status).toBe(200)
    expect(await total()).toBe(17_068)
    expect(milesOf(await client.post(ISSUANCE_PATHS.reverseEvent, event, { key: 'c' }))).toEqual({ NRBASE: -9 })
    expect(milesOf(await client.post(ISSUANCE_PATHS.reverse, { ...basket, issuances }, { key: 'd' }))).toEqual({
      NRBASE: -9,
    })
    expect(await total()).toBe(17_050)
  })
  it.each([
    ['UNKNOWN', '203'],
    ['NRENDED', '204'],
  ])('to POST leaves an entry with offer code %s pending, with response code %s', async (issuanceOfferCode, code) => {
    const received = await client.post(
      ISSUANCE_PATHS.post,
      { ...basket, issuances: [{ issuanceOfferCode, milesAmount: 9, offerId: 'X' }] },
      { key: 'a' },
    )
    expect([received.status, received.body.responseCode]).toEqual([202, code])
    expect(await total()).toBe(17_050)
  })
})
