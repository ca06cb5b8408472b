import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OfferListResponse } from '../../../contracts/central/offers.ts'
import { FINE, openRehearsal, type Rehearsal } from '../rehearsal.fixture.ts'
import { OFFER_STATE_PATHS } from '../../../contracts/central/offer-state.ts'

let client: Rehearsal
let headers: Record<string, string>
let ids: string[]
beforeEach(async () => {
  client = await openRehearsal()
  headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${await client.memberToken()}`,
    'x-correlation-id': '3e8b9c52-7d66-4f0e-9a55-1d2f3a4b5c6d',
    'x-origin-client': 'internal:pos:milepost',
    'x-local-time': '2026-07-01T12:00:00',
  }
  ids = OfferListResponse.parse((await client.get('/offers?region=ON', headers)).body).offers.map((offer) => offer.id)
})
afterEach(() => client.close())

const SAVED = { name: 'SAVE', value: 'SAVED' }
const OPTED_IN = { name: 'OPT_IN', value: 'OPTED_IN' }
const read = (path: string, query = '', changed: Record<string, string> = {}) =>
  client.get(`${path}${query}`, { ...headers, ...changed })
const change = (...changes: [number, ...object[]][]) =>
  client.put(
    OFFER_STATE_PATHS.put,
    { stateChanges: changes.map(([index, ...states]) => ({ offerId: ids[index], states })) },
    headers,
  )
const found = (body: Record<string, unknown>) =>
  ((body.offers ?? []) as { offerId: string }[]).map(({ offerId }) => offerId)

it('the offer-state service finds, gets and counts saved offer states, without empty fields', async () => {
  expect((await read(OFFER_STATE_PATHS.find)).body).toEqual({ returnedCount: 0 })
  const put = await change([0, SAVED, OPTED_IN], [1, SAVED], [2, OPTED_IN])
  expect([put.status, put.text]).toEqual([204, ''])
  const { body } = await read(OFFER_STATE_PATHS.find)
  expect(body).toMatchObject({ returnedCount: 3, offers: [{ collectorId: FINE }, {}, {}] })
  expect(body).not.toHaveProperty('requestedCount')
  const unknown = '00000000-0000-4000-8000-000000000000'
  expect(
    (await read(OFFER_STATE_PATHS.get, `?offerId=${ids[0]}&offerId=${unknown}&offerId=${ids[5]}`)).body,
  ).toMatchObject({
    requestedCount: 3,
    returnedCount: 1,
    offers: [
      {
        offerId: ids[0],
        collectorId: FINE,
        states: [SAVED, { ...OPTED_IN, updatedAt: expect.stringMatching(/\.\d{6}Z$/) as string }],
      },
    ],
  })
  expect((await read(OFFER_STATE_PATHS.count)).body).toEqual({ count: 3 })
  expect((await read(OFFER_STATE_PATHS.count, '?state=OPT_IN:OPTED_IN')).body).toEqual({ count: 2 })
  expect(
    found(
      (await read(OFFER_STATE_PATHS.find, '?state=SAVE:SAVED&firstSortBy=offerId&firstSortByDescending=true')).body,
    ),
  ).toEqual(ids.slice(0, 2).sort().reverse())
})
it('an offer that a member unsaved at the offer service has no offer state', async () => {
  await change([0, SAVED])
  await client.put(
    `/offers/${ids[0]}/states`,
    { states: [{ name: 'SAVE', value: 'UNSAVED' }] },
    { authorization: headers.authorization ?? '', 'x-origin-client': 'internal:pos:milepost' },
  )
  expect((await read(OFFER_STATE_PATHS.count)).body).toEqual({ count: 0 })
})
it('FIND sorts and pages offer states, and COUNT filters them by region and partner', async () => {
  await change(...ids.slice(0, 5).map((_id, index): [number, object] => [index, SAVED]))
  const all = found((await read(OFFER_STATE_PATHS.find, '?firstSortBy=endDate&secondSortBy=offerId')).body)
  expect(all).toHaveLength(5)
  expect(
    found(
      (await read(OFFER_STATE_PATHS.find, '?firstSortBy=endDate&secondSortBy=offerId&pageNumber=1&pageSize=2')).body,
    ),
  ).toEqual(all.slice(2, 4))
  const partner = OfferListResponse.parse((await client.get('/offers?region=ON', headers)).body).offers[0]?.partnerId
  expect(Number((await read(OFFER_STATE_PATHS.count, `?partnerId=${partner}&region=ON`)).body.count)).toBeGreaterThan(0)
})
it.each(['content-type', 'x-correlation-id', 'x-origin-client', 'x-local-time'])(
  'the offer-state service requires the header %s',
  async (name) => {
    const { [name]: _left, ...rest } = headers
    expect((await client.get(OFFER_STATE_PATHS.find, rest)).status).toBe(400)
  },
)
it.each([
  '?state=SAVED',
  '?state=SAVE:UNSAVED',
  '?region=XX',
  '?firstSortBy=price',
  '?firstSortByDescending=true',
  '?pageNumber=-1',
  '?pageSize=0',
  '?partnerId=7',
  '?surprise=1',
])('FIND refuses the invalid query %s', async (query) => {
  expect((await read(OFFER_STATE_PATHS.find, query)).status).toBe(400)
})
it('the offer-state service refuses a local time with a zone, and a GET without an offer id', async () => {
  expect((await read(OFFER_STATE_PATHS.find, '', { 'x-local-time': '2026-07-01T12:00:00Z' })).status).toBe(400)
  expect((await read(OFFER_STATE_PATHS.get)).status).toBe(400)
  expect((await read(OFFER_STATE_PATHS.get, '?offerId=7')).status).toBe(400)
})
describe('PUT of offer states', () => {
  it('changes all offers in the request, or none', async () => {
    const received = await client.put(
      OFFER_STATE_PATHS.put,
      {
        stateChanges: [
          { offerId: ids[0], states: [SAVED] },
          { offerId: '00000000-0000-4000-8000-000000000000', states: [SAVED] },
        ],
      },
      headers,
    )
    expect(received.status).toBe(404)
    expect((await read(OFFER_STATE_PATHS.count)).body).toEqual({ count: 0 })
  })
  it.each([
    [{}],
    [{ stateChanges: [] }],
    [{ stateChanges: [{ offerId: 'x', states: [SAVED] }] }],
    [{ stateChanges: [{ states: [SAVED] }] }],
  ])('refuses the invalid change %j', async (body) => {
    expect((await client.put(OFFER_STATE_PATHS.put, body, headers)).status).toBe(400)
  })
})
it('offer states require a member token; the health call also accepts a partner token', async () => {
  const partner = `Bearer ${await client.token()}`
  expect((await read(OFFER_STATE_PATHS.find, '', { authorization: partner })).status).toBe(401)
  expect((await read(OFFER_STATE_PATHS.find, '', { authorization: 'Bearer nothing' })).status).toBe(401)
  const received = await client.get(OFFER_STATE_PATHS.health, {
    'content-type': 'application/json',
    authorization: partner,
    'accept-language': 'FR',
    'channel-code': 'POS',
  })
  expect([received.status, JSON.parse(received.text)]).toEqual([
    200,
    [{ healthy: true, timestamp: expect.any(String) as string }],
  ])
  expect(
    (
      await client.get(OFFER_STATE_PATHS.health, {
        'content-type': 'application/json',
        authorization: partner,
        'channel-code': 'POS',
        'accept-language': 'DE',
      })
    ).status,
  ).toBe(400)
  expect((await client.get(OFFER_STATE_PATHS.health)).status).toBe(401)
})
