import { expect, test } from 'vitest'
import { openTestDatabase } from '../../core/http/testing.ts'
import { addYear, YEAR } from './echo-year.fixture.ts'
import { createEchoRepository, RETENTION } from './diagnostics.sql.ts'

const BOUNDS = { checks: RETENTION.days * 24 * 60 + 1, hours: 366 * 24, bytes: 8_000_000 }

test('a year of checks every minute stays within the limits of rows and size, and its sums are exact', async () => {
  const db = await openTestDatabase()
  const size = (): number =>
    Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }))
  const empty = size()
  const results = createEchoRepository(db)
  const added = addYear(db, results)
  const count = (table: string): number => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number
  expect(count('echo_result')).toBeLessThanOrEqual(BOUNDS.checks)
  expect(count('echo_hour')).toBeLessThanOrEqual(BOUNDS.hours)
  expect(count('echo_outage')).toBeLessThanOrEqual(RETENTION.outages)
  expect(size() - empty).toBeLessThan(BOUNDS.bytes)
  const hours = results.hours(YEAR.from, YEAR.until)
  expect(hours.reduce((sum, { checks }) => sum + checks, 0)).toBe(added.checks)
  expect(hours.reduce((sum, { failures }) => sum + failures, 0)).toBe(added.failures)
}, 300_000)
