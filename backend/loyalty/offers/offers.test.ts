import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Profile } from '../../../contracts/core/profile.ts'
import type { Token } from '../../core/central/token.ts'
import { createHttpExchange, createTransport } from '../../core/central/transport.ts'
import { openDatabase } from '../../core/db/database.ts'
import { localDateTime } from '../../core/zone.ts'
import {
  openTestDatabase,
  startTestServer,
  temporaryFolder,
  testClock,
  testLog,
  windowOfHeader,
} from '../../core/http/testing.ts'
import { type OffersService, offersOf, offersRoutes } from './offers.ts'
import type { Ctx } from '../../core/context.ts'
import { testContext, provideCentral } from '../../../packages/lab/testing/lane-context.ts'
import { trainingStore } from '../../../packages/lab/testing/load/store.ts'

const uuid = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`

const offer = (index: number, french: boolean): Record<string, unknown> => ({
  id: uuid(index),
  partnerId: uuid(9999),
  partnerLabel: 'Partner',
  awardShort: french ? 'Obtenez 50 milles' : 'Get 50 miles',
  qualifierShort: french ? 'à l’achat de 20 $' : 'when you spend $20',
  displayDate: '2026-11-01T00:00:00',
  startDate: '2026-11-01T00:00:00',
  endDate: '2026-12-31T23:59:59',
  programType: 'traditionalcore',
  massOffer: true,
  tiers: [],
  mechanisms: [],
})

interface Received {
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

async function offerService(list: (french: boolean, type: string | null) => Record<string, unknown>[]): Promise<{
  url: string
  received: Received[]
  stop: () => Promise<void>
  answer: { instead: ((response: ServerResponse) => void) | null }
}> {
  const received: Received[] = []
  const answer: { instead: ((response: ServerResponse) => void) | null } = { instead: null }
  const server = createServer((request, response) => {
    const { searchParams: query } = new URL(request.url ?? '', 'http://offers.test')
    received.push({ query, headers: request.headers })
    if (answer.instead) {
      answer.instead(response)
      return
    }
    const all = list(request.headers['accept-language'] === 'fr-CA', query.get('type'))
    const offset = Number(query.get('offset'))
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        offers: all.slice(offset, offset + Number(query.get('limit'))),
        metadata: { total: all.length },
      }),
    )
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve()
      })
      server.closeAllConnections()
    })
  onTestFinished(stop)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, stop, answer }
}

const profile = {
  region: 'ON',
  timeZone: 'America/Toronto',
  program: {
    sponsorCode: 'NRTH',
    vendorId: 'N',
    acquirerId: 'N',
    provider: 'N',
    program: 'CORE',
    locationCode: 'N101',
    partnerId: uuid(9999),
    originClient: 'internal:pos:milepost',
    cards: { track1: 'a', track2: 'b', barcode: 'c' },
  },
  limits: { ...Profile.shape.limits.parse({}), offerRefreshMs: 900_000 },
} satisfies Pick<Profile, 'region' | 'timeZone' | 'program' | 'limits'>

const clock = testClock('2026-11-20T15:00:00Z')

function open(
  url: string,
  db: Awaited<ReturnType<typeof openTestDatabase>>,
  at = clock,
): { offers: OffersService; ctx: Ctx; lines: () => string } {
  const { log, lines } = testLog()
  const failed = async (): Promise<Token> => ({
    kind: 'failed',
    cause: 'refused',
    reason: 'the offer list must not need a token',
  })
  const transport = createTransport({
    exchange: createHttpExchange({ cash: url, issuance: url, offers: url }),
    tokens: { current: failed, renew: failed },
    log,
  })
  const ctx = testContext({ db, clock: at, log, profile: { ...trainingStore().profile, ...profile } })
  provideCentral(ctx, { transport })
  return { lines, ctx, offers: offersOf(ctx) }
}

test('the whole list of offers of the region is fetched page by page', async () => {
  const central = await offerService((french) => Array.from({ length: 200 }, (_, index) => offer(index, french)))
  const { offers } = open(central.url, await openTestDatabase())
  const list = await offers.list('en-CA')
  expect(list).toMatchObject({ total: 200, stale: false, fetchedAt: '2026-11-20T15:00:00.000Z' })
  expect(new Set(list.offers.map((card) => card.id)).size).toBe(200)
  expect(list.offers[0]).toEqual({
    id: uuid(0),
    partner: 'Partner',
    category: null,
    award: 'Get 50 miles',
    qualifier: 'when you spend $20',
    description: null,
    endsOn: '2026-12-31',
    legalText: null,
    forDisplay: true,
  })
  expect(central.received.map(({ query }) => Object.fromEntries(query))).toEqual([
    { region: 'ON', availability: 'in-store', limit: '96', offset: '0' },
    { region: 'ON', availability: 'in-store', limit: '96', offset: '96' },
    { region: 'ON', availability: 'in-store', limit: '96', offset: '192' },
  ])
  for (const { headers } of central.received) {
    expect(headers).toMatchObject({ 'x-origin-client': 'internal:pos:milepost', 'accept-language': 'en-US' })
    expect(headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.authorization).toBeUndefined()
  }
})

test('the background refresh requests the offers of each type, so that each offer gets its type', async () => {
  const at = testClock('2026-11-20T15:00:00Z')
  const folder = temporaryFolder()
  const of: Record<string, number[]> = {
    buy: [...Array.from({ length: 100 }, (_, index) => index), 200],
    spend: [150, 200],
  }
  const central = await offerService((french, type) =>
    Array.from({ length: 201 }, (_, index) => index)
      .filter((index) => type === null || of[type]?.includes(index))
      .map((index) => offer(index, french)),
  )
  const db = await openTestDatabase(folder)
  const { offers } = open(central.url, db, at)
  await offers.refresh()
  const asked = central.received.flatMap(({ query }) =>
    query.has('type') ? [`${query.get('type')} ${query.get('offset')}`] : [],
  )
  expect(asked, 'in one language').toEqual(['buy 0', 'buy 96', 'spend 0'])
  const typesIn = (from: OffersService, locale: 'en-CA' | 'fr-CA') =>
    [3, 150, 151, 200].map(
      (index) => from.stored(locale)?.offers.find(({ card }) => card.id === uuid(index))?.terms.type,
    )
  const known = ['buy', 'spend', null, null]
  expect(typesIn(offers, 'en-CA'), 'one in both lists is neither').toEqual(known)
  expect(typesIn(offers, 'fr-CA')).toEqual(known)
  at.advance(900_001)
  await offers.list('en-CA')
  expect(typesIn(offers, 'en-CA'), 'a list that a person waits for asks for no types, and keeps them').toEqual(known)
  expect(central.received.filter(({ query }) => query.has('type'))).toHaveLength(3)
  central.answer.instead = (response) => {
    response.writeHead(503).end()
  }
  await offers.refresh()
  expect(typesIn(offers, 'en-CA'), 'an outage takes none of them').toEqual(known)
  expect(typesIn(open(central.url, db, at).offers, 'en-CA'), 'nor does a restart').toEqual(known)
  central.answer.instead = null
  of['buy'] = [3, 151]
  await offers.centralReconnected()
  expect(typesIn(offers, 'en-CA')).toEqual(['buy', 'spend', 'buy', 'spend'])
})

test('a list of offers stored by an earlier release is fetched again', async () => {
  const central = await offerService((french) => [offer(1, french)])
  const db = await openTestDatabase()
  db.prepare("INSERT INTO offer_list (locale, region, fetched_at, total, offers) VALUES ('en-CA', 'ON', ?, 1, ?)").run(
    clock.now(),
    JSON.stringify([{ card: { id: uuid(1) }, partnerId: uuid(9999) }]),
  )
  const { offers } = open(central.url, db)
  expect(offers.stored('en-CA')).toBeUndefined()
  expect((await offers.list('en-CA')).offers[0]?.award).toBe('Get 50 miles')
})

test('each language has its own list of offers, and a fresh list is not requested again', async () => {
  const central = await offerService((french) => [offer(1, french)])
  const { offers } = open(central.url, await openTestDatabase())
  expect((await offers.list('fr-CA')).offers[0]?.award).toBe('Obtenez 50 milles')
  expect((await offers.list('en-CA')).offers[0]?.award).toBe('Get 50 miles')
  expect((await offers.list('fr-CA')).offers[0]?.award).toBe('Obtenez 50 milles')
  expect(central.received.map(({ headers }) => headers['accept-language'])).toEqual(['fr-CA', 'en-US'])
})

test('during an outage the last list of offers is shown with its age, also after a restart', async () => {
  const folder = temporaryFolder()
  const at = testClock('2026-11-20T15:00:00Z')
  const central = await offerService((french) => [offer(1, french)])
  const before = await openTestDatabase(folder)
  await open(central.url, before, at).offers.refresh()
  before.close()
  await central.stop()

  at.advance(3_600_000)
  const after = openDatabase(join(folder, 'terminal.db'))
  onTestFinished(() => {
    after.close()
  })
  const { offers, lines } = open(central.url, after, at)
  for (const locale of ['en-CA', 'fr-CA'] as const) {
    expect(await offers.list(locale)).toMatchObject({ total: 1, stale: true, fetchedAt: '2026-11-20T15:00:00.000Z' })
  }
  expect(lines()).toContain('could not fetch the offer list')
})

test('an offer service that was never reachable gives an empty list marked as stale', async () => {
  const central = await offerService(() => [])
  await central.stop()
  const { offers } = open(central.url, await openTestDatabase())
  expect(await offers.list('en-CA')).toEqual({ offers: [], total: 0, fetchedAt: null, stale: true })
})

test('a stale list of offers is fetched again, and the last complete list remains if that fails', async () => {
  const at = testClock('2026-11-20T15:00:00Z')
  let count = 3
  const central = await offerService((french) => Array.from({ length: count }, (_, index) => offer(index, french)))
  const { offers } = open(central.url, await openTestDatabase(), at)
  expect((await offers.list('en-CA')).total).toBe(3)
  count = 5
  at.advance(900_001)
  expect(await offers.list('en-CA')).toMatchObject({ total: 5, stale: false })
  for (const instead of [
    (response: ServerResponse) => {
      response.writeHead(500).end()
    },
    (response: ServerResponse) => {
      response.writeHead(200).end('<html>')
    },
    (response: ServerResponse) => {
      response.writeHead(200).end('{"offers":"none"}')
    },
    (response: ServerResponse) => {
      response.destroy()
    },
  ]) {
    central.answer.instead = instead
    at.advance(900_001)
    expect(await offers.list('en-CA')).toMatchObject({ total: 5, stale: true, fetchedAt: '2026-11-20T15:15:00.001Z' })
  }
  central.answer.instead = null
  expect(await offers.list('en-CA')).toMatchObject({ total: 5, stale: false })
})

test('after an outage the offers are requested on the next view, or once the service is reachable', async () => {
  const central = await offerService((french) => [offer(1, french)])
  const { offers } = open(central.url, await openTestDatabase())
  const outage = async (): Promise<void> => {
    central.answer.instead = (response) => {
      response.writeHead(503).end()
    }
    await offers.refresh()
    expect(await offers.list('en-CA')).toMatchObject({ total: 1, stale: true })
    central.answer.instead = null
  }
  await offers.refresh()
  await outage()
  expect(await offers.list('en-CA'), 'the next look').toMatchObject({ total: 1, stale: false })
  await outage()
  await offers.centralReconnected()
  const asked = central.received.length
  expect(await offers.list('en-CA'), 'the loyalty service is heard').toMatchObject({ stale: false })
  expect(central.received, 'asked by then').toHaveLength(asked)
  await offers.centralReconnected()
  expect(central.received, 'nothing to mend').toHaveLength(asked)
  expect(await offers.fetchNow('en-CA')).toMatchObject({ stale: false })
  expect(central.received, 'a person asks').toHaveLength(asked + 1)
})

test('an invalid offer in an answer is left out and logged, and the other offers remain', async () => {
  const central = await offerService((french) => [
    offer(1, french),
    { ...offer(2, french), awardShort: 12 },
    offer(3, french),
  ])
  const { offers, lines } = open(central.url, await openTestDatabase())
  expect((await offers.list('en-CA')).offers.map((card) => card.id)).toEqual([uuid(1), uuid(3)])
  expect(lines()).toContain('awardShort')
})

test('an offer is shown from its display date to its end, in the store’s time zone', async () => {
  const at = testClock('2026-11-21T04:59:58Z')
  const central = await offerService((french) => [
    { ...offer(1, french), endDate: '2026-11-20T23:59:59' },
    { ...offer(2, french), displayDate: '2026-11-21T00:00:00' },
  ])
  const { offers } = open(central.url, await openTestDatabase(), at)
  const shown = async (): Promise<string[]> => (await offers.list('en-CA')).offers.map((card) => card.id)
  expect(await shown()).toEqual([uuid(1)])
  at.advance(1_000)
  expect(await shown()).toEqual([])
  at.advance(1_000)
  expect(await shown()).toEqual([uuid(2)])
})

test('the manager’s count of a stored list is the number of offers that the list shows', async () => {
  const at = testClock('2026-11-21T04:59:58Z')
  const central = await offerService((french) => [
    offer(1, french),
    { ...offer(2, french), endDate: '2026-11-20T23:59:59' },
    { ...offer(3, french), displayDate: '2026-11-22T00:00:00' },
  ])
  const { offers } = open(central.url, await openTestDatabase(), at)
  const counted = (): number | undefined => offers.lists().lists.find(({ locale }) => locale === 'en-CA')?.count
  expect((await offers.list('en-CA')).total).toBe(2)
  expect(counted()).toBe(2)
  at.advance(1_000)
  expect((await offers.list('en-CA')).total).toBe(1)
  expect(counted()).toBe(1)
})

test('the customer display shows only offers of the store’s own partner that have started', async () => {
  const at = testClock('2026-11-21T04:59:59Z')
  const central = await offerService((french) => [
    offer(1, french),
    { ...offer(2, french), startDate: '2026-11-21T00:00:00' },
    { ...offer(3, french), partnerId: uuid(8888) },
  ])
  const { offers } = open(central.url, await openTestDatabase(), at)
  const forDisplay = async (): Promise<boolean[]> => (await offers.list('en-CA')).offers.map((card) => card.forDisplay)
  expect(await forDisplay()).toEqual([true, false, false])
  at.advance(1_000)
  expect(await forDisplay(), 'midnight in the store').toEqual([true, true, false])
})

test('a list of offers is rejected if it does not end within 50 pages', async () => {
  const central = await offerService(() => [])
  central.answer.instead = (response) => {
    response
      .writeHead(200)
      .end(JSON.stringify({ offers: [offer(central.received.length, false)], metadata: { total: 1_000_000 } }))
  }
  const { offers } = open(central.url, await openTestDatabase())
  expect(await offers.list('en-CA')).toMatchObject({ total: 0, stale: true })
  expect(central.received).toHaveLength(50)
})

test('an instant is converted to the local date-time of a time zone, in which offers have their dates', () => {
  const midnight = Date.parse('2026-11-21T05:00:00Z')
  expect(localDateTime(midnight, 'America/Toronto')).toBe('2026-11-21T00:00:00')
  expect(localDateTime(midnight, 'America/St_Johns')).toBe('2026-11-21T01:30:00')
})

test('the local API returns the list of offers in the requested language, else in the person’s own', async () => {
  const central = await offerService((french) => [offer(1, french)])
  const { ctx } = open(central.url, await openTestDatabase())
  const server = await startTestServer({ routes: () => [(app) => offersRoutes(ctx, app)] })
  server.db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('marie', 'Marie', 'cashier', 'fr-CA')").run()
  const window = server.openWindow()
  expect((await server.call('GET', '/api/offers', { window })).json()).toMatchObject({ code: 'sign-in-required' })
  server.sessions.signIn(windowOfHeader(window), 'marie')
  const award = async (query: string): Promise<unknown> =>
    (await server.call('GET', `/api/offers${query}`, { window })).json<{ offers: { award: string }[] }>().offers[0]
      ?.award
  expect(await award('')).toBe('Obtenez 50 milles')
  expect(await award('?locale=en-CA')).toBe('Get 50 miles')
  expect((await server.call('GET', '/api/offers?locale=de', { window })).json()).toMatchObject({ code: 'body-invalid' })
})
