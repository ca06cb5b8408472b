import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clockOf, spansOf } from './report-days.ts'
import { dayAfter, startOf } from '../../core/zone.ts'

const ZONE = 'America/Toronto'
const HOUR = 3_600_000
const range = (from: string, to = from) => ({ from, to })
const at = (day: string, hour: number): number => startOf(day, ZONE) + hour * HOUR

describe('the time spans that a report reads', () => {
  test('contain each requested day and the same weekday a week earlier', () => {
    expect(spansOf(range('2026-07-15'), at('2026-08-01', 0), ZONE)).toEqual([
      { day: '2026-07-08', from: at('2026-07-08', 0), before: at('2026-07-09', 0), now: false, compared: true },
      { day: '2026-07-15', from: at('2026-07-15', 0), before: at('2026-07-16', 0), now: true, compared: false },
    ])
  })

  test('include the last day of the calendar', () => {
    const days = spansOf(range('9999-12-30', '9999-12-31'), at('2026-08-01', 0), ZONE).filter(({ now }) => now)
    expect(days.map(({ day }) => day)).toEqual(['9999-12-30', '9999-12-31'])
  })

  test('compare a day that is not over with the same part of the day a week earlier', () => {
    const [before] = spansOf(range('2026-07-15'), at('2026-07-15', 12), ZONE)
    expect(before).toEqual({
      day: '2026-07-08',
      from: at('2026-07-08', 0),
      before: at('2026-07-08', 12),
      now: false,
      compared: true,
    })
  })

  test('have 23 or 25 hours when the clocks change, and count a repeated hour as one hour of the clock', () => {
    const lengths = spansOf(range('2026-03-08'), at('2026-12-01', 0), ZONE).map(({ from, before }) => before - from)
    expect(lengths).toEqual([24 * HOUR, 23 * HOUR])
    const [, autumn] = spansOf(range('2026-11-01'), at('2026-12-01', 0), ZONE)
    if (!autumn) throw new Error('a day has a span')
    expect(autumn.before - autumn.from).toBe(25 * HOUR)
    const clock = clockOf(autumn, ZONE)
    expect([0, 1, 2, 3, 24].map((hours) => clock(autumn.from + hours * HOUR))).toEqual([0, 1, 1, 2, 23])
  })

  test('assign moments to clock hours if a span begins within an hour, in a zone with a half-hour offset', () => {
    const from = startOf('2026-07-15', 'America/St_Johns') + 14 * HOUR + 20 * 60_000
    const clock = clockOf({ from, before: from + 3 * HOUR }, 'America/St_Johns')
    expect([0, 39, 40, 99, 100].map((minutes) => clock(from + minutes * 60_000))).toEqual([14, 14, 15, 15, 16])
  })

  test('contain each moment of a date range, and of the same days a week earlier, exactly once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 0, max: 23 }),
        (first, length, hour) => {
          const from = dayAfter('2026-01-01', first)
          const to = dayAfter(from, length)
          const now = at(dayAfter(to, length % 2), hour)
          const spans = spansOf({ from, to }, now, ZONE)
          const total = (which: 'now' | 'compared'): number =>
            spans.filter((span) => span[which]).reduce((sum, span) => sum + span.before - span.from, 0)
          expect(total('now')).toBe(startOf(to, ZONE, 1) - startOf(from, ZONE))
          const until = Math.min(startOf(to, ZONE, -6), startOf(dayAfter(to, (length % 2) - 7), ZONE) + hour * HOUR)
          const missing = startOf(dayAfter(from, -7), ZONE) + total('compared') - until
          expect(Math.abs(missing), 'except for the hour of a change of clocks').toBeLessThanOrEqual(HOUR)
          for (const [index, span] of spans.entries())
            expect(span.from).toBeGreaterThanOrEqual(spans[index - 1]?.before ?? 0)
        },
      ),
      { numRuns: 200 },
    )
  })
})
