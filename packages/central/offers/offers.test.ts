import { decode } from 'fast-png'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OfferListResponse, OfferResponse, type Offer } from '../../../contracts/central/offers.ts'
import { Region } from '../../../contracts/core/regions.ts'
import { makeOffers } from '../seed/offers.ts'
import { FINE, openRehearsal, type Received, type Rehearsal } from '../rehearsal.fixture.ts'
import { drawPicture, pictureAddress } from './pictures.ts'

let client: Rehearsal
beforeAll(async () => {
  client = await openRehearsal()
})
afterAll(() => client.close())

const ORIGIN = { 'x-origin-client': 'internal:pos:milepost' }
const list = (query: string, headers: Record<string, string> = {}) =>
  client.get(`/offers?${query}`, { ...ORIGIN, ...headers })
const pageOf = (received: Received): OfferListResponse => OfferListResponse.parse(received.body)
const offersOf = async (query: string, headers?: Record<string, string>): Promise<Offer[]> =>
  pageOf(await list(`${query}&limit=96`, headers)).offers
const asCollector = async (collectorNumber = FINE) => ({
  authorization: `Bearer ${await client.token()}`,
  'collector-number': collectorNumber,
})
const seeded = () => makeOffers(7, Date.now())

describe('the list of offers', () => {
  it.each(Region.options)(
    'has at least forty live public offers in the region %s, in both languages',
    async (region) => {
      const english = await offersOf(`region=${region}`)
      const french = await offersOf(`region=${region}`, { 'accept-language': 'fr-CA' })
      expect(english.length).toBeGreaterThanOrEqual(40)
      expect(french.map((offer) => offer.id)).toEqual(english.map((offer) => offer.id))
      for (const [index, offer] of english.entries())
        expect(french[index]?.qualifierShort).not.toBe(offer.qualifierShort)
      expect(english.every((offer) => offer.massOffer && offer.states === undefined)).toBe(true)
    },
  )
  it('returns twenty offers if no limit is requested, and its pages have no gaps', async () => {
    const whole = await offersOf('region=ON')
    const first = pageOf(await list('region=ON'))
    expect(first.offers).toHaveLength(20)
    expect(first.metadata.total).toBeGreaterThan(96)
    const pages = [
      ...pageOf(await list('region=ON&limit=7&offset=2')).offers,
      ...pageOf(await list('region=ON&limit=7&offset=9')).offers,
    ]
    expect(pages.map((offer) => offer.id)).toEqual(whole.slice(2, 16).map((offer) => offer.id))
  })
  it('sorts by promotion by default, and by end date on request', async () => {
    const promotions = (await offersOf('region=ON')).map((offer) => offer.promotionId ?? '~')
    expect(promotions).toEqual([...promotions].sort())
    const ends = (await offersOf('region=ON&sort=endingSoon')).map((offer) => offer.endDate)
    expect(ends).toEqual([...ends].sort())
  })
  it('combines the values of a filter with OR, and different filters with AND', async () => {
    const all = await offersOf('region=ON')
    const [a, b] = [...new Set(all.map((offer) => offer.partnerId))]
    const found = await offersOf(`region=ON&partner_id=${a},${b}&program_type=traditionalcore`)
    const wanted = all.filter((offer) => [a, b].includes(offer.partnerId) && offer.programType === 'traditionalcore')
    expect(wanted.length).toBeGreaterThan(0)
    expect(found.map((offer) => offer.id)).toEqual(wanted.map((offer) => offer.id))
    expect((await offersOf(`region=ON&exclude_partner_id=${a}`)).some((offer) => offer.partnerId === a)).toBe(false)
  })
  it('counts the filtered offers per partner and category on request', async () => {
    expect(pageOf(await list('region=ON')).metadata.partners).toBeUndefined()
    const { metadata } = pageOf(await list('region=ON&extended_metadata=true'))
    expect(metadata.partners?.reduce((sum, partner) => sum + partner.count, 0)).toBe(metadata.total)
    expect(metadata.categories?.some((category) => (category.subCategories?.length ?? 0) > 0)).toBe(true)
    const elsewhere = pageOf(await list('region=YT&extended_metadata=true')).metadata
    expect(elsewhere.categories).toEqual(metadata.categories)
    const spend = pageOf(await list('region=ON&extended_metadata=true&type=spend')).metadata
    expect(spend.partners?.reduce((sum, partner) => sum + partner.count, 0)).toBe(spend.total)
    expect(spend.total).toBeLessThan(metadata.total)
  })
  it('shows targeted offers only to their collectors', async () => {
    const mine = await offersOf('region=ON&mass_offer=false', await asCollector())
    expect(mine.length).toBeGreaterThan(0)
    expect(await offersOf('region=ON&mass_offer=false', await asCollector('80000000022'))).toEqual([])
  })
  it.each([
    'limit=5',
    'region=XX',
    'region=ON&region=QC',
    'region=ON,QC',
    'region=ON&limit=0',
    'region=ON&limit=97',
    'region=ON&offset=-1',
    'region=ON&partner_id=7',
    'region=ON&sort=price',
    'region=ON&states=SAVED',
    'region=ON&mass_offer=false',
    'region=ON&surprise=1',
  ])('refuses the invalid query %s', async (query) => {
    const received = await list(query)
    expect([received.status, received.body.message, Array.isArray(received.body.errors)]).toEqual([
      400,
      'Bad request',
      true,
    ])
  })
})

