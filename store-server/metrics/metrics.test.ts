import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { MOST_SERIES, seriesNames, seriesOf, type Metric } from '../../contracts/metric-table.ts'
import { LANES_METRICS, MOST_SERVER_SERIES, STORE_METRICS } from '../../contracts/store-metrics.ts'
import { STORE_PROTOCOL, type Fact } from '../../contracts/store/protocol.ts'
import { makeScrapeToken } from '../../delivery/scrape-token.ts'
import { createLog } from '../log.ts'
import { openPostgresStorage } from '../storage.ts'
import { callOver, type Answer } from '../testing/call.ts'
import { askUntilAnswered, issueFor } from '../testing/lanes.ts'
import { parseOpenMetrics } from '../testing/open-metrics.ts'
import { usePostgres } from '../testing/postgres.ts'
import { hasPromtool, importByPrometheus, NO_PROMTOOL } from '../testing/promtool.ts'
import { startServerProcess } from '../testing/server-process.ts'

const cluster = usePostgres({ port: 0, fsync: false })
const MAIN = path.join(import.meta.dirname, '..', 'main.ts')
const STREAMS = ['a', 'b', 'c'].map((letter) => letter.repeat(32))

/** A server with lanes that are enrolled, as they and a Prometheus call it. */
async function start(skip: TestContext['skip'], lanes = 1) {
  const url = await cluster.database(skip)
  const log: string[] = []
  const server = await startServerProcess(['--database', url, '--enrolment'], { onLog: (line) => log.push(line) })
  const storage = await openPostgresStorage(url, { log: createLog('silent') })
  onTestFinished(() => storage.close())
  const tokens: string[] = []
  for (const code of await issueFor(storage.enrolment, lanes))
    tokens.push((await askUntilAnswered(server, code)).deviceToken)
  const ca = server.certificate.certificate
  const call = (at: string, token: string | null, body?: string): Promise<Answer> =>
    callOver(ca, `${server.url}${at}`, body, token === null ? {} : { authorization: `Bearer ${token}` })
  const say = (lane: number, at: string, body: object): Promise<Answer> =>
    call(at, tokens[lane] ?? '', JSON.stringify({ protocol: STORE_PROTOCOL, ...body }))
  return {
    server,
    storage,
    log,
    tokens,
    call,
    say,
    order: async (action: string) =>
      (await promisify(execFile)(process.execPath, [MAIN, 'metrics', action, '--data', server.data])).stdout.trim(),
    hello: (lane: number) => say(lane, '/lane/hello', { version: '1', streams: [{ epoch: 1, name: STREAMS[lane] }] }),
    push: (lane: number, facts: readonly Partial<Fact>[]) =>
      say(lane, '/lane/facts', {
        stream: STREAMS[lane],
        epoch: 1,
        facts: facts.map((fact, at) => ({
          seq: at + 1,
          kind: 'note',
          subject: 'S',
          at: 1,
          body: {},
          sealed: null,
          ...fact,
        })),
      }),
    async scrape(token: string, at = '/metrics'): Promise<Map<string, number>> {
      const answer = await call(at, token)
      expect(answer.status).toBe(200)
      expect(answer.headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
      return new Map(parseOpenMetrics(answer.body.toString()).map((sample) => [seriesName(sample), sample.value]))
    },
  }
}
const seriesName = ({ name, labels }: { name: string; labels: Record<string, string> }): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(',')}}`

test('no server can come to more series than are allowed, and no lane through it to more than a hundred', () => {
  const most = (table: Record<string, Metric>): number =>
    Object.values(table).reduce((sum, metric) => sum + seriesOf(metric), 0)
  expect(most(STORE_METRICS)).toBeLessThanOrEqual(MOST_SERVER_SERIES)
  expect(most(LANES_METRICS) + 98).toBeLessThanOrEqual(MOST_SERIES)
})

test('whoever has the token scrapes and does nothing else; nobody else scrapes', async ({ skip }) => {
  const { server, call, say, order, scrape, tokens } = await start(skip)
  const device = tokens[0] ?? ''
  expect((await call('/metrics', null)).status).toBe(404)
  expect((await call('/metrics', device)).status).toBe(404)
  expect(await order('status')).toContain('Off')

  const token = await order('on')
  for (const at of ['/metrics', '/metrics/lanes']) {
    await scrape(token, at)
    for (const wrong of [null, device, `${token}x`, token.slice(1), '']) {
      const answer = await call(at, wrong)
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toBe('Bearer')
      expect(JSON.parse(answer.body.toString())).toMatchObject({ refused: 'scrape-token' })
    }
  }
  expect((await say(0, '/lane/hello', { version: '1', streams: [{ epoch: 1, name: STREAMS[0] }] })).status).toBe(200)
  for (const at of ['/lane/hello', '/lane/metrics', '/lane/overview/lanes', '/lane/vouchers/draw'])
    expect((await call(at, token, '{}')).status, at).toBe(401)

  // Nothing is said to whoever does not speak TLS.
  const plainly = new Promise<unknown>((resolve) => {
    const headers = { authorization: `Bearer ${token}` }
    request(`${server.url.replace('https', 'http')}/metrics`, { headers }, (response) => resolve(response.statusCode))
      .on('error', () => resolve('no answer'))
      .end()
  })
  expect(await plainly).toBe('no answer')

  const another = await order('on')
  expect((await call('/metrics', token)).status).toBe(401)
  await scrape(another)
  await order('off')
  expect((await call('/metrics', another)).status).toBe(404)
})

const KNOWN = new Set(Object.values<Metric>(STORE_METRICS).flatMap(seriesNames))
const HEALTH = {
  version: '1',
  mode: 'training',
  untold: 0,
  queue: { waiting: 0, attention: 0, oldestAt: null },
  central: 'online',
  drawer: { open: false, since: null },
  lastSaleAt: null,
  troubles: [],
  stopped: null,
}

test('what the server does is counted, each under its name, also while its database is away', async ({ skip }) => {
  const { server, call, say, hello, push, scrape } = await start(skip, 2)
  const token = makeScrapeToken(server.data)
  const before = await scrape(token)
  expect(before.get('milepost_store_facts_total{kind="sale"}')).toBe(0)
  expect(before.get('milepost_store_enrolments_total{outcome="granted"}')).toBe(2)
  expect(before.get('milepost_store_voucher_wrong{}')).toBeUndefined()

  await hello(0)
  await push(0, [{}, { kind: 'sale', subject: 'P' }])
  await push(0, [{}, { kind: 'sale', subject: 'P' }, { seq: 3 }])
  expect((await push(0, [{ seq: 9 }])).status).toBe(409)
  const turn = { collector: 'f'.repeat(64), purpose: 'now', waitMs: 0 }
  await say(0, '/lane/turn/take', { ...turn, id: randomUUID() })
  await hello(1)
  await say(1, '/lane/turn/take', { ...turn, id: randomUUID() })
  await say(1, '/lane/vouchers/draw', { id: randomUUID(), hash: 'a'.repeat(64), amountCents: 100 })
  const vector = { [STREAMS[0] ?? '']: 3 }
  void say(1, '/lane/heartbeat', { health: HEALTH, vector, waitMs: 10_000 }).catch(() => undefined)
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
  expect(after.size).toBeLessThanOrEqual(MOST_SERVER_SERIES)
  expect(after.size).toBeGreaterThan(100)
  expect([...after.keys()].map((series) => series.replace(/\{.*/, '')).filter((name) => !KNOWN.has(name))).toEqual([])

  await cluster.server().kill()
  await expect.poll(() => now('database_up{}')).toBe(0)
  const away = await scrape(token)
  expect(away.get('milepost_store_lanes{state="seen"}')).toBeUndefined()
  expect(away.get('milepost_store_listening{}')).toBe(0)
  expect(away.get('milepost_store_listen_losses_total{}')).toBe(1)
  expect((await call('/metrics/lanes', token)).status).toBe(503)
  await cluster.server().restart()
  await expect.poll(() => now('database_up{}')).toBe(1)
  await expect.poll(() => now('listening{}')).toBe(1)
  expect(await now('lanes{state="seen"}')).toBe(2)
})

const GOOD = {
  samples: [
    { name: 'milepost_stopped', labels: {}, value: 0 },
    { name: 'milepost_transactions_total', labels: { kind: 'sale' }, value: 3 },
  ],
}

test('a lane that says what no lane says is refused in the log, and the others are shown as they are', async ({
  skip,
}) => {
  const { server, call, say, hello, scrape, tokens, log } = await start(skip, 2)
  const token = makeScrapeToken(server.data)
  await Promise.all([hello(0), hello(1)])
  expect((await say(1, '/lane/metrics', GOOD)).status).toBe(200)
  const info = { version: '1', store_id: '1001', lane_id: '02', mode: 'production' }
  const one = (name: string, labels: object, value: number) => ({ samples: [{ name, labels, value }] })
  const hostile: [number, object][] = [
    [422, one('milepost_lane_info', info, 1)],
    [422, one('milepost_transactions_total', { kind: 'sale' }, -3)],
    [422, { samples: Array.from({ length: 101 }, (_, at) => ({ name: `m${at}`, labels: {}, value: 1 })) }],
    [400, one('milepost_stopped', {}, Number.NaN)],
    [400, { samples: 'milepost_stopped 1' }],
    [413, { samples: Array.from({ length: 3_000 }, () => ({ name: 'milepost_stopped', labels: {}, value: 1 })) }],
  ]
  for (const [status, body] of hostile) expect((await say(0, '/lane/metrics', body)).status).toBe(status)
  expect((await call('/lane/metrics', tokens[0] ?? '', '{"samples":')).status).toBe(400)
  expect((await call('/lane/metrics', null, '{}')).status).toBe(401)

  const lanes = await scrape(token, '/metrics/lanes')
  expect(lanes.get('milepost_lane_up{store="1001",lane="01"}')).toBe(0)
  expect([...lanes.keys()].filter((series) => series.includes('lane="02"')).length).toBe(4)
  expect(lanes.get('milepost_transactions_total{kind="sale",store="1001",lane="02"}')).toBe(3)
  const counted = await scrape(token)
  expect(counted.get('milepost_store_dropped_total{what="lane-metrics"}')).toBe(hostile.length + 1)
  const refused = log.filter((line) => line.includes('what a lane says that it counts was refused'))
  expect(refused.length).toBe(hostile.length + 1)
  expect(JSON.parse(refused[0] ?? '{}')).toMatchObject({ level: 40, store: '1001', lane: '01', why: 'another-lane' })

  // What this server does not know is dropped, and counted: the lane may be newer.
  const newer = { samples: [...GOOD.samples, { name: 'milepost_later_total', labels: {}, value: 1 }] }
  expect(JSON.parse((await say(0, '/lane/metrics', newer)).body.toString())).toEqual({ dropped: 1 })
  expect((await scrape(token)).get('milepost_store_dropped_total{what="lane-series"}')).toBe(1)
  expect((await scrape(token, '/metrics/lanes')).get('milepost_lane_up{store="1001",lane="01"}')).toBe(1)
})

const PLANTED = [
  '84201733915',
  'GIFT-7QKX-42MR-PW9D',
  'N1010100000038K7Q2',
  'Véronique Lacasse-Dubé',
  '739204',
  'c2VjcmV0LXRva2VuLW9mLWEtbGFuZS10aGF0LWlzLW5vdC1tYWRl',
]

test('nothing that lanes bring stands in the log or in the metrics, wherever they put it', async ({ skip }) => {
  const { server, hello, push, call, say, tokens, storage, log } = await start(skip, 2)
  const token = makeScrapeToken(server.data)
  await hello(0)
  // Kept by the database as they came, and what it says of them quotes them.
  const facts = PLANTED.flatMap((secret): Partial<Fact>[] => [
    { kind: secret.slice(0, 40), subject: secret },
    { kind: 'sale', subject: secret, body: { [secret]: secret } },
    { kind: 'voucher-entry', subject: secret, body: { unreadable: secret } },
    { kind: 'held-sale', subject: secret, body: { sale: secret, resumedAs: secret, by: { id: 'a', name: secret } } },
  ])
  expect(
    (
      await push(
        0,
        facts.map((fact, at) => ({ seq: at + 1, ...fact })),
      )
    ).status,
  ).toBe(200)
  expect(await storage.postgres?.query('SELECT 1 FROM fact_aside')).toMatchObject({ count: 3 * PLANTED.length })
  for (const secret of PLANTED) {
    const typed = encodeURIComponent(secret)
    await call(`/lane/${typed}?card=${typed}`, secret.replaceAll(/[^\w-]/g, 'x'))
    await say(0, '/lane/receipts/find', { q: secret.slice(-8), limit: 5 })
    await say(0, '/lane/receipts/one', { id: secret })
    await say(0, '/lane/vouchers/draw', { id: secret, hash: secret, amountCents: 1 })
    await say(0, '/lane/turn/take', { collector: secret, id: randomUUID(), purpose: 'now', waitMs: 0 })
    await say(0, '/lane/hello', { version: secret.slice(0, 20), streams: [{ epoch: 1, name: secret }] })
    await say(0, '/lane/metrics', { samples: [{ name: secret, labels: { [secret.slice(0, 9)]: secret }, value: 1 }] })
    await call('/enrolment/exchange', null, JSON.stringify({ code: secret, proof: secret }))
  }
  // A fault of the program: the database refuses what it is given, and quotes it.
  await storage.postgres?.query(`ALTER TABLE lane ADD CHECK (version <> '${PLANTED[2]}') NOT VALID`)
  const greeting = { version: PLANTED[2], streams: [{ epoch: 1, name: STREAMS[1] }] }
  expect((await say(1, '/lane/hello', greeting)).status).toBe(500)
  const texts = await Promise.all(['/metrics', '/metrics/lanes'].map((at) => call(at, token)))
  const metrics = texts.map(({ body }) => body.toString()).join('')
  const written = await server.stop()
  expect(written.split('\n').filter((line) => line.includes('a fact was set aside')).length).toBe(3 * PLANTED.length)
  expect(log.every((line) => typeof JSON.parse(line) === 'object')).toBe(true)
  const forms = (value: string): string[] => [value, encodeURIComponent(value), Buffer.from(value).toString('hex')]
  const secrets = [...PLANTED, ...tokens, token]
  expect(secrets.filter((secret) => forms(secret).some((form) => `${written}${metrics}`.includes(form)))).toEqual([])
})

test('Prometheus reads both texts', async ({ skip }) => {
  skip(!(await hasPromtool()), NO_PROMTOOL)
  const { server, call, say, hello, scrape } = await start(skip)
  const token = makeScrapeToken(server.data)
  await hello(0)
  await say(0, '/lane/metrics', GOOD)
  await scrape(token)
  for (const at of ['/metrics', '/metrics/lanes']) {
    const text = (await call(at, token)).body.toString()
    await importByPrometheus(text, new Date(Date.now() - 60_000))
    await expect(importByPrometheus(text.replace(/^milepost_/m, '0_'), new Date())).rejects.toThrow(/valid start token/)
  }
})
