import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OfferListResponse, OfferResponse } from '../../../contracts/central/offers.ts'
import { FINE, openRehearsal, type Rehearsal } from '../rehearsal.fixture.ts'
import { makeOffers } from '../seed/offers.ts'

let client: Rehearsal
let member: Record<string, string>
beforeEach(async () => {
  client = await openRehearsal()
  member = { authorization: `Bearer ${await client.memberToken()}`, 'x-origin-client': 'internal:pos:milepost' }
})
afterEach(() => client.close())

const ORIGIN = { 'x-origin-client': 'internal:pos:milepost' }
const list = async (query: string, headers: Record<string, string> = member) =>
  OfferListResponse.parse((await client.get(`/offers?${query}`, headers)).body)
const put = (id: string, states: unknown, headers: Record<string, string> = member) =>
  client.put(`/offers/${id}/states`, { states }, headers)
const SAVED = { name: 'SAVE', value: 'SAVED' }
const UNSAVED = { name: 'SAVE', value: 'UNSAVED' }
const OPTED_IN = { name: 'OPT_IN', value: 'OPTED_IN' }

describe('PUT /offers/{id}/states', () => {
  it('sets an offer as saved, not saved and opted in; only the same collector gets these states', async () => {
    const id = (await list('region=ON')).offers[3]?.id ?? ''
    const one = async (headers: Record<string, string>) =>
      OfferResponse.parse((await client.get(`/offers/${id}?region=ON`, headers)).body).offer?.states
    expect(await one(member)).toEqual([])
    const received = await put(id, [SAVED, OPTED_IN], {
      ...member,
      'x-correlation-id': '3e8b9c52-7d66-4f0e-9a55-1d2f3a4b5c6d',
    })
    expect([received.status, received.text, received.headers.get('x-correlation-id')]).toEqual([
      204,
      '',
      '3e8b9c52-7d66-4f0e-9a55-1d2f3a4b5c6d',
    ])
    expect(await one(member)).toMatchObject([
      { ...SAVED, updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string },
      OPTED_IN,
    ])
    await put(id, [UNSAVED])
    expect(await one(member)).toMatchObject([UNSAVED, OPTED_IN])
    expect(await one(ORIGIN)).toBeUndefined()
    expect(
      await one({ ...ORIGIN, authorization: `Bearer ${await client.token()}`, 'collector-number': '80000000022' }),
    ).toEqual([])
    await client.restart()
    expect(
      await one({ ...ORIGIN, authorization: `Bearer ${await client.token()}`, 'collector-number': FINE }),
    ).toMatchObject([UNSAVED, OPTED_IN])
  })
  it.each([
    ['an unknown name', [{ name: 'LIKE', value: 'SAVED' }]],
    ['a value of the other state', [{ name: 'OPT_IN', value: 'SAVED' }]],
    ['an empty list', []],
    ['no list', undefined],
  ])('refuses the invalid change %s', async (_case, states) => {
    const id = (await list('region=ON')).offers[0]?.id ?? ''
    expect((await put(id, states)).status).toBe(400)
  })
  it('requires a member token', async () => {
    const id = (await list('region=ON')).offers[0]?.id ?? ''
    expect((await put(id, [SAVED], ORIGIN)).status).toBe(401)
    expect(
      (await put(id, [SAVED], { ...ORIGIN, authorization: `Bearer ${await client.token()}`, 'collector-number': FINE }))
        .status,
    ).toBe(403)
  })
  it('answers 404 for a targeted offer of other collectors, as for an unknown offer', async () => {
    const other = { ...ORIGIN, authorization: `Bearer ${await client.memberToken('80000000022')}` }
    const targeted = makeOffers(7, Date.now()).find((offer) => !offer.massOffer)?.id ?? ''
    expect((await put(targeted, [SAVED], other)).status).toBe(404)
    expect((await put(targeted, [SAVED])).status).toBe(204)
    expect((await put('00000000-0000-4000-8000-000000000000', [SAVED])).status).toBe(404)
  })
})

describe('the list of offers for a collector', () => {
  it('limited to saved offers ignores all filters but the region, even invalid ones, and has pages', async () => {
    const ids = (await list('region=ON&limit=30')).offers.slice(20, 25).map((offer) => offer.id)
    for (const id of ids) await put(id, [SAVED])
    await put(ids[0] ?? '', [UNSAVED])
    const saved = await list('region=ON&states=SAVED&type=nothing&partner_id=seven&sort=price&mass_offer=maybe')
    expect(saved.offers.map((offer) => offer.id)).toEqual(ids.slice(1))
    expect(saved.metadata.total).toBe(4)
    expect((await list('region=ON&states=SAVED&limit=2&offset=1')).offers.map((offer) => offer.id)).toEqual(
      ids.slice(2, 4),
    )
    expect((await client.get('/offers?states=SAVED', member)).status).toBe(400)
    expect((await client.get('/offers?region=ON&states=SAVED', ORIGIN)).status).toBe(400)
  })
  it('limited to opted-in offers also applies the other filters', async () => {
    const [first, second] = (await list('region=ON')).offers
    await put(first?.id ?? '', [OPTED_IN])
    await put(second?.id ?? '', [SAVED])
    expect((await list('region=ON&states=OPTED_IN')).offers.map((offer) => offer.id)).toEqual([first?.id])
    expect((await list(`region=ON&states=OPTED_IN&exclude_partner_id=${first?.partnerId}`)).offers).toEqual([])
  })
  it('can be sorted by a collector’s preferences; a caller without a collector is refused this order', async () => {
    const categories = (await list('region=ON&sort=collectorRelevance&limit=96')).offers.map(
      (offer) => offer.categoryId,
    )
    const other = (
      await list('region=ON&sort=collectorRelevance&limit=96', {
        ...ORIGIN,
        authorization: `Bearer ${await client.memberToken('80000000022')}`,
      })
    ).offers.map((offer) => offer.categoryId)
    expect(new Set(categories.slice(0, 5)).size).toBe(1)
    expect(other[0]).not.toBe(categories[0])
    expect((await client.get('/offers?region=ON&sort=collectorRelevance', ORIGIN)).status).toBe(400)
  })
  it('can be sorted by popularity, in another order per region', async () => {
    const [ontario, quebec] = [
      await list('region=ON&sort=regionRelevance'),
      await list('region=QC&sort=regionRelevance'),
    ]
    expect(ontario.offers.map((offer) => offer.id)).not.toEqual(quebec.offers.map((offer) => offer.id))
  })
  it('uses the parameters bound to the X-Origin-Client, which override those of the request', async () => {
    const feed = await list('region=ON&program_type=traditionalcore&limit=96', {
      'x-origin-client': 'external:web:cardlinked-feed',
    })
    expect(feed.offers.length).toBeGreaterThan(0)
    expect(feed.offers.every((offer) => offer.programType === 'cardlinked' && (offer.cardType?.length ?? 0) > 0)).toBe(
      true,
    )
    const ends = feed.offers.map((offer) => offer.endDate)
    expect(ends).toEqual([...ends].sort())
  })
})
