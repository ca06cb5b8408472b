import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, it } from 'vitest'
import { reversalDeadline, reversalOpen } from './reversal-window.ts'
import { epochOf, localDateTimeAt, offsetMinutesAt, parseDateTime, zoneDataIsCurrent } from './zone.ts'

const HOUR = 3_600_000
const hoursFrom = (transDateTime: string, zone: string): number => (reversalDeadline(transDateTime, zone) - Date.parse(transDateTime)) / HOUR
const deadline = (transDateTime: string, zone: string): string => new Date(reversalDeadline(transDateTime, zone)).toISOString()

describe('the reversal window', () => {
  it('of a redemption at 00:30 is 26½ hours', () => {
    expect(hoursFrom('2026-06-10T00:30:00-04:00', 'America/Toronto')).toBe(26.5)
  })
  it('of a redemption at 23:30 is 3½ hours', () => {
    expect(hoursFrom('2026-06-10T23:30:00-04:00', 'America/Toronto')).toBe(3.5)
  })
  it('counts from the store’s date, not from that of Greenwich', () => {
    // 03:30 UTC on the 21st is 22:30 on the 20th in Toronto.
    expect(deadline('2026-11-21T03:30:00Z', 'America/Toronto')).toBe('2026-11-21T08:00:00.000Z')
    expect(deadline('2026-11-21T05:30:00Z', 'America/Toronto')).toBe('2026-11-22T08:00:00.000Z')
  })
  it('closes at 03:00 sharp', () => {
    const closes = Date.parse('2026-06-11T07:00:00Z')
    expect(reversalOpen(closes - 1, '2026-06-10T12:00:00-04:00', 'America/Toronto')).toBe(true)
    expect(reversalOpen(closes, '2026-06-10T12:00:00-04:00', 'America/Toronto')).toBe(false)
  })
  it('reads a time without offset as the store’s wall clock', () => {
    expect(deadline('2026-06-10T23:30:00', 'America/Vancouver')).toBe('2026-06-11T10:00:00.000Z')
  })
  it('reads offsets with and without a colon, and fractions', () => {
    expect(deadline('2026-06-10T23:30:00.123-0400', 'America/Toronto')).toBe('2026-06-11T07:00:00.000Z')
  })
  it('is closed when the time cannot be read', () => {
    for (const text of ['', 'yesterday', '2026-13-40T00:00:00Z', 'null']) {
      expect(reversalDeadline(text, 'America/Toronto')).toBeNaN()
      expect(reversalOpen(0, text, 'America/Toronto')).toBe(false)
    }
  })
  it('rolls over the end of a year and a leap day', () => {
    expect(deadline('2026-12-31T12:00:00-05:00', 'America/Toronto')).toBe('2027-01-01T08:00:00.000Z')
    expect(deadline('2028-02-28T12:00:00-05:00', 'America/Toronto')).toBe('2028-02-29T08:00:00.000Z')
  })
})