describe('a request for offers', () => {
  it('requires a valid X-Origin-Client header', async () => {
    expect((await client.get('/offers?region=ON')).status).toBe(400)
    expect((await client.get('/offers?region=ON', { 'x-origin-client': 'pos' })).status).toBe(400)
  })
  it('gets its correlation id in the answer, or a new one', async () => {
    const id = '3e8b9c52-7d66-4f0e-9a55-1d2f3a4b5c6d'
    expect((await list('region=ON', { 'x-correlation-id': id })).headers.get('x-correlation-id')).toBe(id)
    expect((await list('region=ON')).headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect((await list('region=ON', { 'x-correlation-id': 'seven' })).status).toBe(400)
  })
  it('is refused with an unknown language or token', async () => {
    expect((await list('region=ON', { 'accept-language': 'de-DE' })).status).toBe(400)
    expect((await list('region=ON', { authorization: 'Bearer nothing' })).status).toBe(401)
  })
})

describe('a single offer', () => {
  const one = async (id: string, region = 'ON', headers: Record<string, string> = {}) =>
    OfferResponse.parse((await client.get(`/offers/${id}?region=${region}`, { ...ORIGIN, ...headers })).body)
  const local = (): string => new Date().toISOString().slice(0, 19)

  it('has no warning if it is live', async () => {
    const [offer] = await offersOf('region=ON')
    expect(await one(offer?.id ?? '')).toEqual({ offer, warning: null })
  })
  it('has the warning err-region in other regions', async () => {
    const offer = seeded().find(
      (candidate) =>
        candidate.massOffer &&
        candidate.endDate > local() &&
        candidate.displayDate < local() &&
        !candidate.regions.includes('ON'),
    )
    const answer = await one(offer?.id ?? '')
    expect([answer.offer?.id, answer.warning?.errorCode]).toEqual([offer?.id, 'err-region'])
  })
  it('has the warning err-login-required if it is targeted and the caller names no collector', async () => {
    const offer = seeded().find((candidate) => !candidate.massOffer)
    const answer = await one(offer?.id ?? '')
    expect([answer.offer?.id, answer.warning?.errorCode]).toEqual([offer?.id, 'err-login-required'])
    expect(await one(offer?.id ?? '', 'ON', await asCollector('80000000022'))).toMatchObject({
      warning: { errorCode: 'err-exclusive' },
    })
  })
  it.each([
    ['err-expired', (now: string) => seeded().find((offer) => offer.endDate < now)?.id],
    ['err-not-live', (now: string) => seeded().find((offer) => offer.displayDate > now)?.id],
    ['err-not-found', () => '00000000-0000-4000-8000-000000000000'],
    ['err-not-found', () => 'no-id'],
    ['err-not-found', () => 'x'.repeat(300)],
  ])('is withheld with the warning %s', async (code, find) => {
    const answer = await one(find(local()) ?? '')
    expect([answer.offer, answer.warning?.errorCode]).toEqual([undefined, code])
  })
})

describe('pictures', () => {
  it('offers of the training store have small pictures of their product', () => {
    const offers = makeOffers(7, Date.parse('2026-11-20T15:00:00Z'))
    const drawn = offers.filter(({ partnerSlug }) => partnerSlug === 'northstar')
    const addresses = new Set(drawn.map((offer) => pictureAddress(offer, 'http://127.0.0.1:4180')))
    expect(addresses.size).toBeGreaterThan(3)
    for (const address of addresses) {
      const picture = drawPicture(new URL(address).pathname.split('/').at(-1) ?? '')
      if (!picture) throw new Error(`nothing is drawn for ${address}`)
      expect(picture.byteLength).toBeLessThan(8_192)
      expect(decode(picture)).toMatchObject({ width: 192, height: 144, channels: 3 })
    }
    const coffee = drawn.find(({ copy }) => copy['en-US'].qualifierShort.includes('coffee'))
    expect(coffee && pictureAddress(coffee, '')).toBe('/offer-images/cup.png')
  })

  it("pictures of other partners' offers have unreachable addresses, and other picture files do not exist", () => {
    const [other] = makeOffers(7, 0).filter(({ partnerSlug }) => partnerSlug !== 'northstar')
    expect(other && new URL(pictureAddress(other, 'http://127.0.0.1')).hostname).toBe('images.miles.example')
    for (const name of ['constructor.png', 'cup', 'cup.jpg', '../cup.png', '']) expect(drawPicture(name)).toBeNull()
  })
})
