import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:https'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import type { Fact } from '../../../contracts/store/protocol.ts'
import { makeScrapeToken } from '../../delivery/metrics-registry.ts'
import { usePostgres } from '../testing/postgres.ts'
import { GOOD, startScraped, STREAMS } from './scraped-server.fixture.ts'

const cluster = usePostgres({ port: 0, fsync: false })
const start = (skip: TestContext['skip'], lanes?: number) => startScraped(cluster, skip, lanes)

test('invalid metric samples of a lane are refused and logged, and the metrics of other lanes stay unchanged', async ({
  skip,
}) => {
  const { server, call, callAs, sendAs, hello, scrape, log, postgres } = await start(skip, 2)
  const token = makeScrapeToken(server.data)
  await Promise.all([hello(0), hello(1)])
  expect((await sendAs(1, '/lane/metrics', GOOD)).status).toBe(200)
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
  for (const [status, body] of hostile) expect((await sendAs(0, '/lane/metrics', body)).status).toBe(status)
  expect((await callAs(0, '/lane/metrics', '{"samples":')).status).toBe(400)
  expect((await call('/lane/metrics', null, '{}')).status).toBe(401)

  const lanes = await scrape(token, '/metrics/lanes')
  expect(lanes.get('milepost_lane_up{store="1001",lane="01"}')).toBe(0)
  expect([...lanes.keys()].filter((series) => series.includes('lane="02"')).length).toBe(4)
  expect(lanes.get('milepost_transactions_total{kind="sale",store="1001",lane="02"}')).toBe(3)
  const counted = await scrape(token)
  expect(counted.get('milepost_store_dropped_total{what="lane-metrics"}')).toBe(hostile.length + 1)
  const refused = log.filter((line) => line.includes('samples of a lane were refused'))
  expect(refused.length).toBe(hostile.length + 1)
  expect(JSON.parse(refused[0] ?? '{}')).toMatchObject({ level: 40, store: '1001', lane: '01', why: 'another-lane' })

  // Samples with an unknown name are dropped and counted, because the lane may be newer.
  const newer = { samples: [...GOOD.samples, { name: 'milepost_later_total', labels: {}, value: 1 }] }
  expect(JSON.parse((await sendAs(0, '/lane/metrics', newer)).body.toString())).toEqual({ dropped: 1 })
  expect((await scrape(token)).get('milepost_store_dropped_total{what="lane-series"}')).toBe(1)
  const isUp = async () => (await scrape(token, '/metrics/lanes')).get('milepost_lane_up{store="1001",lane="01"}')
  expect(await isUp()).toBe(1)

  await postgres.query("UPDATE lane_metrics SET at = at + interval '1 day'")
  await postgres.query("UPDATE lane SET known_since = known_since + interval '1 day'")
  expect(await isUp()).toBe(0)
  expect((await scrape(token)).get('milepost_store_lanes{state="silent"}')).toBe(2)
  const lastSeen = (await scrape(token, '/metrics/lanes')).get('milepost_lane_heard_seconds{store="1001",lane="01"}')
  expect(lastSeen).toBeGreaterThan(80_000)
  expect((await sendAs(0, '/lane/metrics', GOOD)).status).toBe(200)
  expect(await isUp()).toBe(1)
})

const PLANTED = [
  '84201733915',
  'GIFT-7QKX-42MR-PW9D',
  'N1010100000038K7Q2',
  'Véronique Lacasse-Dubé',
  '739204',
  'c2VjcmV0LXRva2VuLW9mLWEtbGFuZS10aGF0LWlzLW5vdC1tYWRl',
]

test("input of a lane never appears in the server's log or metrics", async ({ skip }) => {
  const { server, hello, push, call, sendAs, tokens, postgres, log } = await start(skip, 2)
  const token = makeScrapeToken(server.data)
  await hello(0)
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
  expect(await postgres.query('SELECT 1 FROM fact_aside')).toMatchObject({ count: 3 * PLANTED.length })
  for (const secret of PLANTED) {
    const typed = encodeURIComponent(secret)
    await call(`/lane/${typed}?card=${typed}`, secret.replaceAll(/[^\w-]/g, 'x'))
    await sendAs(0, '/lane/receipts/find', { q: secret.slice(-8), limit: 5 })
    await sendAs(0, '/lane/receipts/one', { id: secret })
    await sendAs(0, '/lane/vouchers/draw', { id: secret, hash: secret, amountCents: 1 })
    await sendAs(0, '/lane/turn/take', { collector: secret, id: randomUUID(), purpose: 'now', waitMs: 0 })
    await sendAs(0, '/lane/hello', { version: secret.slice(0, 20), streams: [{ epoch: 1, name: secret }] })
    await sendAs(0, '/lane/metrics', {
      samples: [{ name: secret, labels: { [secret.slice(0, 9)]: secret }, value: 1 }],
    })
    await call('/enrolment/exchange', null, JSON.stringify({ code: secret, proof: secret }))
  }
  // Simulates an error of this program: the database rejects a value and quotes it.
  await postgres.query('ALTER TABLE lane ALTER COLUMN version TYPE integer USING NULL')
  const planted = { version: PLANTED[2], streams: [{ epoch: 1, name: STREAMS[1] }] }
  expect((await sendAs(1, '/lane/hello', planted)).status).toBe(500)
  const texts = await Promise.all(['/metrics', '/metrics/lanes'].map((at) => call(at, token)))
  const metrics = texts.map(({ body }) => body.toString()).join('')
  const written = await server.stop()
  expect(written.split('\n').filter((line) => line.includes('a fact was quarantined')).length).toBe(3 * PLANTED.length)
  expect(log.every((line) => typeof JSON.parse(line) === 'object')).toBe(true)
  const forms = (value: string): string[] => [value, encodeURIComponent(value), Buffer.from(value).toString('hex')]
  const secrets = [...PLANTED, ...tokens, token]
  expect(secrets.filter((secret) => forms(secret).some((form) => `${written}${metrics}`.includes(form)))).toEqual([])
})

test('a request without authentication is refused before its body is read', async ({ skip }) => {
  const { server } = await start(skip)
  const ca = server.certificate.certificate
  for (const authorization of ['', `Bearer ${'x'.repeat(43)}`]) {
    const headers = { 'content-type': 'application/json', 'content-length': 3_000_000, authorization }
    const call = request(`${server.url}/lane/facts`, { method: 'POST', ca, agent: false, headers })
    onTestFinished(() => void call.on('error', () => undefined).destroy())
    call.write('{"protocol":1,')
    const [answer] = await once(call, 'response')
    expect(answer.statusCode).toBe(401)
  }
})

test('many concurrent health checks leave database connections for the lanes', async ({ skip }) => {
  const { call, hello, postgres } = await start(skip)
  let asked: Promise<{ status: number }[]> | undefined
  await postgres.transaction(async (tx) => {
    await tx.query('LOCK TABLE schema_migration IN ACCESS EXCLUSIVE MODE')
    asked = Promise.all(Array.from({ length: 40 }, () => call('/health', null)))
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'schema_migration'"
    await expect.poll(async () => (await postgres.query(waiting)).count).toBeGreaterThan(0)
    expect((await hello(0)).status).toBe(200)
  })
  expect((await asked)?.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200))
})
