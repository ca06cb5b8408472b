import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { CollectorNumber } from '../../../contracts/core/ids.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { json, openRawServer, type RawServer } from '../../../packages/lab/testing/raw-server.ts'
import { withoutLaneToken, contextTo } from '../../../packages/lab/testing/services-transport.ts'
import { createOffersClient, type OfferListQuery, type OfferPage, type OffersClient } from './offers.ts'
import type { ServiceResult } from '../../core/central/service-result.ts'
import { trainingProfile } from '../../../packages/lab/testing/loyalty-harness.ts'

const central = useCentral()
const originClient = 'internal:pos:milepost'
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/
const UNREACHABLE = '00000000-0000-4000-8000-000000000000'

const client = (): OffersClient => createOffersClient(contextTo(central))
const far = (server: Pick<RawServer, 'url'>): OffersClient =>
  createOffersClient(contextTo(withoutLaneToken(server.url)))

function bodyOf<Body>(result: ServiceResult<Body>): Body {
  if (result.kind === 'failed') throw new Error(`${result.cause} ${result.code}`)
  return result.body
}

test('mass offers (not targeted) are requested without a token, in one region and language', async () => {
  const offers = client()
  const english = await offers.list({ region: 'ON', limit: 96 }, { locale: 'en-CA' })
  expect(english).toMatchObject({ kind: 'ok', status: 200, correlationId: expect.stringMatching(UUID) as string })
  const { offers: seen, metadata, received, leftOut } = bodyOf(english)
  expect(seen.length).toBeGreaterThan(5)
  expect([metadata.total > 96, received, leftOut]).toEqual([true, 96, []])
  expect(seen.every(({ massOffer, states }) => massOffer && states === undefined)).toBe(true)
  const french = bodyOf(await offers.list({ region: 'ON', limit: 96 }, { locale: 'fr-CA' }))
  expect(french.offers.map(({ id }) => id)).toEqual(seen.map(({ id }) => id))
  expect(french.offers.map(({ awardShort }) => awardShort)).not.toEqual(seen.map(({ awardShort }) => awardShort))
  const [request] = await central.requests('/offers')
  expect(request?.headers).toMatchObject({ 'x-origin-client': originClient, 'accept-language': 'en-US' })
  expect(request?.headers).not.toHaveProperty('authorization')
  expect(request?.headers).not.toHaveProperty('collector-number')
})

test('the reference service returns offers in pages, sorted and filtered', async () => {
  const offers = client()
  const page = async (query: Omit<OfferListQuery, 'region'>): Promise<OfferPage> =>
    bodyOf(await offers.list({ region: 'ON', limit: 96, ...query }, { locale: 'en-CA' }))
  const first = await page({ extendedMetadata: true })
  expect(await page({ offset: 2, limit: 3 })).toMatchObject({ offers: first.offers.slice(2, 5) })
  const rest = await page({ offset: first.received })
  expect(new Set([...first.offers, ...rest.offers].map(({ id }) => id)).size).toBe(first.metadata.total)
  const { partners: [one, other] = [], categories: [category] = [] } = first.metadata
  if (!one || !other || !category) throw new Error('the seed has two partners and a category')
  const both = await page({ partnerIds: [one.id, other.id] })
  expect(both.metadata.total).toBe(one.count + other.count)
  expect(new Set(both.offers.map(({ partnerId }) => partnerId))).toEqual(new Set([one.id, other.id]))
  expect((await page({ excludePartnerIds: [one.id] })).metadata.total).toBe(first.metadata.total - one.count)
  const ofCategory = await page({ categoryIds: [category.id], availability: ['online', 'in-store'] })
  expect(new Set(ofCategory.offers.map(({ categoryId }) => categoryId))).toEqual(new Set([category.id]))
  const soon = (await page({ sort: ['endingSoon'] })).offers.map(({ endDate }) => endDate)
  expect(soon).toEqual(soon.toSorted())
  expect(soon).not.toEqual(first.offers.map(({ endDate }) => endDate))
})

test('the sort of offers that end soon first is sent under its name in the profile', async () => {
  const server = await openRawServer(({ socket }) => {
    socket.end(json(200, { offers: [], metadata: { total: 0 } }))
  })
  const training = trainingProfile()
  const profile = { ...training, offers: { ...training.offers, sortTokens: { endingSoon: 'closing' } } }
  const offers = createOffersClient(contextTo(withoutLaneToken(server.url), { profile }))
  await offers.list({ region: 'ON', sort: ['regionRelevance', 'endingSoon'] }, { locale: 'en-CA' })
  expect(server.requests.map(({ head }) => head.split(' ')[1])).toEqual([
    '/offers?region=ON&sort=regionRelevance%2Cclosing',
  ])
})

