import { expect, test } from 'vitest'
import { isWholeCampaign } from '../campaign.ts'
import type { Rule } from './judge/finding.ts'
import { runStore } from './run.ts'

/** Errors that the test puts into the store’s database, each with the rule that must find it. */
const PLANTED: readonly (readonly [what: string, rule: Rule, sql: string])[] = [
  [
    'a missing sale',
    'printed-in-books',
    `DELETE FROM fact WHERE (stream, seq) IN (SELECT stream, seq FROM fact
      WHERE kind = 'sale' AND body ->> 'state' = 'completed' LIMIT 1)`,
  ],
  [
    'a doubled sale',
    'pushed-once',
    `INSERT INTO fact (stream, seq, kind, subject, at, body) SELECT stream, applied + 1, kind, subject, at, body
      FROM fact JOIN stream ON name = stream WHERE kind = 'sale' LIMIT 1`,
  ],
  [
    'a changed amount',
    'printed-in-books',
    `UPDATE fact SET body = jsonb_set(body, '{totals,totalCents}', '1') WHERE (stream, seq) IN (
      SELECT stream, seq FROM fact WHERE kind = 'sale' AND body ->> 'state' = 'completed' LIMIT 1)`,
  ],
  [
    'an overspent voucher',
    'voucher',
    `INSERT INTO fact (stream, seq, kind, subject, at, body) SELECT stream, applied + 1, kind, 'planted', at,
      body || '{"kind": "redeemed", "amountCents": 1000000}' FROM fact JOIN stream ON name = stream
      WHERE kind = 'voucher-entry' LIMIT 1`,
  ],
  [
    'a return made twice',
    'return-money',
    `INSERT INTO fact (stream, seq, kind, subject, at, body) SELECT stream, applied + n, kind, 'planted' || n, at, body
      FROM fact JOIN stream ON name = stream, generate_series(1, 9) AS n
      WHERE kind = 'return' AND (stream, seq) IN (SELECT stream, seq FROM fact WHERE kind = 'return' LIMIT 1)`,
  ],
]

test('a store loses no record under kills and partitions, and the judge finds errors put into its database', async ({
  skip,
}) => {
  const found = new Map<string, Rule[]>()
  const result = await runStore({
    lanes: 3,
    sales: isWholeCampaign ? 5_000 : 120,
    seconds: isWholeCampaign ? 1_800 : 20,
    seed: 20,
    everyMs: 1_000,
    minimumFaults: 3,
    pauseMs: 0,
    fsync: true,
    log: console.log,
    async atEnd({ planted }, rejudge) {
      for (const [what, , sql] of PLANTED)
        found.set(what, await planted(sql, async (query) => (await rejudge(query)).map(({ rule }) => rule)))
    },
  })
  if (typeof result === 'string') return skip(result)
  expect(result.found).toEqual([])
  expect([...result.faults.values()].reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(3)
  for (const [what, rule] of PLANTED) expect(found.get(what), what).toContain(rule)
}, 2_400_000)
