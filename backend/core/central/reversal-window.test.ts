import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reversalDeadline, reversalOpen } from './reversal-window.ts'
import { localDateTimeAt } from '../zone.ts'

const HOUR = 3_600_000
const hoursFrom = (transDateTime: string, zone: string): number =>
  (reversalDeadline(transDateTime, zone) - Date.parse(transDateTime)) / HOUR
const deadline = (transDateTime: string, zone: string): string =>
  new Date(reversalDeadline(transDateTime, zone)).toISOString()

describe('the reversal window', () => {
  it('lasts 26½ hours for a redemption at 00:30', () => {
    expect(hoursFrom('2026-06-10T00:30:00-04:00', 'America/Toronto')).toBe(26.5)
  })
  it('lasts 3½ hours for a redemption at 23:30', () => {
    expect(hoursFrom('2026-06-10T23:30:00-04:00', 'America/Toronto')).toBe(3.5)
  })
  it('is decided by the local date at the store, not by the date in UTC', () => {
    // 03:30 UTC on 21 November is 22:30 on 20 November in Toronto.
    expect(deadline('2026-11-21T03:30:00Z', 'America/Toronto')).toBe('2026-11-21T08:00:00.000Z')
    expect(deadline('2026-11-21T05:30:00Z', 'America/Toronto')).toBe('2026-11-22T08:00:00.000Z')
  })
  it('closes at exactly 03:00', () => {
    const closes = Date.parse('2026-06-11T07:00:00Z')
    expect(reversalOpen(closes - 1, '2026-06-10T12:00:00-04:00', 'America/Toronto')).toBe(true)
    expect(reversalOpen(closes, '2026-06-10T12:00:00-04:00', 'America/Toronto')).toBe(false)
  })
  it('treats a redemption time without an offset as local time of the store', () => {
    expect(deadline('2026-06-10T23:30:00', 'America/Vancouver')).toBe('2026-06-11T10:00:00.000Z')
  })
  it('is calculated from redemption times with fractions and with offsets without a colon', () => {
    expect(deadline('2026-06-10T23:30:00.123-0400', 'America/Toronto')).toBe('2026-06-11T07:00:00.000Z')
  })
  it('is closed when the redemption time cannot be read', () => {
    for (const text of ['', 'yesterday', '2026-13-40T00:00:00Z', 'null']) {
      expect(reversalDeadline(text, 'America/Toronto')).toBeNaN()
      expect(reversalOpen(0, text, 'America/Toronto')).toBe(false)
    }
  })
  it('handles the end of a year and a leap day', () => {
    expect(deadline('2026-12-31T12:00:00-05:00', 'America/Toronto')).toBe('2027-01-01T08:00:00.000Z')
    expect(deadline('2028-02-28T12:00:00-05:00', 'America/Toronto')).toBe('2028-02-29T08:00:00.000Z')
  })
})