test('a request for a list of offers has every parameter of specification 1 §4.2, and lists with commas', async () => {
  const server = await openRawServer(({ socket }) => {
    socket.end(json(200, { offers: [], metadata: { total: 0 } }))
  })
  await far(server).list(
    {
      region: 'TB',
      partnerIds: ['p1', 'p2'],
      categoryIds: ['c1'],
      subcategoryIds: ['s1', 's2'],
      promotionId: 'm',
      types: ['buy', 'spend'],
      programTypes: ['cardlinked', 'bankpreapp'],
      availability: ['online', 'in-store'],
      sort: ['collectorRelevance', 'endingSoon'],
      offset: 0,
      limit: 96,
      extendedMetadata: false,
      states: 'OPTED_IN',
      massOffer: false,
      eventBased: true,
      experiments: ['e1', 'e2'],
      excludePartnerIds: ['x'],
    },
    { locale: 'fr-CA', memberToken: 'member-1' },
  )
  await far(server).list({ region: 'ON', partnerIds: [] }, { locale: 'en-CA' })
  const [full, least] = server.requests.map(({ head }) => head)
  expect(Object.fromEntries(new URL(full?.split(' ')[1] ?? '', server.url).searchParams)).toEqual({
    region: 'TB',
    partner_id: 'p1,p2',
    category_id: 'c1',
    subcategory_id: 's1,s2',
    promotion_id: 'm',
    type: 'buy,spend',
    program_type: 'cardlinked,bankpreapp',
    availability: 'online,in-store',
    sort: 'collectorRelevance,endingSoon',
    offset: '0',
    limit: '96',
    extended_metadata: 'false',
    states: 'OPTED_IN',
    mass_offer: 'false',
    event_based: 'true',
    experiment: 'e1,e2',
    exclude_partner_id: 'x',
  })
  expect(full).toMatch(/^authorization: Bearer member-1\r?$/im)
  expect(full).toMatch(/^accept-language: fr-CA\r$/im)
  expect(full).not.toMatch(/^collector-number:/im)
  expect(least).toMatch(/^GET \/offers\?region=ON HTTP/)
})

test('an offer query that the service cannot accept is rejected without being sent', async () => {
  const server = await openRawServer(({ socket }) => socket.destroy())
  const list = (query: Omit<OfferListQuery, 'region'>): Promise<unknown> =>
    far(server).list({ region: 'ON', ...query }, { locale: 'en-CA' })
  for (const limit of [0, 97, 1.5]) await expect(list({ limit })).rejects.toThrow('limit is 1 to 96')
  await expect(list({ offset: -1 })).rejects.toThrow('offset')
  for (const query of [{ states: 'SAVED' }, { massOffer: true }, { sort: ['collectorRelevance'] }] as const)
    await expect(list(query)).rejects.toThrow('need a member token')
  await expect(
    far(server).list(
      { region: 'ON' },
      { locale: 'en-CA', memberToken: 'm', collectorNumber: CollectorNumber.parse('80000000011') },
    ),
  ).rejects.toThrow('must not go with a member token')
  expect(server.requests).toEqual([])
})

test('offer states after a save, an opt-in and an unsave are returned only to requests for this member', async () => {
  const offers = client()
  const memberToken = await central.memberToken()
  const reader = { locale: 'en-CA', memberToken } as const
  const targeted = bodyOf(await offers.list({ region: 'ON', massOffer: false, limit: 1 }, reader)).offers[0]
  if (!targeted) throw new Error('the seed has an offer for this collector')
  const put = await offers.sendStates(
    offers.storedStates(targeted.id, [
      { name: 'SAVE', value: 'SAVED' },
      { name: 'OPT_IN', value: 'OPTED_IN' },
    ]),
    { memberToken, correlationId: UNREACHABLE },
  )
  expect(put).toMatchObject({ kind: 'ok', status: 204, correlationId: UNREACHABLE })
  const [sent] = await central.requests(`/offers/${targeted.id}/states`)
  expect(sent?.headers).toMatchObject({ 'content-type': 'application/json', 'x-origin-client': originClient })
  expect(sent?.headers).not.toHaveProperty('collector-number')
  const saved = async (): Promise<string[]> =>
    bodyOf(await offers.list({ region: 'ON', states: 'SAVED' }, reader)).offers.map(({ id }) => id)
  expect(await saved()).toContain(targeted.id)
  const stored = offers.storedStates(targeted.id, [{ name: 'SAVE', value: 'UNSAVED' }])
  expect(stored).toMatchObject({ method: 'PUT', path: `/offers/${targeted.id}/states` })
  for (const _again of [1, 2]) expect(await offers.sendStates(stored, { memberToken })).toMatchObject({ kind: 'ok' })
  expect(await saved()).not.toContain(targeted.id)
  const targetedBody = bodyOf(await offers.detail(targeted.id, 'ON', reader))
  expect(targetedBody.offer?.states?.map(({ name, value }) => `${name} ${value}`).sort()).toEqual([
    'OPT_IN OPTED_IN',
    'SAVE UNSAVED',
  ])
  const byLane = await offers.detail(targeted.id, 'ON', {
    locale: 'en-CA',
    collectorNumber: CollectorNumber.parse('80000000011'),
  })
  expect(bodyOf(byLane).offer?.states, 'the lane asks for the same collector').toEqual(targetedBody.offer?.states)
  const publicly = bodyOf(await offers.detail(targeted.id, 'ON', { locale: 'en-CA' }))
  expect([publicly.offer?.id, publicly.offer?.states]).toEqual([targeted.id, undefined])
  expect(publicly.warning?.errorCode).toBe('err-login-required')
})

