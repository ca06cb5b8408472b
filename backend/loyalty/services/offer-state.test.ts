import { expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { json, openRawServer } from '../../../packages/lab/testing/raw-server.ts'
import { withoutLaneToken, type LaneAccess, contextTo } from '../../../packages/lab/testing/services-transport.ts'
import { createOfferStateClient, type OfferStateClient } from './offer-state.ts'
import { createOffersClient } from './offers.ts'
import type { ServiceResult } from '../../core/central/service-result.ts'
import { trainingProfile } from '../../../packages/lab/testing/loyalty-harness.ts'
import { systemClock } from '../../core/clock.ts'

const central = useCentral()
const originClient = 'internal:pos:milepost'
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/
const UNREACHABLE = '00000000-0000-4000-8000-000000000000'
const AT = Date.parse('2026-11-21T06:00:00Z')

const client = (access: LaneAccess = central): OfferStateClient =>
  createOfferStateClient(
    contextTo(access, {
      profile: { ...trainingProfile(), timeZone: 'America/St_Johns' },
      clock: { ...systemClock, now: () => AT },
    }),
  )

function bodyOf<Body>(result: ServiceResult<Body>): Body {
  if (result.kind === 'failed') throw new Error(`${result.cause} ${result.code}`)
  return result.body
}

async function someOffers(count: number): Promise<string[]> {
  const offers = createOffersClient(contextTo(central))
  return bodyOf(await offers.list({ region: 'ON', limit: count }, { locale: 'en-CA' })).offers.map(({ id }) => id)
}

test('the offer-state calls put, find, get and count give consistent results on the reference service', async () => {
  const states = client()
  const member = { memberToken: await central.memberToken('80000000022') }
  const [saved = '', opted = '', untouched = ''] = await someOffers(3)
  const before = bodyOf(await states.count({}, member))
  const stored = states.storedPut({
    stateChanges: [
      { offerId: saved, states: [{ name: 'SAVE', value: 'SAVED' }] },
      {
        offerId: opted,
        states: [
          { name: 'SAVE', value: 'SAVED' },
          { name: 'OPT_IN', value: 'OPTED_IN' },
        ],
      },
    ],
  })
  const put = await states.sendPut(stored, { ...member, correlationId: UNREACHABLE })
  expect(put).toMatchObject({ kind: 'ok', status: 204, correlationId: UNREACHABLE })
  const [written] = await central.requests('/offers/state-writer/v1/put')
  expect(written?.headers).toMatchObject({
    accept: 'application/json',
    'content-type': 'application/json',
    'x-origin-client': originClient,
  })

  const got = await states.get({ offerId: [saved, opted, untouched] }, member)
  expect(got).toMatchObject({ kind: 'ok', correlationId: expect.stringMatching(UUID) as string })
  expect(bodyOf(got)).toMatchObject({ requestedCount: 3, returnedCount: 2 })
  expect(
    Object.fromEntries(
      bodyOf(got).records.map(({ offerId, states }) => [
        offerId,
        states.map(({ name, value }) => `${name}:${value}`).sort(),
      ]),
    ),
  ).toEqual({ [saved]: ['SAVE:SAVED'], [opted]: ['OPT_IN:OPTED_IN', 'SAVE:SAVED'] })
  const [asked] = await central.requests('/offers/state-reader/v1/get')
  expect(asked?.headers).toMatchObject({ 'x-local-time': '2026-11-21T02:30:00', 'content-type': 'application/json' })

  const found = bodyOf(
    await states.find(
      { state: ['SAVE:SAVED'], region: 'ON', firstSortBy: 'offerId', firstSortByDescending: true },
      member,
    ),
  )
  const ids = found.records.map(({ offerId }) => offerId)
  expect(ids).toEqual(ids.toSorted().reverse())
  expect(ids).toEqual(expect.arrayContaining([saved, opted]))
  expect(found).toMatchObject({ returnedCount: ids.length, requestedCount: null })
  const second = bodyOf(
    await states.find({ state: ['SAVE:SAVED'], firstSortBy: 'offerId', pageNumber: 1, pageSize: 1 }, member),
  )
  expect(second.records.map(({ offerId }) => offerId)).toEqual([ids.toSorted()[1]])
  expect(bodyOf(await states.count({}, member))).toBe(before + 2)
  expect(bodyOf(await states.count({ state: ['OPT_IN:OPTED_IN'] }, member))).toBe(1)
  expect(bodyOf(await states.get({ offerId: [untouched] }, member))).toMatchObject({ records: [], returnedCount: 0 })
})

test('the health check of the offer-state service uses the lane’s token, channel and language', async () => {
  expect(bodyOf(await client().health({ locale: 'fr-CA' }))).toBe(true)
  const [asked] = await central.requests('/offers/state-reader/health')
  expect(asked?.headers).toMatchObject({ 'channel-code': 'pos', 'accept-language': 'FR' })
})

test('the offer service rejects a change with an unknown offer as a whole, and a revoked member token', async () => {
  const states = client()
  const member = { memberToken: await central.memberToken('80000000022') }
  const [real = ''] = await someOffers(1)
  const optIn = [{ name: 'OPT_IN', value: 'OPTED_IN' }] as const
  const before = bodyOf(await states.count({ state: ['OPT_IN:OPTED_IN'] }, member))
  expect(
    await states.sendPut(
      states.storedPut({ stateChanges: [real, UNREACHABLE].map((offerId) => ({ offerId, states: [...optIn] })) }),
      member,
    ),
  ).toMatchObject({ kind: 'failed', cause: 'not-found', code: 'HTTP 404', errorCode: '404' })
  expect(bodyOf(await states.count({ state: ['OPT_IN:OPTED_IN'] }, member))).toBe(before)
  await central.revokeTokens()
  expect(await states.count({}, member)).toMatchObject({ cause: 'refused', code: 'HTTP 401' })
})

test('the offer-state call “find” has the specified parameters, and “get” has one offerId per offer', async () => {
  const server = await openRawServer(({ socket }) => {
    socket.end(json(200, { returnedCount: 0 }))
  })
  const states = client(withoutLaneToken(server.url))
  await states.find(
    {
      state: ['SAVE:SAVED', 'OPT_IN:OPTED_IN'],
      partnerId: ['p1', 'p2'],
      region: 'QC',
      firstSortBy: 'endDate',
      firstSortByDescending: true,
      secondSortBy: 'offerId',
      secondSortByDescending: false,
      pageNumber: 0,
      pageSize: 50,
    },
    { memberToken: 'member-1' },
  )
  await states.get({ offerId: ['o1', 'o2'] }, { memberToken: 'member-1' })
  const [find, get] = server.requests.map(({ head }) => new URL(head.split(' ')[1] ?? '', server.url).searchParams)
  expect(Object.fromEntries(find ?? [])).toEqual({
    state: 'SAVE:SAVED,OPT_IN:OPTED_IN',
    partnerId: 'p1,p2',
    region: 'QC',
    firstSortBy: 'endDate',
    firstSortByDescending: 'true',
    secondSortBy: 'offerId',
    secondSortByDescending: 'false',
    pageNumber: '0',
    pageSize: '50',
  })
  expect(get?.getAll('offerId')).toEqual(['o1', 'o2'])
  expect(server.requests[0]?.head).toMatch(/^authorization: Bearer member-1\r?$/im)
})

test.each([
  ['unhealthy', 200, [{ healthy: false, timestamp: 'now' }], { kind: 'ok', body: false }],
  [
    'one of two components healthy',
    200,
    [true, false].map((healthy) => ({ healthy, timestamp: '' })),
    { kind: 'ok', body: false },
  ],
  ['an empty list', 200, [], { kind: 'failed', cause: 'malformed' }],
  ['HTTP 500', 500, {}, { kind: 'failed', cause: 'server-error', code: 'HTTP 500' }],
])(
  'a health check of the offer-state service with the answer “%s” does not report it as healthy',
  async (_what, status, body, expected) => {
    const server = await openRawServer(({ head, socket }) => {
      socket.end(
        head.startsWith('POST ')
          ? json(200, { access_token: 'lane-token', token_type: 'Bearer', expires_in: 60 })
          : json(status, body),
      )
    })
    expect(await client(withoutLaneToken(server.url)).health({ locale: 'en-CA' })).toMatchObject(expected)
  },
)

test('an invalid offer-state record is skipped, and missing states count as empty (specification 2 §1)', async () => {
  const saved = [{ name: 'SAVE', value: 'SAVED' }]
  const other = '00000000-0000-4000-8000-000000000001'
  const offers = [
    { offerId: UNREACHABLE, states: saved },
    'no record',
    { offerId: 7, states: saved },
    { offerId: other },
  ]
  const server = await openRawServer(({ socket }) => {
    socket.end(json(200, { offers, returnedCount: 4 }))
  })
  const found = bodyOf(await client(withoutLaneToken(server.url)).find({}, { memberToken: 'm' }))
  expect(found.records).toEqual([
    { offerId: UNREACHABLE, states: saved },
    { offerId: other, states: [] },
  ])
})

test('values of offer states are read in any letter case (specification 2 §1)', async () => {
  const record = {
    offerId: UNREACHABLE,
    collectorId: '80000000011',
    states: [{ name: 'Opt_In', value: 'opted_in', properties: {}, updatedAt: '2026-11-20T15:00:00.000000Z' }],
  }
  const server = await openRawServer(({ socket }) => {
    socket.end(json(200, { offers: [record], returnedCount: 1 }))
  })
  const found = bodyOf(await client(withoutLaneToken(server.url)).find({}, { memberToken: 'm' }))
  expect(found.records).toEqual([
    { offerId: UNREACHABLE, states: [{ name: 'OPT_IN', value: 'OPTED_IN', updatedAt: '2026-11-20T15:00:00.000000Z' }] },
  ])
})
