import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { FINE, openRehearsal, type Received, type Rehearsal } from '../rehearsal.fixture.ts'

let client: Rehearsal
beforeEach(async () => {
  client = await openRehearsal()
})
afterEach(() => client.close())

const given = (issuanceOfferCode = 'NRBASE', milesAmount = 9, more: object = {}) => [
  { issuanceOfferCode, milesAmount, offerId: 'X', ...more },
]
const basket = {
  basketPostTaxAmount: 44.66,
  basketPreTaxAmount: 42.97,
  checkoutDateTime: '2026-07-01T12:00:00-04:00',
  checkoutTransactionId: 'P1',
  collectorNumber: FINE,
  locationCode: 'N101',
  sponsorCode: 'NRTH',
}
const event = {
  clientTransactionId: 'E1',
  collectorNumber: FINE,
  sponsorCode: 'NRTH',
  transactionDateTime: '2026-07-01T12:00:00Z',
}
let keys = 0
const send = (path: string, body: object) => client.post(path, body, { key: `k${keys++}` })
const post = (fields: object = {}) => send(ISSUANCE_PATHS.post, { ...basket, issuances: given(), ...fields })
const reverse = (fields: object = {}) => send(ISSUANCE_PATHS.reverse, { ...basket, issuances: given(), ...fields })
const reverseEvent = (fields: object = {}) =>
  send(ISSUANCE_PATHS.reverseEvent, { ...event, issuances: given(), ...fields })
const outcomeOf = (received: Received) => [received.status, received.body.responseCode]
const total = async (number = FINE): Promise<number> => {
  const { balances } = await client.ledger(number)
  return balances.cash + balances.dream
}
const settle = () => client.control('POST', '/issuances/settle')

describe('a call with partner-calculated miles (specification 3 §7.1)', () => {
  it.each([
    ['202', 202, { locationCode: undefined }],
    ['203', 202, { issuances: given('NOTHING') }],
    ['204', 202, { issuances: given('NRENDED') }],
    ['205', 202, { locationCode: 'X900' }],
    ['205', 202, { issuances: given('NRBASE', 9, { locationCode: 'X900' }) }],
    ['207', 202, { issuances: given('NRUNIT25', 30) }],
    ['208', 202, { issuances: given('NRVAR500', 501) }],
    ['221', 400, { sponsorCode: 'NOBODY' }],
    ['224', 400, { collectorNumber: '80000000088' }],
    ['225', 202, { sponsorCode: 'OLDE' }],
    ['230', 202, { locationCode: 'Z111' }],
    ['232', 400, { collectorNumber: '80000000101' }],
    ['234', 400, { collectorNumber: '80000000099' }],
    ['000', 202, { collectorNumber: '80000000123' }],
  ] as const)(
    'returns code %s and status %i if one of its properties prevents its processing',
    async (code, status, fields) => {
      const received = await post(fields)
      expect(outcomeOf(received)).toEqual([status, code])
      expect(received.body.errors).toMatchObject([{ errorCode: code, errorReason: received.body.message }])
    },
  )
  it.each([
    ['NRUNIT25', 75],
    ['NRVAR500', 500],
  ])("accepts miles within the offer's limits: offer %s, %i miles", async (offer, miles) => {
    expect((await post({ issuances: given(offer, miles) })).status).toBe(200)
    expect(await total()).toBe(17_050 + miles)
  })
  it('accepts an entry with a location if the basket has no location', async () => {
    expect(
      (await post({ locationCode: undefined, issuances: given('NRBASE', 9, { locationCode: 'N101' }) })).status,
    ).toBe(200)
  })
  it.each([0, -9, 1.5, 2e9])('refuses an entry of %d miles', async (miles) => {
    expect((await post({ issuances: given('NRBASE', miles) })).status).toBe(400)
  })
})