test('an offer of another region is returned with a warning; for an unknown offer only a warning', async () => {
  const offers = client()
  const reader = { locale: 'fr-CA' } as const
  const [inOntario, inQuebec] = await Promise.all(
    (['ON', 'QC'] as const).map(async (region) => bodyOf(await offers.list({ region, limit: 96 }, reader)).offers),
  )
  const elsewhere = inQuebec?.find(({ id }) => !inOntario?.some((offer) => offer.id === id))
  if (!elsewhere) throw new Error('the seed has an offer of Quebec alone')
  expect(bodyOf(await offers.detail(elsewhere.id, 'QC', reader))).toMatchObject({ warning: null })
  expect(bodyOf(await offers.detail(elsewhere.id, 'ON', reader))).toMatchObject({
    offer: { id: elsewhere.id },
    warning: { errorCode: 'err-region' },
  })
  for (const id of [UNREACHABLE, 'no/id?at all'])
    expect(bodyOf(await offers.detail(id, 'ON', reader))).toMatchObject({
      offer: null,
      warning: { errorCode: 'err-not-found' },
    })
})

test('a refused change of an offer has the service’s reason: unknown offer, revoked token', async () => {
  const offers = client()
  const memberToken = await central.memberToken()
  const optIn = [{ name: 'OPT_IN', value: 'OPTED_IN' }] as const
  expect(await offers.sendStates(offers.storedStates(UNREACHABLE, optIn), { memberToken })).toMatchObject({
    kind: 'failed',
    cause: 'not-found',
    code: 'HTTP 404',
    errorCode: 'err-not-found',
    correlationId: expect.stringMatching(UUID) as string,
  })
  await central.revokeTokens()
  expect(await offers.sendStates(offers.storedStates(UNREACHABLE, optIn), { memberToken })).toMatchObject({
    cause: 'refused',
    code: 'HTTP 401',
  })
  expect(await offers.list({ region: 'ON' }, { locale: 'en-CA', memberToken })).toMatchObject({ cause: 'refused' })
})

test.each([
  ['maintenance', 503, {}, 'maintenance', 'HTTP 503', null],
  ['an error of the service', 500, { errors: [{ errorCode: 'E-1' }] }, 'server-error', 'HTTP 500', 'E-1'],
  ['a gateway timeout', 504, {}, 'timeout', 'HTTP 504', null],
  ['a bad request', 400, { errors: [{ errorCode: 'a sentence of somebody' }] }, 'bad-request', 'HTTP 400', null],
  ['a text instead of a list', 200, 'welcome', 'malformed', 'HTTP 200', null],
  ['a list without its total', 200, { offers: [] }, 'malformed', 'HTTP 200', null],
  ['a redirect', 302, {}, 'malformed', 'HTTP 302', null],
])('the cause of a failed request for offers is reported: %s', async (_what, status, body, cause, code, errorCode) => {
  const server = await openRawServer(({ socket }) => {
    socket.end(json(status, body, { 'x-correlation-id': 'theirs' }))
  })
  expect(await far(server).list({ region: 'ON' }, { locale: 'en-CA' })).toEqual({
    kind: 'failed',
    cause,
    code,
    errorCode,
    correlationId: 'theirs',
  })
})

test('an answer with neither offer nor warning is rejected; an offer with wrong field types is skipped', async () => {
  const server = await openRawServer(({ head, socket }) => {
    socket.end(
      json(
        200,
        head.startsWith('GET /offers/')
          ? {}
          : { offers: [{ id: 7 }], metadata: { total: 1, partners: 'many', categories: null } },
      ),
    )
  })
  expect(await far(server).detail(UNREACHABLE, 'ON', { locale: 'en-CA' })).toMatchObject({ cause: 'malformed' })
  const page = bodyOf(await far(server).list({ region: 'ON' }, { locale: 'en-CA' }))
  expect(page).toMatchObject({ offers: [], received: 1, metadata: { total: 1 } })
  expect(page.leftOut[0]).toContain('id')
})

