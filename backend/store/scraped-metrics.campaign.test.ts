import { randomUUID } from 'node:crypto'
import { request } from 'node:https'
import { expect, test, type TestContext } from 'vitest'
import { LANE_METRICS } from '../../contracts/operations/lane-metrics.ts'
import { MAX_SERIES, seriesNames, type Metric } from '../../contracts/core/metric-table.ts'
import { LANES_METRICS, METRICS_EVERY_MS } from '../../contracts/store/metrics.ts'
import { systemClock } from '../core/clock.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { buy, DETERGENT } from '../../packages/lab/testing/return-steps.ts'
import { connected, sellToStore } from '../../packages/lab/testing/store-vouchers.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import { openTerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { present } from '../../packages/lab/testing/vouchers.ts'
import { traceOfCommand } from '../core/trace.ts'
import type { StorePlace } from './channel.ts'

const central = useCentral()
const store = useStore('01', '02', '03')

const scrape = (place: StorePlace, path: string, token: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    request(new URL(path, place.url), { ca: place.ca ?? undefined, agent: false, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
      .on('error', reject)
      .end()
  })

function seriesOfLane(text: string, lane: string): Map<string, number> {
  const own = new RegExp(`^(\\w+)\\{(.*,)?store="TRAIN-001",lane="${lane}"\\} (\\S+)$`)
  return new Map(
    text.split('\n').flatMap((line) => {
      const [, name = '', labels = '', value] = own.exec(line) ?? []
      return value === undefined ? [] : [[`${name}{${labels.replace(/,$/, '')}}`, Number(value)] as const]
    }),
  )
}

async function openLane(skip: TestContext['skip'], laneId: string) {
  let ahead = 0
  const place = store.place(skip, laneId)
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + ahead }
  const here = await openTerminalHarness(central, { store: place, laneId, staffId: 'sam', clock })
  return { here, place, wait: (ms: number) => (ahead += ms) }
}

const NAMES = new Set(
  [...Object.values<Metric>(LANE_METRICS), ...Object.values<Metric>(LANES_METRICS)].flatMap(seriesNames),
)

test('a lane sends its metrics to the store server once they are scraped there, at its metrics interval', async ({
  skip,
}) => {
  const { here, place, wait } = await openLane(skip, '01')
  await expect.poll(() => here.call('GET', '/api/store').then(({ body }) => body.kind)).toBe('connected')
  await buy(here, [[DETERGENT, 1]], { cash: true })
  expect(await store.query('SELECT lane FROM lane_metrics')).toEqual([])
  expect((await scrape(place, '/metrics/lanes', 'any')).status).toBe(404)

  const token = await store.scrapeToken()
  const from = performance.now()
  expect((await scrape(place, '/metrics/lanes', place.token)).status).toBe(401)
  const scraped = async (): Promise<Map<string, number>> => {
    const { text } = await scrape(place, '/metrics/lanes', token)
    expect(text.endsWith('# EOF\n')).toBe(true)
    return seriesOfLane(text, '01')
  }
  await expect.poll(async () => (await scraped()).get('milepost_transactions_total{kind="sale"}')).toBe(1)
  const before = await scraped()
  expect(before.get('milepost_lane_up{}')).toBe(1)
  expect(before.get('milepost_lane_heard_seconds{}')).toBeLessThan(15)
  expect(before.size).toBeGreaterThan(70)
  expect(before.size).toBeLessThanOrEqual(MAX_SERIES)
  expect([...before.keys()].map((series) => series.replace(/\{.*/, '')).filter((name) => !NAMES.has(name))).toEqual([])

  // Make the stored metrics ten seconds older, so that the lane sends them again at its next interval.
  await buy(here, [[DETERGENT, 1]], { cash: true })
  await store.query("UPDATE lane_metrics SET at = at - interval '10 seconds'")
  wait(15_000)
  await expect.poll(async () => (await scraped()).get('milepost_transactions_total{kind="sale"}')).toBe(2)
  // At most two sends more than one per interval: the first one, and the one after the change above. Heartbeats are
  // more frequent.
  const callsOf = (path: string): number =>
    store.log().filter((line) => line['path'] === path && line['lane'] === '01').length
  await expect.poll(() => callsOf('/lane/heartbeat')).toBeGreaterThan(3)
  const more = Math.floor((performance.now() - from) / METRICS_EVERY_MS)
  expect(callsOf('/lane/metrics')).toBeLessThanOrEqual(2 + more)
  // Samples that are too old are not shown: the lane is then known to the server, but not up.
  await store.query("UPDATE lane_metrics SET at = at - interval '1 minute'")
  const stale = await scraped()
  expect([...stale.keys()]).toEqual(['milepost_lane_up{}', 'milepost_lane_heard_seconds{}'])
  expect(stale.get('milepost_lane_up{}')).toBe(0)
})

test('the server log has the traces of a redemption and of a gift card payment, and no secret', async ({ skip }) => {
  const [other, { here }] = await Promise.all([openLane(skip, '02'), openLane(skip, '03')])
  const code = await sellToStore(store, other.here, 2000)
  await connected(here)
  await here.ring(DETERGENT)
  const { id, version } = await here.swipe('fine')
  const keys = { redemption: randomUUID(), payment: randomUUID() }
  const redeemed = await here.call('POST', `/api/sales/${id}/redemption`, { version, units: 1 }, keys.redemption)
  expect(redeemed.status).toBe(200)
  const { id: voucherId } = Object(await present(here, code))
  const tender = {
    kind: 'voucher',
    version: redeemed.body.sale.version,
    voucherId: String(voucherId),
    amountCents: 100,
  }
  expect((await here.call('POST', `/api/sales/${id}/tenders`, tender, keys.payment)).status).toBe(200)

  const traced = (key: string) => store.log().filter(({ trace }) => trace === traceOfCommand(key))
  await expect
    .poll(() => traced(keys.redemption))
    .toContainEqual(
      expect.objectContaining({ path: '/lane/turn/take', store: 'TRAIN-001', lane: '03', outcome: 'yours' }),
    )
  await expect
    .poll(() => traced(keys.payment))
    .toContainEqual(expect.objectContaining({ path: '/lane/vouchers/draw', lane: '03', outcome: 'granted' }))
  // Requests that no person caused have no trace.
  expect(store.log().filter(({ path, trace }) => path === '/lane/heartbeat' && trace !== undefined)).toEqual([])

  await connected(here)
  const [{ hash } = { hash: '' }] = Object(await store.query('SELECT hash FROM voucher_account'))
  const secrets = [
    code,
    code.replaceAll('-', ''),
    String(hash),
    '80000000011',
    id,
    ...store.tokens(),
    ...Object.values(keys),
  ]
  const log = JSON.stringify(store.log())
  expect(secrets.filter((secret) => secret === '' || log.includes(secret))).toEqual([])
})