describe('the reversal window on days of clock changes', () => {
  it.each([
    // Columns: zone, time of redemption, end of the window (UTC), length of the window in hours.
    ['America/Toronto', '2026-03-07T00:30:00-05:00', '2026-03-08T07:00:00.000Z', 25.5],
    ['America/Toronto', '2026-03-08T01:30:00-05:00', '2026-03-09T07:00:00.000Z', 24.5],
    ['America/Toronto', '2026-10-31T00:30:00-04:00', '2026-11-01T08:00:00.000Z', 27.5],
    // 01:30 occurs twice on 1 November.
    ['America/Toronto', '2026-11-01T01:30:00-04:00', '2026-11-02T08:00:00.000Z', 26.5],
    ['America/Toronto', '2026-11-01T01:30:00-05:00', '2026-11-02T08:00:00.000Z', 25.5],
    ['America/St_Johns', '2026-03-07T00:30:00-03:30', '2026-03-08T05:30:00.000Z', 25.5],
    ['America/St_Johns', '2026-10-31T00:30:00-02:30', '2026-11-01T06:30:00.000Z', 27.5],
    // Saskatchewan has no clock changes.
    ['America/Regina', '2026-03-07T00:30:00-06:00', '2026-03-08T09:00:00.000Z', 26.5],
    ['America/Regina', '2026-10-31T00:30:00-06:00', '2026-11-01T09:00:00.000Z', 26.5],
    // The last clock change in British Columbia.
    ['America/Vancouver', '2026-03-07T00:30:00-08:00', '2026-03-08T10:00:00.000Z', 25.5],
  ])('in zone %s, for a redemption at %s, closes at %s', (zone, redeemedAt, closes, hours) => {
    expect(deadline(redeemedAt, zone)).toBe(closes)
    expect(hoursFrom(redeemedAt, zone)).toBe(hours)
  })

  it.each([
    ['British Columbia', 'America/Vancouver', '2026-10-31T00:30:00-07:00', '2026-11-01T10:00:00.000Z'],
    ['British Columbia', 'America/Vancouver', '2027-01-15T12:00:00-07:00', '2027-01-16T10:00:00.000Z'],
    ['Alberta', 'America/Edmonton', '2026-10-31T00:30:00-06:00', '2026-11-01T09:00:00.000Z'],
    ['Alberta', 'America/Edmonton', '2027-01-15T12:00:00-06:00', '2027-01-16T09:00:00.000Z'],
    ['the Northwest Territories', 'America/Yellowknife', '2027-01-15T12:00:00-06:00', '2027-01-16T09:00:00.000Z'],
    ['Manitoba', 'America/Winnipeg', '2026-10-31T00:30:00-05:00', '2026-11-01T08:00:00.000Z'],
    ['Manitoba', 'America/Winnipeg', '2027-01-15T12:00:00-05:00', '2027-01-16T08:00:00.000Z'],
  ])(
    'in %s (%s), which stays on summer time from 2026, a redemption at %s closes its window at %s',
    (_, zone, redeemedAt, closes) => {
      expect(deadline(redeemedAt, zone)).toBe(closes)
    },
  )
})

describe('the reversal window of every Canadian zone at any instant', () => {
  const zones = fc.constantFrom(
    'America/Toronto',
    'America/St_Johns',
    'America/Regina',
    'America/Vancouver',
    'America/Halifax',
    'America/Winnipeg',
    'America/Edmonton',
    'America/Whitehorse',
    'America/Iqaluit',
  )
  const instants = fc.oneof(
    fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) }),
    // Days around clock changes, and the last days of 2026, are drawn more often than others.
    fc
      .tuple(
        fc.constantFrom(
          Date.UTC(2025, 2, 9),
          Date.UTC(2025, 10, 2),
          Date.UTC(2026, 2, 8),
          Date.UTC(2026, 10, 1),
          Date.UTC(2027, 2, 14),
          Date.UTC(2027, 10, 7),
        ),
        fc.integer({ min: -36 * HOUR, max: 36 * HOUR }),
      )
      .map(([day, off]) => day + off),
  )
  it('closes at 03:00 on the next local date, 2 to 28 hours after the redemption', () => {
    fc.assert(
      fc.property(instants, zones, (at, zone) => {
        const closes = reversalDeadline(new Date(at).toISOString(), zone)
        expect(closes - at).toBeGreaterThan(2 * HOUR)
        expect(closes - at).toBeLessThanOrEqual(28 * HOUR)
        const wall = localDateTimeAt(closes, zone)
        expect([wall.hour, wall.minute, wall.second, wall.millisecond]).toEqual([3, 0, 0, 0])
        expect(wall.toPlainDate().toString()).toBe(localDateTimeAt(at, zone).toPlainDate().add({ days: 1 }).toString())
      }),
      { numRuns: 2_000 },
    )
  })
  it('never closes earlier for a later redemption', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: 0, max: 3 * 24 * HOUR }), zones, (at, later, zone) => {
        expect(reversalDeadline(new Date(at + later).toISOString(), zone)).toBeGreaterThanOrEqual(
          reversalDeadline(new Date(at).toISOString(), zone),
        )
      }),
      { numRuns: 2_000 },
    )
  })
  it('is open before the deadline and closed from then on', () => {
    fc.assert(
      fc.property(instants, zones, fc.integer({ min: -30 * HOUR, max: 30 * HOUR }), (at, zone, off) => {
        const redeemedAt = new Date(at).toISOString()
        const closes = reversalDeadline(redeemedAt, zone)
        expect(reversalOpen(closes + off, redeemedAt, zone)).toBe(off < 0)
      }),
    )
  })
})
