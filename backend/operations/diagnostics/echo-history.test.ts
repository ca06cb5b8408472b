import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EchoResult } from '../../../contracts/operations/diagnostics.ts'
import { openTestDatabase } from '../../core/http/testing.ts'
import {
  ECHO_SQL,
  type EarlierCheck,
  type EchoRepository,
  HOUR_MS,
  RETENTION,
  createEchoRepository,
  isFailure,
  knownMs,
  sharesOf,
} from './diagnostics.sql.ts'

const MINUTE = 60_000
const START = Date.parse('2026-03-01T05:00:00Z')
/** Maximum time between two checks without a gap: two minutes plus the maximum duration of an ECHO. */
const LONGEST = 136_000
const OFFSET = -5 * HOUR_MS

const resultAt = (at: number, good: boolean, latencyMs = 40): EchoResult => ({
  at: new Date(at).toISOString(),
  outcome: good ? 'approved' : 'timeout',
  responseCode: good ? '0000' : null,
  httpStatus: good ? 200 : null,
  latencyMs: good ? latencyMs : null,
  message: null,
  requestHeaders: {},
  traceId: String(at),
})

function adding(results: EchoRepository): (at: number, good: boolean, latencyMs?: number) => number {
  let before: EarlierCheck | null = results.before()
  return (at, good, latencyMs) => {
    const result = resultAt(at, good, latencyMs)
    const known = knownMs(before, { at, monotonic: null }, LONGEST)
    results.add(result, { at, knownMs: known, wasFailing: before?.failed ?? false, offsetMs: OFFSET })
    before = { at, monotonic: null, failed: isFailure(result) }
    return known
  }
}
const totals = (results: EchoRepository) =>
  results.hours(0, Number.MAX_SAFE_INTEGER).reduce(
    (sum, hour) => ({
      checks: sum.checks + hour.checks,
      failures: sum.failures + hour.failures,
      onMs: sum.onMs + hour.onMs,
      downMs: sum.downMs + hour.downMs,
      latency: sum.latency + hour.latencySum,
    }),
    { checks: 0, failures: 0, onMs: 0, downMs: 0, latency: 0 },
  )

test('the time that a check covers is split at full hours of the store, and its shares add up to the whole', () => {
  const half = -3.5 * HOUR_MS
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3 * HOUR_MS }), fc.integer({ min: 0, max: HOUR_MS }), (ago, past) => {
      const at = START + past
      const shares = sharesOf(at, ago, half)
      expect(shares.reduce((sum, { onMs }) => sum + onMs, 0)).toBe(ago)
      expect(shares.filter(({ checks }) => checks === 1)).toHaveLength(1)
      expect(shares.at(-1)).toMatchObject({ checks: 1 })
      for (const { fromMs, onMs } of shares) {
        expect((fromMs + half) % HOUR_MS).toBe(0)
        expect(onMs).toBeLessThanOrEqual(HOUR_MS)
      }
    }),
  )
})

test('hourly sums stay correct after single checks are removed, and gaps count neither as up nor as down', async () => {
  const steps = fc.array(
    fc.record({
      // Most checks follow within `LONGEST`; some after a longer time, in which the lane was off.
      after: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 1_000, max: LONGEST }) },
        { weight: 1, arbitrary: fc.integer({ min: LONGEST + 1, max: 9 * 24 * HOUR_MS }) },
      ),
      good: fc.boolean(),
      latencyMs: fc.integer({ min: 1, max: 8_000 }),
    }),
    { minLength: 1, maxLength: 60 },
  )
  const db = await openTestDatabase()
  fc.assert(
    fc.property(steps, (given) => {
      db.exec('DELETE FROM echo_result; DELETE FROM echo_hour; DELETE FROM echo_outage')
      const results = createEchoRepository(db)
      const add = adding(results)
      const expected = { checks: 0, failures: 0, onMs: 0, downMs: 0, latency: 0 }
      let [at, failing, outages] = [START, false, 0]
      for (const { after, good, latencyMs } of given) {
        at += after
        const known = add(at, good, latencyMs)
        expect(known).toBe(expected.checks > 0 && after <= LONGEST ? after : 0)
        if (!good && !(failing && known > 0)) outages += 1
        expected.checks += 1
        expected.failures += good ? 0 : 1
        expected.onMs += known
        expected.downMs += failing ? known : 0
        expected.latency += good ? latencyMs * 10 : 0
        failing = !good
      }
      expect(totals(results)).toEqual(expected)
      expect(results.outages(0, 100).total).toBe(outages)
      // Single checks are stored for some days, and the sums of their hours longer.
      const oldest = db.prepare('SELECT min(at) FROM echo_result').pluck().get() as number
      expect(oldest).toBeGreaterThanOrEqual(at - RETENTION.days * 24 * HOUR_MS)
    }),
    { numRuns: 60 },
  )
})