describe('on days when clocks change', () => {
  it.each([
    // zone, redeemed at, window closes (UTC), hours that it was open
    ['America/Toronto', '2026-03-07T00:30:00-05:00', '2026-03-08T07:00:00.000Z', 25.5],
    ['America/Toronto', '2026-03-08T01:30:00-05:00', '2026-03-09T07:00:00.000Z', 24.5],
    ['America/Toronto', '2026-10-31T00:30:00-04:00', '2026-11-01T08:00:00.000Z', 27.5],
    // 01:30 comes twice; both are the first of November.
    ['America/Toronto', '2026-11-01T01:30:00-04:00', '2026-11-02T08:00:00.000Z', 26.5],
    ['America/Toronto', '2026-11-01T01:30:00-05:00', '2026-11-02T08:00:00.000Z', 25.5],
    ['America/St_Johns', '2026-03-07T00:30:00-03:30', '2026-03-08T05:30:00.000Z', 25.5],
    ['America/St_Johns', '2026-10-31T00:30:00-02:30', '2026-11-01T06:30:00.000Z', 27.5],
    // Saskatchewan keeps its clocks.
    ['America/Regina', '2026-03-07T00:30:00-06:00', '2026-03-08T09:00:00.000Z', 26.5],
    ['America/Regina', '2026-10-31T00:30:00-06:00', '2026-11-01T09:00:00.000Z', 26.5],
    // British Columbia's last change.
    ['America/Vancouver', '2026-03-07T00:30:00-08:00', '2026-03-08T10:00:00.000Z', 25.5],
  ])('%s, redeemed %s: closes %s', (zone, redeemedAt, closes, hours) => {
    expect(deadline(redeemedAt, zone)).toBe(closes)
    expect(hoursFrom(redeemedAt, zone)).toBe(hours)
  })

  it.for([
    ['America/Vancouver', '2026-10-31T00:30:00-07:00', '2026-11-01T10:00:00.000Z'],
    ['America/Vancouver', '2027-01-15T12:00:00-07:00', '2027-01-16T10:00:00.000Z'],
    ['America/Edmonton', '2026-10-31T00:30:00-06:00', '2026-11-01T09:00:00.000Z'],
    ['America/Edmonton', '2027-01-15T12:00:00-06:00', '2027-01-16T09:00:00.000Z'],
  ] as const)('%s keeps its summer time from 2026: redeemed %s closes %s', ([zone, redeemedAt, closes], { skip }) => {
    skip(!zoneDataIsCurrent(), `the time-zone data of this Node (${process.versions['tz'] ?? 'unknown'}) is older than the rules of 2026`)
    expect(deadline(redeemedAt, zone)).toBe(closes)
  })
})

describe('local time', () => {
  it('puts a time that a clock skips after the change, and takes the first of one that comes twice', () => {
    expect(new Date(epochOf(Temporal.PlainDateTime.from('2026-03-08T02:30'), 'America/Toronto')).toISOString()).toBe('2026-03-08T07:30:00.000Z')
    expect(new Date(epochOf(Temporal.PlainDateTime.from('2026-11-01T01:30'), 'America/Toronto')).toISOString()).toBe('2026-11-01T05:30:00.000Z')
  })
  it('knows half-hour offsets', () => {
    expect(offsetMinutesAt(Date.UTC(2026, 0, 1), 'America/St_Johns')).toBe(-210)
  })

  const zones = fc.constantFrom('America/Toronto', 'America/St_Johns', 'America/Regina', 'America/Vancouver', 'America/Halifax', 'America/Winnipeg', 'America/Edmonton', 'America/Whitehorse')
  const instants = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) })
  it('agrees with Temporal for every instant and zone', () => {
    fc.assert(fc.property(instants, zones, (at, zone) => {
      const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
      expect(localDateTimeAt(at, zone).toString()).toBe(zoned.toPlainDateTime().toString())
      const tomorrow = zoned.toPlainDateTime().add({ days: 1 })
      expect(epochOf(tomorrow, zone)).toBe(tomorrow.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds)
    }))
  })
  it('closes every window at 03:00 on the next local day, 2 to 28 hours after the redemption', () => {
    fc.assert(fc.property(instants, zones, (at, zone) => {
      const redeemedAt = new Date(at).toISOString()
      const closes = reversalDeadline(redeemedAt, zone)
      expect(closes - at).toBeGreaterThan(2 * HOUR - 1)
      expect(closes - at).toBeLessThanOrEqual(28 * HOUR)
      const wall = localDateTimeAt(closes, zone)
      expect([wall.hour, wall.minute, wall.second]).toEqual([3, 0, 0])
      expect(wall.toPlainDate().toString()).toBe(localDateTimeAt(at, zone).toPlainDate().add({ days: 1 }).toString())
    }))
  })
  it('reads back what it would write', () => {
    fc.assert(fc.property(instants, zones, (at, zone) => {
      const whole = Math.floor(at / 1000) * 1000
      expect(parseDateTime(Temporal.Instant.fromEpochMilliseconds(whole).toZonedDateTimeISO(zone).toString({ timeZoneName: 'never' }), zone)).toBe(whole)
    }))
  })
})