describe('the entries of one call', () => {
  const statuses = (received: Received): unknown[] =>
    (received.body.issuances as { status: string; errors?: { errorCode: string }[] }[]).map(({ status, errors }) => [
      status,
      errors?.[0]?.errorCode,
    ])
  it('have a status each; only the miles of valid entries are credited at once', async () => {
    const received = await post({
      issuances: [
        ...given('NOTHING', 30),
        ...given('NRBASE', 4),
        ...given('NRUNIT25', 30),
        ...given('NRBASE', 2, { locationCode: 'X900' }),
      ],
    })
    expect(outcomeOf(received)).toEqual([202, '203'])
    expect(statuses(received)).toEqual([
      ['PENDING', '203'],
      ['CONFIRMED', undefined],
      ['PENDING', '207'],
      ['PENDING', '205'],
    ])
    expect(await total()).toBe(17_054)
    await settle()
    expect(await total()).toBe(17_056)
    const { entries } = await client.ledger(FINE)
    expect(entries.slice(-2).map(({ operation, cash, dream }) => [operation, cash + dream])).toEqual([
      ['POST', 4],
      ['POST', 2],
    ])
  })
  it('appear once in the history, when their miles are credited', async () => {
    await post({ issuances: [...given('NRCOFFEE', 4), ...given('NRBASE', 2, { locationCode: 'X900' })] })
    const records = async (): Promise<unknown[]> => {
      const range = new URLSearchParams({
        from: new Date(Date.now() - 60_000).toISOString(),
        to: new Date(Date.now() + 60_000).toISOString(),
        sponsorList: 'NRTH',
        collectorNumber: FINE,
      })
      const received = await client.get(`/transaction-history/sponsors?${range.toString()}`, {
        authorization: `Bearer ${await client.token()}`,
        'content-type': 'application/json',
        'channel-code': 'WEB',
      })
      const { genericActivityDtoList: list } = (received.body._embedded ?? { genericActivityDtoList: [] }) as {
        genericActivityDtoList: { offerCode: string; transactionValue: number }[]
      }
      return list
        .map(({ offerCode, transactionValue }) => [offerCode, transactionValue])
        .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))
    }
    expect(await records()).toEqual([['NRCOFFEE', 4]])
    await settle()
    expect(await records()).toEqual([
      ['NRBASE', 2],
      ['NRCOFFEE', 4],
    ])
  })
  it('can be reversed one by one; only reversals of pending entries are pending', async () => {
    const { transactionId } = (
      await post({ issuances: [...given('NRCOFFEE', 4), ...given('NRBASE', 2, { locationCode: 'X900' })] })
    ).body
    const received = await reverse({
      checkoutTransactionId: 'R1',
      originalTransactionId: transactionId,
      issuances: [...given('NRCOFFEE', 4), ...given('NRBASE', 2)],
    })
    expect([received.status, statuses(received)]).toEqual([
      202,
      [
        ['CONFIRMED', undefined],
        ['PENDING', '000'],
      ],
    ])
    expect(await total()).toBe(17_050)
    expect((await settle()).body).toEqual({ settled: 2 })
    expect(await total()).toBe(17_050)
  })
  it('are rejected if their call is refused, and carry the reason', async () => {
    const received = await post({ collectorNumber: '80000000088' })
    expect(received.body).toMatchObject({
      responseCode: '224',
      issuances: [
        {
          issuanceOfferCode: 'NRBASE',
          milesAmount: 9,
          status: 'REJECTED',
          errors: [{ errorCode: '224', errorReason: 'Collector Account Closed' }],
        },
      ],
    })
  })
})

describe('a pending issuance', () => {
  it.each([
    ['NOTHING', 9],
    ['NRENDED', 9],
    ['NRUNIT25', 30],
    ['NRVAR500', 501],
  ])('is rejected at settlement if its offer does not allow its miles: %s', async (offer, miles) => {
    expect((await post({ issuances: [...given(offer, miles), ...given('NRBASE', 4)] })).status).toBe(202)
    expect((await settle()).body).toEqual({ settled: 1 })
    expect(await total()).toBe(17_054)
  })
  it('is settled after the configured time', async () => {
    await client.close()
    client = await openRehearsal({ settleAfterMs: 100 })
    expect((await post({ collectorNumber: '80000000123' })).status).toBe(202)
    await expect.poll(() => total('80000000123'), { timeout: 5_000 }).toBe(1_909)
  })
  it('is settled when the services’ clock is moved past its settlement time', async () => {
    expect((await post({ collectorNumber: '80000000123' })).status).toBe(202)
    await client.control('POST', '/clock', { offsetMs: 3_600_000 })
    await expect.poll(() => total('80000000123'), { timeout: 5_000 }).toBe(1_909)
  })
})

