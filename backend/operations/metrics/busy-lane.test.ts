import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MAX_SERIES } from '../../../contracts/core/metric-table.ts'
import { makeScrapeToken } from '../../../packages/delivery/metrics-registry.ts'
import { openDatabase } from '../../core/db/database.ts'
import { COUNT_BY_STATE } from '../../core/outbox/operation-lists.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { buy, DETERGENT, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

const scrape = async (here: TerminalHarness, token: string): Promise<string> => {
  const response = await fetch(`${here.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(200)
  return response.text()
}
const seriesIn = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

const BROUGHT = ['84201733915', '4539148803436467', '739204', 'Véronique Lacasse-Dubé', 'eyJhbGciOi.c2VjcmV0LXRva2Vu']

async function busyDay(here: TerminalHarness): Promise<string[]> {
  const receipts: string[] = []
  for (const [units, cash] of [
    [0, true],
    [2, false],
    [1, true],
  ] as const) {
    const sale = await buy(here, [[DETERGENT, 1]], { card: 'fine', units, cash })
    receipts.push(sale.id)
    if (units === 0) await returnPieces(here, sale, [1, 1])
  }
  for (const text of BROUGHT) {
    await here.call('POST', '/api/devices/keys', { text })
    await here.call('POST', '/api/devices/keyed-collector', { number: text })
    await here.call('POST', '/api/sign-in', { staffId: 'alex', pin: text })
    await here.call('POST', '/api/sales/current/lines', { sku: text, quantity: 1 })
    await fetch(`${here.url}/metrics`, { headers: { authorization: `Bearer ${encodeURIComponent(text)}` } })
  }
  await here.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
  for (const kind of ['drop-before', 'drop-after']) {
    await central.faults({ path: '/checkout/loyaltycash/redeem', action: { kind } })
    receipts.push((await buy(here, [[DETERGENT, 1]], { card: 'fine', units: 1, cash: true })).id)
  }
  await central.faults({ path: '/checkout/issuance/*', action: { kind: 'answer', status: 503, body: {} } })
  receipts.push((await buy(here, [[DETERGENT, 1]], { card: 'fine', cash: true })).id)
  await central.clearFaults()
  return receipts
}

test('a busy lane has at most a hundred metric series, without any person, card, receipt or secret', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  const token = makeScrapeToken(here.folder)
  const before = seriesIn(await scrape(here, token))
  const receipts = await busyDay(here)

  const text = await scrape(here, token)
  const series = seriesIn(text)
  expect(series.length).toBeLessThanOrEqual(MAX_SERIES)
  // Sales add only few series, for the latencies and states that occur; all others exist from the start on.
  expect(series.length - before.length).toBeLessThan(20)
  const stored = here.read<{ value: string }>(
    `SELECT id AS value FROM operation UNION SELECT idempotency_key FROM operation_call WHERE idempotency_key
      IS NOT NULL UNION SELECT trace_id FROM operation_call UNION SELECT key FROM command UNION SELECT name FROM staff`,
  )
  const held = [
    ...BROUGHT,
    ...receipts,
    ...stored.map(({ value }) => value),
    token,
    central.clientSecret,
    '80000000011',
  ]
  expect(held.length).toBeGreaterThan(40)
  const forms = (value: string): string[] => [
    value,
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
    Buffer.from(value).toString('hex'),
  ]
  expect(held.filter((value) => forms(value).some((form) => text.includes(form)))).toEqual([])
})

test('a scrape during a sale counts thousands of queued calls by indexes, without a full scan', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  const token = makeScrapeToken(here.folder)
  await buy(here, [[DETERGENT, 1]], { card: 'fine', cash: true })
  await here.untilOperation('issue', 'confirmed')
  waitMany(here, 5_000)
  const plan = here.read<{ detail: string }>(`EXPLAIN QUERY PLAN ${COUNT_BY_STATE}`).map(({ detail }) => detail)
  expect(plan.filter((step) => step.startsWith('SCAN ') && !/INDEX operation_|CONSTANT ROW/.test(step))).toEqual([])
  expect(plan.join('\n')).toContain('USING INDEX operation_open')

  const [text, sale] = await Promise.all([scrape(here, token), buy(here, [[DETERGENT, 1]], { cash: true })])
  expect(text).toContain('milepost_outbox_operations{state="waiting"} 5000')
  expect(sale.state).toBe('completed')
})

/**
 * Writes rows of queued calls through another connection: the program counts them, and cannot send them, because they
 * have no collector.
 */
function waitMany(here: TerminalHarness, count: number): void {
  const db = openDatabase(join(here.folder, 'terminal.db'))
  const given: Readonly<Record<string, string>> = {
    id: "'waiting-' || number",
    state: "'queued'",
    open: '1',
    collector_hash: 'randomblob(32)',
    created_at: 'created_at - number',
  }
  try {
    const columns = db.prepare<[], string>("SELECT name FROM pragma_table_info('operation')").pluck().all()
    db.prepare<[number]>(
      `INSERT INTO operation (${columns.join(', ')})
        WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?)
        SELECT ${columns.map((name) => given[name] ?? name).join(', ')} FROM numbers CROSS JOIN operation
        WHERE operation.type = 'issue'`,
    ).run(count)
  } finally {
    db.close()
  }
}