test('an offer service without an answer is reported as a timeout, without a connection as unreachable', async () => {
  const silent = await openRawServer(() => undefined)
  const asked = far(silent).list({ region: 'ON' }, { locale: 'en-CA', timeoutMs: 50 })
  expect(await asked).toMatchObject({
    cause: 'timeout',
    code: null,
    correlationId: expect.stringMatching(UUID) as string,
  })
  const refused = createServer()
  const url = await new Promise<string>((resolve) => {
    refused.listen(0, '127.0.0.1', () => {
      const address = refused.address()
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
    })
  })
  await new Promise((resolve) => {
    refused.close(resolve)
  })
  expect(await far({ url }).list({ region: 'ON' }, { locale: 'en-CA' })).toMatchObject({
    cause: 'unreachable',
    code: 'ECONNREFUSED',
  })
})

test('an offer with invalid dates is skipped; invalid amounts of an offer are ignored', async () => {
  const [real] = bodyOf(await client().list({ region: 'ON', limit: 1 }, { locale: 'en-CA' })).offers
  const tier = (awardValue: unknown, qualifierValue: unknown): object => ({
    awardValue,
    qualifierValue,
    awardLong: 'miles',
    qualifierLong: 'spend',
  })
  const odd = [
    { ...real, id: UNREACHABLE, endDate: 'soon' },
    { ...real, id: UNREACHABLE, startDate: '2026-13-45T00:00:00' },
    { ...real, id: UNREACHABLE, displayDate: '2026-11-20T00:00:00Z' },
    { ...real, tiers: [tier(-5, 1e308), tier('50', null), tier(50, 20)] },
  ]
  const server = await openRawServer(({ socket }) => {
    socket.end(json(200, { offers: odd, metadata: { total: 4 } }))
  })
  const { offers, leftOut } = bodyOf(await far(server).list({ region: 'ON' }, { locale: 'en-CA' }))
  expect(leftOut).toEqual([['endDate'], ['startDate'], ['displayDate']])
  expect(offers.map(({ tiers }) => tiers.map((each) => [each.awardValue, each.qualifierValue]))).toEqual([
    [
      [undefined, undefined],
      [undefined, undefined],
      [50, 20],
    ],
  ])
})

test('null fields of an offer count as absent; an invalid picture, priority or link is ignored', async () => {
  const [real] = bodyOf(await client().list({ region: 'ON', limit: 1 }, { locale: 'en-CA' })).offers
  const none = { promotionId: null, promotionLabel: null, description: null, legalText: null, image: null }
  const odd = { displayPriority: 1.5, image: 'https://x', partnerLogo: null, ctaUrl: ['x'], cardType: 'any' }
  const server = await openRawServer(({ socket }) => {
    socket.end(json(200, { offers: [{ ...real, ...none, ...odd }], metadata: { total: 1 } }))
  })
  const { offers, leftOut } = bodyOf(await far(server).list({ region: 'ON' }, { locale: 'en-CA' }))
  expect(leftOut).toEqual([])
  expect(offers).toMatchObject([{ id: real?.id, awardShort: real?.awardShort, mechanisms: real?.mechanisms }])
  expect(offers[0]?.promotionId).toBeUndefined()
})

test('an overloaded offer service (429) counts as unavailable, not as a refusal', async () => {
  const server = await openRawServer(({ socket }) => {
    socket.end(json(429, {}, { 'retry-after': '1' }))
  })
  const stored = far(server).storedStates(UNREACHABLE, [{ name: 'OPT_IN', value: 'OPTED_IN' }])
  const expected = { kind: 'failed', cause: 'maintenance', code: 'HTTP 429' }
  expect(await far(server).sendStates(stored, { memberToken: 'm' })).toMatchObject(expected)
  expect(await far(server).list({ region: 'ON' }, { locale: 'en-CA' })).toMatchObject(expected)
})

test('an overlong correlation id in an answer is replaced by the one that the lane sent', async () => {
  const server = await openRawServer(({ socket }) => {
    const head = `HTTP/1.1 500 No\r\nx-correlation-id: ${'x'.repeat(5_000)}\r\ncontent-length: 0\r\n\r\n`
    socket.end(head)
  })
  expect(await far(server).list({ region: 'ON' }, { locale: 'en-CA' })).toMatchObject({
    cause: 'server-error',
    correlationId: expect.stringMatching(UUID) as string,
  })
})