test('the current state of the services began at the last change, or after the last gap', async () => {
  const results = createEchoRepository(await openTestDatabase())
  const add = adding(results)
  expect(results.since()).toBeNull()
  const minute = (count: number): number => START + count * MINUTE
  add(minute(0), true)
  add(minute(1), true)
  expect(results.since()).toEqual({ at: minute(0), atLeast: false })
  add(minute(2), false)
  add(minute(3), false)
  expect(results.since()).toEqual({ at: minute(2), atLeast: false })
  expect(results.outages(0, 10).rows).toMatchObject([{ fromAt: minute(2), lastAt: minute(3), toAt: null, checks: 2 }])
  add(minute(4), true)
  add(minute(5), true)
  expect(results.since()).toEqual({ at: minute(4), atLeast: false })
  expect(results.outages(0, 10).rows).toMatchObject([{ toAt: minute(4) }])
  // The lane is off for an hour during the outage, so it is unknown when the outage ended.
  add(minute(6), false)
  add(minute(66), true)
  expect(results.since()).toEqual({ at: minute(66), atLeast: false })
  expect(results.outages(0, 10).rows).toMatchObject([{ fromAt: minute(6), toAt: null }, { toAt: minute(4) }])
  const off = results.hours(0, Number.MAX_SAFE_INTEGER).reduce((sum, { onMs }) => sum + onMs, 0)
  expect(off).toBe(6 * MINUTE)
})

test('between two connection checks, a restart of the program leaves no gap, but a set clock or a sleep does', () => {
  const before = { at: START, monotonic: 5_000, failed: false }
  expect(knownMs(before, { at: START + MINUTE, monotonic: 65_000 }, LONGEST)).toBe(MINUTE)
  expect(knownMs({ ...before, monotonic: null }, { at: START + MINUTE, monotonic: 3 }, LONGEST)).toBe(MINUTE)
  // Three gaps: an hour asleep, which the monotonic clock does not count; a clock set an hour ahead; and one set an
  // hour back.
  expect(knownMs(before, { at: START + HOUR_MS, monotonic: 65_000 }, LONGEST)).toBe(0)
  expect(knownMs(before, { at: START - HOUR_MS, monotonic: 65_000 }, LONGEST)).toBe(0)
  expect(knownMs(before, { at: START + MINUTE, monotonic: 5_000_000 }, LONGEST)).toBe(0)
  expect(knownMs(null, { at: START, monotonic: 0 }, LONGEST)).toBe(0)
})

test('stored checks and outages are limited even with a check every second; hourly sums cover all checks', async () => {
  const db = await openTestDatabase()
  const results = createEchoRepository(db)
  const add = adding(results)
  db.transaction(() => {
    for (let second = 0; second < RETENTION.checks + 500; second += 1) add(START + second * 1_000, second % 3 !== 0)
  })()
  expect(db.prepare('SELECT count(*) FROM echo_result').pluck().get()).toBe(RETENTION.checks)
  expect(results.outages(0, 10)).toMatchObject({ total: RETENTION.outages })
  expect(totals(results).checks).toBe(RETENTION.checks + 500)
})

test('queries of the connection page and of each check use an index', async () => {
  const db = await openTestDatabase()
  const plan = (sql: string): string =>
    db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll('?', '1')}`)
      .all()
      .map(({ detail }) => detail)
      .join('; ')
  expect(plan(ECHO_SQL.hours)).toBe('SEARCH echo_hour USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)')
  expect(plan(ECHO_SQL.outages)).toBe('SEARCH echo_outage USING INDEX echo_outage_last (last_at>?)')
  expect(plan(ECHO_SQL.outagesInAll)).toBe('SEARCH echo_outage USING COVERING INDEX echo_outage_last (last_at>?)')
  expect(plan(ECHO_SQL.lastFailureOrGap)).toContain('echo_result_turn')
  expect(plan(ECHO_SQL.oldChecks)).not.toMatch(/SCAN echo_result(?!$|;)/)
})