describe('a reversal of partner-calculated miles', () => {
  it('(REVERSE) withdraws at most the remaining miles of the POST with its transactionId', async () => {
    const { transactionId } = (await post()).body
    expect(
      (
        await reverse({
          checkoutTransactionId: 'R1',
          originalTransactionId: transactionId,
          issuances: given('NRBASE', 4),
        })
      ).status,
    ).toBe(200)
    expect(
      (
        await reverse({
          checkoutTransactionId: 'R2',
          originalTransactionId: transactionId,
          issuances: given('NRBASE', 6),
        })
      ).status,
    ).toBe(400)
    expect(
      (
        await reverse({
          checkoutTransactionId: 'R3',
          originalTransactionId: transactionId,
          issuances: given('NRCOFFEE', 1),
        })
      ).status,
    ).toBe(400)
    expect(
      (
        await reverse({
          checkoutTransactionId: 'R4',
          originalTransactionId: transactionId,
          issuances: given('NRBASE', 5),
        })
      ).status,
    ).toBe(200)
    expect(await total()).toBe(17_050)
  })
  it("(REVERSE/EVENT) reverses an event by the event's id, or a POST by its checkout id", async () => {
    await send(ISSUANCE_PATHS.postEvent, { ...event, issuances: given() })
    await post()
    expect((await reverseEvent({ clientTransactionId: 'V1', originalClientTransactionId: 'E1' })).status).toBe(200)
    expect((await reverseEvent({ clientTransactionId: 'V2', originalClientTransactionId: 'P1' })).status).toBe(200)
    expect((await reverseEvent({ clientTransactionId: 'V3', originalClientTransactionId: 'P1' })).status).toBe(400)
    expect(await total()).toBe(17_050)
  })
  it.each([
    ['no known transaction', () => ({ originalTransactionId: 'NOTHING' })],
    ['the checkout id of the POST instead of its transactionId', () => ({ originalTransactionId: 'P1' })],
    [
      "another collector's POST",
      (transactionId: unknown) => ({ originalTransactionId: transactionId, collectorNumber: '80000000077' }),
    ],
  ])('(REVERSE) is refused if it names %s', async (_case, fields) => {
    const { transactionId } = (await post()).body
    const received = await reverse({ checkoutTransactionId: 'R1', ...fields(transactionId) })
    expect(outcomeOf(received)).toEqual([400, '400'])
    expect(received.body.message + received.text).toContain('originalTransactionId')
    expect(await total()).toBe(17_059)
  })
  it('(REVERSE) is refused for miles that the service calculated', async () => {
    const issued = await client.issue({ ...basket, checkoutTransactionId: 'I1' }, { key: 'issue' })
    expect(
      (
        await reverse({
          checkoutTransactionId: 'R1',
          originalTransactionId: issued.body.transactionId,
          issuances: given('NRBASE', 1),
        })
      ).status,
    ).toBe(400)
  })
  it('is pending while its POST is pending, and withdraws nothing if the POST is rejected', async () => {
    const { transactionId } = (await post({ issuances: given('NOTHING') })).body
    expect(
      (
        await reverse({
          checkoutTransactionId: 'R1',
          originalTransactionId: transactionId,
          issuances: given('NOTHING'),
        })
      ).status,
    ).toBe(202)
    expect((await settle()).body).toEqual({ settled: 2 })
    expect(await total()).toBe(17_050)
  })
})

it('calls without a path in the specification are served at configured paths', async () => {
  await client.close()
  client = await openRehearsal({ paths: { post: '/partner/post', cashReverse: '/partner/refund' } })
  expect((await send('/partner/post', { ...basket, issuances: given() })).status).toBe(200)
  expect((await send(ISSUANCE_PATHS.post, { ...basket, issuances: given() })).status).toBe(404)
  expect((await send('/partner/refund', {})).body.responseCode).toBe('0035')
})
