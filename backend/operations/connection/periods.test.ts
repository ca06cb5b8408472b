import { expect, test } from 'vitest'
import { HOUR_MS } from '../diagnostics/diagnostics.sql.ts'
import { edgesOf, hoursByInterval, sumsOf } from './calls.ts'

const iso = (edges: readonly number[]): string[] => edges.map((at) => new Date(at).toISOString())
const hour = (fromMs: number, change = {}) => ({
  fromMs,
  checks: 60,
  failures: 0,
  onMs: HOUR_MS,
  downMs: 0,
  timed: 60,
  latencySum: 24_000,
  latencyLeast: 200,
  latencyMost: 900,
  ...change,
})

test('the period of a day is the last 24 hours in full hours of store time, with the current hour last', () => {
  const now = Date.parse('2026-11-21T14:03:12.500Z')
  const toronto = iso(edgesOf('day', now, 'America/Toronto'))
  expect(toronto).toHaveLength(25)
  expect([toronto[0], toronto.at(-1)]).toEqual(['2026-11-20T15:00:00.000Z', '2026-11-21T15:00:00.000Z'])
  expect(iso(edgesOf('day', now, 'America/St_Johns')).at(-1)).toBe('2026-11-21T14:30:00.000Z')
})

test('the days of a month’s period have 23 or 25 hours when clocks change, and the edges of each period ascend', () => {
  const spring = edgesOf('month', Date.parse('2026-03-10T16:00:00Z'), 'America/Toronto')
  const lengths = spring.slice(1).map((edge, index) => (edge - (spring[index] ?? 0)) / HOUR_MS)
  expect(lengths).toHaveLength(30)
  expect(lengths.filter((one) => one === 23)).toHaveLength(1)
  const autumn = edgesOf('month', Date.parse('2026-11-21T16:00:00Z'), 'America/Toronto')
  expect(autumn.slice(1).map((edge, index) => (edge - (autumn[index] ?? 0)) / HOUR_MS)).toContain(25)
  for (const period of ['day', 'week', 'month', 'year'] as const) {
    const edges = edgesOf(period, Date.parse('2026-11-21T16:00:00Z'), 'America/Toronto')
    expect(edges.toSorted((one, other) => one - other)).toEqual(edges)
    expect(edges.at(-1)).toBeGreaterThan(Date.parse('2026-11-21T16:00:00Z'))
  }
})

test('the intervals of a period add up to its total, and an interval in which the lane was off counts no time', () => {
  const start = Date.parse('2026-11-21T05:00:00Z')
  const edges = [0, 6, 12, 18, 24].map((hours) => start + hours * HOUR_MS)
  const hours = [0, 1, 7, 20].map((one) => hour(start + one * HOUR_MS, { failures: one, downMs: one * 1_000 }))
  const intervals = hoursByInterval(hours, edges).map(sumsOf)
  expect(intervals.map(({ checks }) => checks)).toEqual([120, 60, 0, 60])
  expect(intervals[2]).toEqual({
    checks: 0,
    failures: 0,
    onMs: 0,
    downMs: 0,
    latencyMeanMs: null,
    latencyMinMs: null,
    latencyMaxMs: null,
  })
  const whole = sumsOf(hours)
  for (const name of ['checks', 'failures', 'onMs', 'downMs'] as const)
    expect(intervals.reduce((sum, interval) => sum + interval[name], 0)).toBe(whole[name])
  expect(whole).toMatchObject({ latencyMeanMs: 40, latencyMinMs: 20, latencyMaxMs: 90 })
})
