import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { expect, test, type TestContext } from 'vitest'
import { MAX_SERIES, seriesNames, seriesOf, type Metric } from '../../../contracts/core/metric-table.ts'
import { LANES_METRICS, MAX_SERVER_SERIES, STORE_METRICS } from '../../../contracts/store/metrics.ts'
import { makeScrapeToken } from '../../delivery/metrics-registry.ts'
import { usePostgres } from '../testing/postgres.ts'
import { hasPromtool, importByPrometheus, NO_PROMTOOL } from '../testing/promtool.ts'
import { GOOD, startScraped, STREAMS } from './scraped-server.fixture.ts'
import { HEALTH } from '../lanes/lanes.fixture.ts'

const cluster = usePostgres({ port: 0, fsync: false })
const start = (skip: TestContext['skip'], lanes?: number) => startScraped(cluster, skip, lanes)

test('the metrics of the server and its lanes stay below the limit of series', () => {
  const most = (table: Record<string, Metric>): number =>
    Object.values(table).reduce((sum, metric) => sum + seriesOf(metric), 0)
  expect(most(STORE_METRICS)).toBeLessThanOrEqual(MAX_SERVER_SERIES)
  expect(most(LANES_METRICS) + 98).toBeLessThanOrEqual(MAX_SERIES)
})

test('the metrics token allows scraping only, and scraping requires it', async ({ skip }) => {
  const { server, call, sendAs, metrics, scrape, tokens } = await start(skip)
  const device = tokens[0] ?? ''
  expect((await call('/metrics', null)).status).toBe(404)
  expect((await call('/metrics', device)).status).toBe(404)
  expect(await metrics('status')).toContain('Off')

  const token = await metrics('on')
  for (const at of ['/metrics', '/metrics/lanes']) {
    await scrape(token, at)
    for (const wrong of [null, device, `${token}x`, token.slice(1), '']) {
      const answer = await call(at, wrong)
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toBe('Bearer')
      expect(JSON.parse(answer.body.toString())).toMatchObject({
        refused: 'scrape-token',
        message: expect.stringContaining('npm run milepost -- store metrics on'),
      })
    }
  }
  expect((await sendAs(0, '/lane/hello', { version: '1', streams: [{ epoch: 1, name: STREAMS[0] }] })).status).toBe(200)
  for (const at of ['/lane/hello', '/lane/metrics', '/lane/overview/lanes', '/lane/vouchers/draw'])
    expect((await call(at, token, '{}')).status, at).toBe(401)

  const plainly = new Promise<unknown>((resolve) => {
    const headers = { authorization: `Bearer ${token}` }
    request(`${server.url.replace('https', 'http')}/metrics`, { headers }, (response) => resolve(response.statusCode))
      .on('error', () => resolve('no answer'))
      .end()
  })
  expect(await plainly).toBe('no answer')

  const another = await metrics('on')
  expect((await call('/metrics', token)).status).toBe(401)
  await scrape(another)
  await metrics('off')
  expect((await call('/metrics', another)).status).toBe(404)
})

const KNOWN = new Set(Object.values<Metric>(STORE_METRICS).flatMap(seriesNames))

