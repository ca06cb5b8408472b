import { describe, expect, test } from 'vitest'
import { ManagerOfferAnswer, ManagerOfferPage, OfferLists, ShelfCardExport } from '../../../contracts/loyalty/offers.ts'
import { OfferListResponse, type Offer } from '../../../contracts/central/offers.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { textOfPdf } from '../../core/paper/pixels.fixture.ts'

const central = useCentral()
const DAY_MS = 86_400_000
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/
const UNREACHABLE = '00000000-0000-4000-8000-000000000000'

const manager = (): Promise<TerminalHarness> => openTerminalHarness(central, { staffId: 'sam' })
const page = async (here: TerminalHarness, query = ''): Promise<ManagerOfferPage> =>
  ManagerOfferPage.parse((await here.call('GET', `/api/manager/offers?${query}`)).body)
const one = async (here: TerminalHarness, id: string, query = ''): Promise<ManagerOfferAnswer> =>
  ManagerOfferAnswer.parse((await here.call('GET', `/api/manager/offers/${id}?${query}`)).body)
const refreshed = async (here: TerminalHarness): Promise<OfferLists> =>
  OfferLists.parse((await here.call('POST', '/api/manager/offer-lists/refresh')).body)

async function served(query: string, token?: string): Promise<Offer[]> {
  const headers = {
    'x-origin-client': 'internal:pos:test',
    // The default header of `fetch` is a language that the service refuses.
    'accept-language': 'en-US',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  const answer = await fetch(`${central.url}/offers?limit=96&${query}`, { headers })
  return OfferListResponse.parse(await answer.json()).offers
}
const silence = (): Promise<void> =>
  central.faults({ path: '/offers*', action: { kind: 'answer', status: 503, body: {} } })

describe("the manager's live list of offers", () => {
  test('contains every public offer of the region once, page by page, in the requested language', async () => {
    const here = await manager()
    const first = await page(here, 'limit=96')
    expect(first).toMatchObject({ source: 'service', offset: 0, failure: null, notApplied: [], fetchedAt: null })
    expect(first.total).toBeGreaterThan(96)
    const rest = await page(here, 'limit=96&offset=96')
    const ids = [...first.offers, ...rest.offers].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const french = await page(here, 'limit=96&locale=fr-CA')
    expect(french.offers.map(({ id }) => id)).toEqual(ids.slice(0, 96))
    expect(french.offers[0]?.award).toContain('milles')
    expect(first.offers[0]?.award).toContain('miles')
    expect((await page(here)).offers).toHaveLength(20)
  })

  test('is filtered by each parameter, and counts the offers for each filter value', async () => {
    const here = await manager()
    const all = await page(here)
    const [partner, other] = all.facets?.partners ?? []
    if (!partner || !other) throw new Error('the seed has two partners')
    const of = await page(here, `partner=${partner.id},${other.id}&limit=96`)
    expect(of.total).toBe(partner.count + other.count)
    expect(new Set(of.offers.map(({ partnerId }) => partnerId))).toEqual(new Set([partner.id, other.id]))
    const category = all.facets?.categories?.find(({ subcategories }) => subcategories.length > 0)
    const [subcategory] = category?.subcategories ?? []
    if (!category || !subcategory) throw new Error('the seed has a category with subcategories')
    const ofCategory = await page(here, `category=${category.id}&limit=96`)
    expect(new Set(ofCategory.offers.map((offer) => offer.category))).toEqual(new Set([category.label]))
    const ofSub = await page(here, `category=${category.id}&subcategory=${subcategory.id}`)
    expect(ofSub.total).toBeGreaterThan(0)
    expect(ofSub.total).toBeLessThan(ofCategory.total)
    const [buy, spend] = [await page(here, 'type=buy'), await page(here, 'type=spend')]
    expect([buy.total > 0, buy.total + spend.total]).toEqual([true, all.total])
    expect((await page(here, 'type=buy,spend')).total).toBe(all.total)
    const promoted = (await page(here, 'limit=96')).offers.find(({ promotion }) => promotion)?.promotion
    const ofPromotion = await page(here, `promotion=${promoted?.id}&limit=96`)
    expect(ofPromotion.offers.every(({ promotion }) => promotion?.id === promoted?.id)).toBe(true)
    const [events, others] = [await page(here, 'event=true'), await page(here, 'event=false')]
    expect([events.total > 0, events.total + others.total]).toEqual([true, all.total])
    expect((await page(here, `excludePartner=${partner.id}`)).total).toBe(all.total - partner.count)
    for (const filter of ['programType=cardlinked', 'availability=online', 'experiment=A,B'])
      expect((await page(here, filter)).total, filter).toBeLessThan(all.total)
    const ends = (await page(here, 'sort=ending-soon&limit=96')).offers.map(({ endDate }) => endDate)
    expect(ends).toEqual(ends.toSorted())
    const popular = await page(here, 'sort=region-relevance&limit=96')
    const wanted = await served('region=ON&sort=regionRelevance')
    expect(popular.offers.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
  })

  test('marks only offers that end within four days as ending soon', async () => {
    const here = await manager()
    const day = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 19)
    const { offers } = await page(here, 'sort=ending-soon&limit=96')
    const soon = offers.filter(({ validity }) => validity === 'ends-soon')
    expect(soon.every(({ endDate }) => endDate < day(4))).toBe(true)
    expect(offers.filter(({ endDate }) => endDate > day(4)).every(({ validity }) => validity === 'usable')).toBe(true)
  })
})

describe("the manager's page of one offer", () => {
  test("shows the offer's tiers, mechanisms and conditions", async () => {
    const here = await manager()
    const wanted = (await served('region=ON')).find(({ tiers }) => tiers.length > 1)
    const { offer, warning, source } = await one(here, wanted?.id ?? '')
    expect([source, warning]).toEqual(['service', null])
    expect(offer).toMatchObject({
      award: wanted?.awardShort,
      legalText: wanted?.legalText,
      massOffer: true,
      tiers: wanted?.tiers.map(({ awardLong, qualifierLong }) => ({ award: awardLong, qualifier: qualifierLong })),
    })
    expect(offer?.mechanisms?.map(({ type }) => type)).toEqual(
      wanted?.mechanisms.map(({ mechanismType }) => mechanismType),
    )
  })

  test('shows the service’s warning, with or without the offer', async () => {
    const here = await manager()
    const codes = async (id: string): Promise<[boolean, string | null | undefined]> => {
      const { offer, warning } = await one(here, id)
      return [offer !== null, warning?.code]
    }
    const ours = await served('region=ON')
    const seen = new Set([...ours, ...(await served('region=ON&offset=96'))].map(({ id }) => id))
    const elsewhere = [...(await served('region=BC')), ...(await served('region=BC&offset=96'))].find(
      ({ id }) => !seen.has(id),
    )
    expect(await codes(elsewhere?.id ?? '')).toEqual([true, 'err-region'])
    const [targeted] = await served('region=ON&mass_offer=false', await central.memberToken())
    expect(await codes(targeted?.id ?? '')).toEqual([true, 'err-login-required'])
    expect(await codes(UNREACHABLE)).toEqual([false, 'err-not-found'])
    const last = ours.toSorted((a, b) => (a.endDate < b.endDate ? -1 : 1))[0]?.id ?? ''
    await central.moveClock(400 * DAY_MS)
    expect(await codes(last)).toEqual([false, 'err-expired'])
    await central.moveClock(-400 * DAY_MS)
    expect(await codes(last)).toEqual([false, 'err-not-live'])
  })
})

describe("the manager's list of offers while the service is unavailable", () => {
  test("is the lane's stored list, with its age, the failure and the filters that were not applied", async () => {
    const here = await manager()
    await refreshed(here)
    const [partner] = (await page(here)).facets?.partners ?? []
    await silence()
    const stored = await page(here, 'limit=96&sort=ending-soon')
    expect(stored).toMatchObject({
      source: 'kept',
      notApplied: [],
      failure: { cause: 'maintenance', code: 'HTTP 503', correlationId: expect.stringMatching(UUID) as string },
    })
    expect(Date.now() - Date.parse(stored.fetchedAt ?? '')).toBeLessThan(60_000)
    const [offer] = stored.offers
    expect(await one(here, offer?.id ?? '')).toMatchObject({
      source: 'kept',
      offer: { award: offer?.award, tiers: null, mechanisms: null },
      warning: null,
      failure: { cause: 'maintenance', correlationId: expect.stringMatching(UUID) as string },
    })
    const inStore = await page(here, 'availability=in-store')
    expect([inStore.total, inStore.notApplied]).toEqual([stored.total, []])
    const ends = stored.offers.map(({ endDate }) => endDate)
    expect([ends.length > 20, ends]).toEqual([true, ends.toSorted()])
    const filtered = await page(
      here,
      `partner=${partner?.id}&category=${UNREACHABLE}&type=buy&availability=online&sort=region-relevance&limit=96`,
    )
    expect(filtered.notApplied).toEqual(['category', 'type', 'availability', 'sort'])
    expect(filtered.total).toBe(stored.facets?.partners.find(({ id }) => id === partner?.id)?.count)
    expect(new Set(filtered.offers.map(({ partnerId }) => partnerId))).toEqual(new Set([partner?.id]))
    const without = await page(here, `excludePartner=${partner?.id}&event=true&experiment=A`)
    expect([without.total, without.notApplied]).toEqual([stored.total - filtered.total, ['event', 'experiment']])
    expect((await page(here, 'locale=fr-CA')).offers[0]?.award).toContain('milles')

    expect(await here.refused('POST', `/api/manager/offers/${offer?.id}/shelf-card`)).toBe('shelf-card-service')
  })

  test('is shown without a request after three failures, until another request to the service succeeds', async () => {
    const here = await manager()
    await central.faults({ path: '/offers', times: 50, action: { kind: 'answer', status: 503, body: {} } })
    await refreshed(here)
    for (const cause of ['maintenance', 'maintenance', 'maintenance', 'breaker-open'])
      expect((await page(here)).failure?.cause).toBe(cause)
    await central.clearFaults()
    expect((await refreshed(here)).lists.map(({ failed }) => failed)).toEqual([null, null])
    expect(await page(here)).toMatchObject({ source: 'service', failure: null })
  })

  test('shows the age of the stored lists and why the last attempt failed', async () => {
    const here = await manager()
    const { lists: fresh } = await refreshed(here)
    expect(fresh.map(({ locale, count, failed, loading }) => [locale, count > 20, failed, loading])).toEqual([
      ['en-CA', true, null, false],
      ['fr-CA', true, null, false],
    ])
    for (const { fetchedAt, dueAt } of fresh)
      expect(Date.parse(dueAt ?? '') - Date.parse(fetchedAt ?? '')).toBeGreaterThan(60_000)
    await central.faults({ path: '/offers', times: 50, action: { kind: 'answer', status: 503, body: {} } })
    const { lists: old } = await refreshed(here)
    for (const [index, { failed, fetchedAt, count }] of old.entries()) {
      expect(failed).toMatchObject({ cause: 'maintenance', code: 'HTTP 503' })
      expect(failed?.correlationId).toMatch(UUID)
      expect([fetchedAt, count]).toEqual([fresh[index]?.fetchedAt, fresh[index]?.count])
    }
    await central.clearFaults()
    expect((await refreshed(here)).lists.map(({ failed }) => failed)).toEqual([null, null])
  })
})

describe('printing a shelf card of an offer', () => {
  const card = async (here: TerminalHarness, id: string): Promise<ShelfCardExport> =>
    ShelfCardExport.parse((await here.call('POST', `/api/manager/offers/${id}/shelf-card`)).body)

  test('makes a page for each language and an entry in the audit trail, and the file can be fetched once', async () => {
    const here = await manager()
    const english = (await served('region=ON')).find(
      ({ tiers, mechanisms }) => tiers.length > 1 && mechanisms[0]?.mechanismType === 'couponCode',
    )
    if (!english) throw new Error('the seed has an offer with levels and a code')
    const { number, fileName } = await card(here, english.id)
    expect(fileName).toBe(`shelf-card_TRAIN-001_lane-01_${english.id.slice(0, 8)}.pdf`)
    const file = await here.file(`/api/manager/shelf-cards/${number}`)
    expect([file.status, file.type, file.disposition]).toEqual([
      200,
      'application/pdf',
      `attachment; filename="${fileName}"`,
    ])
    const [front = '', back = ''] = textOfPdf(file.bytes)
      .replaceAll(/[ \n]+/g, ' ')
      .split('\f')
    for (const text of [english.awardShort, english.partnerLabel, english.mechanisms[0]?.mechanismValue ?? '?'])
      expect(front).toContain(text)
    for (const { awardLong } of english.tiers) expect(front).toContain(awardLong)
    expect(front).toContain('Limit of one per collector per day.')
    expect(back).toContain('milles en prime')
    expect(back).toMatch(/Du .+ au /)
    expect((await here.file(`/api/manager/shelf-cards/${number}`)).status).toBe(404)
    expect(here.read("SELECT id, actor_id, subject FROM audit_entry WHERE kind = 'shelf-card'")).toEqual([
      { id: number, actor_id: 'sam', subject: english.id },
    ])
    const again = await here.file(`/api/manager/shelf-cards/${(await card(here, english.id)).number}`)
    expect(again.bytes.equals(file.bytes)).toBe(true)
  })

  test('shortens long texts of the offer, on the page and in the audit trail', async () => {
    const [real] = await served('region=ON')
    if (!real) throw new Error('the seed has offers')
    const endless = { ...real, awardShort: `\u202e${'miles '.repeat(10_000)}`, legalText: 'x'.repeat(100_000) }
    await central.faults({
      path: `/offers/${real.id}`,
      action: { kind: 'answer', status: 200, body: { offer: endless, warning: null } },
    })
    const here = await manager()
    const { offer } = await one(here, real.id)
    expect(offer?.award).toMatch(/^miles .{200,293}…$/)
    expect(offer?.legalText?.length).toBe(20_000)
    await card(here, real.id)
    const [entry] = here.read("SELECT detail FROM audit_entry WHERE kind = 'shelf-card'")
    expect(JSON.stringify(entry).length).toBeLessThan(300)
  })

  test('is refused for an offer that cannot be used in this store', async () => {
    const here = await manager()
    const [targeted] = await served('region=ON&mass_offer=false', await central.memberToken())
    for (const id of [UNREACHABLE, targeted?.id ?? ''])
      expect(await here.refused('POST', `/api/manager/offers/${id}/shelf-card`)).toBe('shelf-card-not-valid')
    expect(here.read("SELECT id FROM audit_entry WHERE kind = 'shelf-card'")).toEqual([])
  })
})

test('the manager’s pages of offers are refused to other roles, and unknown filters are rejected', async () => {
  const cashier = await openTerminalHarness(central)
  for (const [method, path] of [
    ['GET', '/api/manager/offers'],
    ['GET', `/api/manager/offers/${UNREACHABLE}`],
    ['GET', '/api/manager/offer-lists'],
    ['POST', '/api/manager/offer-lists/refresh'],
    ['POST', `/api/manager/offers/${UNREACHABLE}/shelf-card`],
    ['GET', '/api/manager/shelf-cards/1'],
  ] as const)
    expect(await cashier.refused(method, path, method === 'POST' ? {} : undefined), path).toBe('manager-required')
  const here = await manager()
  for (const query of ['limit=0', 'limit=97', 'offset=-1', 'partner=7', 'type=gift', 'sort=price', 'event=1'])
    expect(await here.refused('GET', `/api/manager/offers?${query}`), query).toBe('body-invalid')
})
