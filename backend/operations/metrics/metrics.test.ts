import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { LANE_METRICS } from '../../../contracts/operations/lane-metrics.ts'
import { MAX_SERIES, seriesNames, seriesOf, type Metric } from '../../../contracts/core/metric-table.ts'
import { forgetScrapeToken, makeScrapeToken } from '../../../packages/delivery/metrics-registry.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { buy, DETERGENT, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

const scrape = (here: TerminalHarness, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${here.url}/metrics`, { headers })

async function scraped(here: TerminalHarness, token: string): Promise<Map<string, number>> {
  const response = await scrape(here, { authorization: `Bearer ${token}` })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
  const text = await response.text()
  expect(text.endsWith('# EOF\n')).toBe(true)
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

test('no lane can have more than a hundred metric series', () => {
  const most = Object.values<Metric>(LANE_METRICS).reduce((sum, metric) => sum + seriesOf(metric), 0)
  expect(most).toBeLessThanOrEqual(MAX_SERIES)
})

test('only the valid metrics token can scrape a lane, not a wrong or revoked one or a session', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  expect((await scrape(here)).status).toBe(404)
  expect((await scrape(here, { authorization: 'Bearer any' })).status).toBe(404)

  const token = makeScrapeToken(here.folder)
  await scraped(here, token)
  const refused: Record<string, string>[] = [
    {},
    here.windowHeaders,
    { authorization: 'Bearer ' },
    { authorization: token },
    { authorization: `Bearer ${token.slice(0, -1)}` },
    { authorization: `Bearer ${token}x` },
    { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` },
  ]
  for (const headers of refused) {
    const answer = await scrape(here, headers)
    expect(answer.status, JSON.stringify(headers)).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(await answer.text()).not.toContain('milepost_')
  }
  // The metrics token gives access to no other route.
  const others = await fetch(`${here.url}/api/queue`, { headers: { authorization: `Bearer ${token}` } })
  expect(others.status).toBe(401)

  const another = makeScrapeToken(here.folder)
  expect((await scrape(here, { authorization: `Bearer ${token}` })).status).toBe(401)
  await scraped(here, another)
  forgetScrapeToken(here.folder)
  expect((await scrape(here, { authorization: `Bearer ${another}` })).status).toBe(404)
})

test('sales, tenders, a redemption, an issuance and a return each increase their own metrics', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  const token = makeScrapeToken(here.folder)
  const before = await scraped(here, token)
  expect(before.get('milepost_transactions_total{kind="sale"}')).toBe(0)
  expect(before.get('milepost_redemptions_total{outcome="approved"}')).toBe(0)

  const cash = await buy(here, [[DETERGENT, 1]], { cash: true })
  await buy(here, [[DETERGENT, 2]], { card: 'fine', units: 2 })
  await here.untilOperation('issue', 'confirmed')
  await returnPieces(here, cash, [1, 1])
  await here.printed(cash.id)

  const after = await scraped(here, token)
  const count = (name: string): number => after.get(name) ?? Number.NaN
  expect(count('milepost_transactions_total{kind="sale"}')).toBe(2)
  expect(count('milepost_transactions_total{kind="return"}')).toBe(1)
  expect(count('milepost_transactions_total{kind="sale-cancelled"}')).toBe(0)
  expect(count('milepost_tenders_total{kind="cash"}')).toBe(1)
  expect(count('milepost_tenders_total{kind="miles"}')).toBe(1)
  expect(count('milepost_tenders_total{kind="card"}')).toBe(1)
  expect(count('milepost_redemptions_total{outcome="approved"}')).toBe(1)
  expect(count('milepost_redemptions_total{outcome="declined"}')).toBe(0)
  expect(count('milepost_issuances_total{outcome="confirmed"}')).toBe(1)
  expect(count('milepost_print_jobs_total{state="confirmed"}')).toBeGreaterThan(0)
  expect(count('milepost_central_calls_total{service="issuance",outcome="answer"}')).toBeGreaterThan(0)
  expect(count('milepost_central_calls_total{service="cash",outcome="error"}')).toBe(0)
  expect(count('milepost_central_call_seconds_count{service="cash"}')).toBe(
    count('milepost_central_calls_total{service="cash",outcome="answer"}'),
  )
  expect(count('milepost_commit_seconds_count')).toBeGreaterThan(before.get('milepost_commit_seconds_count') ?? 0)
  expect(count('milepost_device_state{device="printer"}')).toBe(3)
  expect(count('milepost_device_state{device="card-terminal"}')).toBeNaN()
  expect(count('milepost_stopped')).toBe(0)
  expect(count('milepost_memory_bytes{kind="resident"}')).toBeGreaterThan(10e6)
  expect(count('milepost_log_lines_total{level="info"}')).toBeGreaterThan(0)
  expect([...after.keys()].map((series) => series.replace(/\{.*/, '')).filter((name) => !KNOWN.has(name))).toEqual([])
})
const KNOWN = new Set(Object.values<Metric>(LANE_METRICS).flatMap(seriesNames))

async function unusedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

test('the metrics show that services do not answer, and how many calls wait for them', async () => {
  const here = await openTerminalHarness(central, { issuanceUrl: await unusedAddress() })
  const token = makeScrapeToken(here.folder)
  await buy(here, [[DETERGENT, 1]], { card: 'fine', cash: true })
  let now = await scraped(here, token)
  while (
    !now.get('milepost_central_calls_total{service="issuance",outcome="unsent"}') ||
    now.get('milepost_outbox_operations{state="waiting"}') !== 1
  )
    now = await scraped(here, token)
  expect(now.get('milepost_outbox_oldest_seconds')).toBeGreaterThan(0)
})

test('scrapes at the same time each get a complete answer', async () => {
  const here = await openTerminalHarness(central)
  const token = makeScrapeToken(here.folder)
  const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => scraped(here, token)))
  // Calls that end during the scrapes may add series.
  for (const samples of others) expect([...samples.keys()]).toEqual(expect.arrayContaining([...(first?.keys() ?? [])]))
})