test('the server counts its work under the documented metric names, even while the database is unavailable', async ({
  skip,
}) => {
  const { server, call, sendAs, hello, push, scrape } = await start(skip, 2)
  const token = makeScrapeToken(server.data)
  const before = await scrape(token)
  expect(before.get('milepost_store_facts_total{kind="sale"}')).toBe(0)
  expect(before.get('milepost_store_enrolments_total{outcome="granted"}')).toBe(2)
  expect(before.get('milepost_store_voucher_wrong{}')).toBeUndefined()

  await hello(0)
  await push(0, [{}, { kind: 'sale', subject: 'P' }])
  await push(0, [{}, { kind: 'sale', subject: 'P' }, { seq: 3 }])
  expect((await push(0, [{ seq: 9 }])).status).toBe(409)
  const lock = { collector: 'f'.repeat(64), purpose: 'now', waitMs: 0 }
  await sendAs(0, '/lane/turn/take', { ...lock, id: randomUUID() })
  await hello(1)
  await sendAs(1, '/lane/turn/take', { ...lock, id: randomUUID() })
  await sendAs(1, '/lane/vouchers/draw', { id: randomUUID(), hash: 'a'.repeat(64), amountCents: 100 })
  const vector = { [STREAMS[0] ?? '']: 3 }
  void sendAs(1, '/lane/heartbeat', { health: HEALTH, vector, waitMs: 10_000 }).catch(() => undefined)
  await call('/nowhere/N1010100000038K7Q2', null)

  const now = async (name: string): Promise<number | undefined> => (await scrape(token)).get(`milepost_store_${name}`)
  await expect.poll(() => now('readers_waiting{}')).toBe(1)
  const after = await scrape(token)
  const count = (name: string): number | undefined => after.get(`milepost_store_${name}`)
  expect({
    notes: count('facts_total{kind="other"}'),
    sales: count('facts_total{kind="sale"}'),
    aside: count('facts_set_aside_total{kind="sale"}'),
    asideNow: count('facts_aside{}'),
    repeated: count('facts_repeated_total{}'),
    gaps: count('pushes_refused_total{reason="gap"}'),
    pushes: count('push_seconds_count{}'),
    granted: count('decisions_total{what="turn",outcome="granted"}'),
    refused: count('decisions_total{what="turn",outcome="refused"}'),
    drawn: count('decisions_total{what="draw",outcome="refused"}'),
    held: count('turns{state="held"}'),
    seen: count('lanes{state="seen"}'),
    nowhere: count('requests_total{part="other",status="refused"}'),
    turns: count('requests_total{part="turns",status="answered"}'),
    wrong: count('voucher_wrong{}'),
    database: count('database_up{}'),
    listening: count('listening{}'),
  }).toEqual({
    notes: 2,
    sales: 1,
    aside: 1,
    asideNow: 1,
    repeated: 2,
    gaps: 1,
    pushes: 3,
    granted: 1,
    refused: 1,
    drawn: 1,
    held: 1,
    seen: 2,
    nowhere: 1,
    turns: 2,
    wrong: 0,
    database: 1,
    listening: 1,
  })
  expect(count('query_seconds_count{}')).toBeGreaterThan(20)
  expect(count('certificate_expiry_seconds{}')).toBeGreaterThan(Date.now() / 1_000)
  expect(count('database_bytes{}')).toBeGreaterThan(1e6)
  expect(after.size).toBeLessThanOrEqual(MAX_SERVER_SERIES)
  expect(after.size).toBeGreaterThan(100)
  expect([...after.keys()].map((series) => series.replace(/\{.*/, '')).filter((name) => !KNOWN.has(name))).toEqual([])

  await cluster.server().kill()
  await expect.poll(() => now('database_up{}')).toBe(0)
  await expect.poll(() => now('listening{}')).toBe(0)
  const offline = await scrape(token)
  for (const left of ['lanes{state="seen"}', 'voucher_wrong{}', 'vouchers{}', 'database_bytes{}'])
    expect(offline.get(`milepost_store_${left}`), left).toBeUndefined()
  expect(offline.get('milepost_store_check_age_seconds{}')).toBeGreaterThan(0)
  expect(offline.get('milepost_store_listen_losses_total{}')).toBe(1)
  expect((await call('/metrics/lanes', token)).status).toBe(503)
  await cluster.server().restart()
  await expect.poll(() => now('database_up{}')).toBe(1)
  await expect.poll(() => now('listening{}')).toBe(1)
  expect(await now('lanes{state="seen"}')).toBe(2)
  await expect.poll(() => now('voucher_wrong{}')).toBe(0)
})

test('a push that a full queue rejects is not counted as failed', async ({ skip }) => {
  const { server, postgres, hello, push, scrape } = await start(skip)
  const token = makeScrapeToken(server.data)
  await hello(0)
  let pushes: ReturnType<typeof push>[] = []
  await postgres.transaction(async (tx) => {
    await tx.query('LOCK TABLE fact IN ACCESS EXCLUSIVE MODE')
    pushes = Array.from({ length: 74 }, () => push(0, [{}]))
    expect((await Promise.race(pushes)).status).toBe(503)
  })
  const answers = (await Promise.all(pushes)).map(({ status }) => status)
  const busy = answers.filter((status) => status === 503).length
  expect(answers.filter((status) => status === 200).length).toBe(74 - busy)
  const counted = await scrape(token)
  expect(counted.get('milepost_store_pushes_refused_total{reason="busy"}')).toBe(busy)
  expect(counted.get('milepost_store_requests_total{part="lanes",status="refused"}')).toBe(busy)
  expect(counted.get('milepost_store_requests_total{part="lanes",status="failed"}')).toBe(0)
})

test('a lane that has fewer facts than the store counts as silent, and its hello as a refused push', async ({
  skip,
}) => {
  const { server, postgres, sendAs, hello, push, scrape } = await start(skip)
  const token = makeScrapeToken(server.data)
  await hello(0)
  await push(0, [{}, {}])
  await postgres.query("UPDATE lane SET known_since = now() - interval '1 hour'")
  const behind = { version: '1', streams: [{ epoch: 1, name: STREAMS[0], newest: 1 }] }
  expect((await sendAs(0, '/lane/hello', behind)).status).toBe(200)
  const gauges = await scrape(token)
  expect(gauges.get('milepost_store_pushes_refused_total{reason="other-history"}')).toBe(1)
  expect(gauges.get('milepost_store_lanes{state="silent"}')).toBe(1)
  const lanes = await scrape(token, '/metrics/lanes')
  const lastSeen = [...lanes].find(([series]) => series.startsWith('milepost_lane_heard_seconds'))
  expect(lastSeen?.[1]).toBeGreaterThan(3_500)
})

test('Prometheus parses the metrics of the server and those of the lanes', async ({ skip }) => {
  skip(!(await hasPromtool()), NO_PROMTOOL)
  const { server, call, sendAs, hello, scrape } = await start(skip)
  const token = makeScrapeToken(server.data)
  await hello(0)
  await sendAs(0, '/lane/metrics', GOOD)
  await scrape(token)
  for (const at of ['/metrics', '/metrics/lanes']) {
    const text = (await call(at, token)).body.toString()
    await importByPrometheus(text, new Date(Date.now() - 60_000))
    await expect(importByPrometheus(text.replace(/^milepost_/m, '0_'), new Date())).rejects.toThrow(/valid start token/)
  }
})
