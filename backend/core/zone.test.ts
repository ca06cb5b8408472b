import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import everyZone from 'moment-timezone'
import { Temporal } from 'temporal-polyfill/implementation'
import { describe, expect, it } from 'vitest'
import {
  clockChanges,
  epochOf,
  isKnownZone,
  localDateTimeAt,
  offsetMinutesAt,
  parseDateTime,
  zonedIso,
} from './zone.ts'

const SPRING = { 2025: '2025-03-09', 2026: '2026-03-08', 2027: '2027-03-14' } as const
const AUTUMN = { 2025: '2025-11-02', 2026: '2026-11-01', 2027: '2027-11-07' } as const
type Year = keyof typeof SPRING
const YEARS = [2025, 2026, 2027] as const

const PROVINCES: readonly (readonly [
  where: string,
  zone: string,
  winter: number,
  summer: number,
  last?: 'none' | 'spring 2026',
])[] = [
  ['British Columbia', 'America/Vancouver', -8, -7, 'spring 2026'],
  ['the Peace River', 'America/Dawson_Creek', -7, -7, 'none'],
  ['Alberta', 'America/Edmonton', -7, -6, 'spring 2026'],
  ['Saskatchewan', 'America/Regina', -6, -6, 'none'],
  ['Manitoba', 'America/Winnipeg', -6, -5, 'spring 2026'],
  ['Ontario', 'America/Toronto', -5, -4],
  ['Thunder Bay', 'America/Thunder_Bay', -5, -4],
  ['Québec', 'America/Montreal', -5, -4],
  ['New Brunswick', 'America/Moncton', -4, -3],
  ['Nova Scotia and Prince Edward Island', 'America/Halifax', -4, -3],
  ['Newfoundland', 'America/St_Johns', -3.5, -2.5],
  ['Labrador', 'America/Goose_Bay', -4, -3],
  ['the Northwest Territories', 'America/Yellowknife', -7, -6, 'spring 2026'],
  ['Nunavut, east', 'America/Iqaluit', -5, -4],
  ['Nunavut, centre', 'America/Rankin_Inlet', -6, -5],
  ['Yukon', 'America/Whitehorse', -7, -7, 'none'],
]

const changesInSpring = (year: Year, last: string | undefined): boolean =>
  last === undefined || (last === 'spring 2026' && year <= 2026)
const changesInAutumn = (year: Year, last: string | undefined): boolean =>
  last === undefined || (last === 'spring 2026' && year <= 2025)

describe.for(PROVINCES)('the clocks of %s (%s)', ([, zone, winter, summer, last]) => {
  const hours = (epochMs: number): number => offsetMinutesAt(epochMs, zone) / 60
  const at = (day: string, localHour: number, offset: number): number =>
    Date.parse(`${day}T00:00:00Z`) + (localHour - offset) * 3_600_000

  it.each(YEARS)('have the legal offset before and after each change of %i', (year) => {
    const spring = changesInSpring(year, last)
    const afterWinter = spring ? winter : summer
    expect(hours(at(SPRING[year], 2, afterWinter) - 1)).toBe(afterWinter)
    expect(hours(at(SPRING[year], 2, afterWinter))).toBe(spring ? summer : afterWinter)
    const autumn = changesInAutumn(year, last)
    expect(hours(at(AUTUMN[year], 2, summer) - 1)).toBe(summer)
    expect(hours(at(AUTUMN[year], 2, summer))).toBe(autumn ? winter : summer)
  })
})

describe('a zone of the time-zone library', () => {
  const names = fc.constantFrom(...everyZone.tz.names())
  it('is found by each of its names, with the same offsets', () => {
    fc.assert(
      fc.property(names, fc.integer({ min: -2e12, max: 8e12 }), (name, at) => {
        expect(offsetMinutesAt(at, name)).toBe(0 - (everyZone.tz.zone(name)?.utcOffset(at) ?? Number.NaN))
      }),
      { numRuns: 100 },
    )
    expect(offsetMinutesAt(0, 'america/toronto')).toBe(-300)
    expect(offsetMinutesAt(0, 'Canada/Eastern')).toBe(-300)
  })
})

describe('the offset changes of a zone for the screens', () => {
  const from = Date.UTC(2015, 0, 1)
  const to = Date.UTC(2046, 0, 1)

  it.each(PROVINCES.map(([, zone]) => zone))('agree in zone %s with the terminal’s own offsets at any time', (zone) => {
    const changes = clockChanges(zone, from, to)
    const anyTime = fc.oneof(
      fc.integer({ min: from, max: to - 1 }),
      fc.constantFrom(...changes.flatMap(({ from: at }) => [at, Math.max(from, at - 1)])),
    )
    fc.assert(
      fc.property(
        anyTime,
        (at) => changes.findLast((change) => change.from <= at)?.minutes === offsetMinutesAt(at, zone),
      ),
    )
    expect(changes.length).toBeLessThan(70)
  })
})

describe('converting local time', () => {
  it('moves a skipped time after the change, and takes the first instant of a repeated time', () => {
    expect(new Date(epochOf(Temporal.PlainDateTime.from('2026-03-08T02:30'), 'America/Toronto')).toISOString()).toBe(
      '2026-03-08T07:30:00.000Z',
    )
    expect(new Date(epochOf(Temporal.PlainDateTime.from('2026-11-01T01:30'), 'America/Toronto')).toISOString()).toBe(
      '2026-11-01T05:30:00.000Z',
    )
  })
  it('handles both sides of Greenwich and zones without clock changes', () => {
    expect(zonedIso(Date.UTC(2026, 6, 1, 18, 3, 22, 123), 'America/Toronto')).toBe('2026-07-01T14:03:22.123-04:00')
    expect(zonedIso(Date.UTC(2026, 0, 1, 3, 29, 59, 7), 'America/St_Johns')).toBe('2025-12-31T23:59:59.007-03:30')
    expect(zonedIso(Date.UTC(2026, 11, 1), 'America/Winnipeg')).toBe('2026-11-30T19:00:00.000-05:00')
    expect(zonedIso(Date.UTC(2026, 0, 1), 'Asia/Kolkata')).toBe('2026-01-01T05:30:00.000+05:30')
  })
  it('rejects an unknown zone', () => {
    for (const zone of ['Toronto', '+05:00', '', 'America/Atlantis', '__proto__']) {
      expect(isKnownZone(zone)).toBe(false)
      expect(() => offsetMinutesAt(0, zone)).toThrow(RangeError)
    }
  })

  const zones = fc.constantFrom(...PROVINCES.map(([, zone]) => zone))
  // The shipped data and the runtime both know the rules of these years, so they must agree.
  const past = fc.integer({ min: Date.UTC(2008, 0, 1), max: Date.UTC(2026, 2, 1) })
  const instants = fc.integer({ min: Date.UTC(2008, 0, 1), max: Date.UTC(2036, 0, 1) })
  it('agrees with Temporal for every zone and every instant of past years', () => {
    fc.assert(
      fc.property(past, zones, (at, zone) => {
        const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
        expect(localDateTimeAt(at, zone).toString()).toBe(zoned.toPlainDateTime().toString())
        expect(zonedIso(at, zone)).toBe(zoned.toString({ timeZoneName: 'never', fractionalSecondDigits: 3 }))
        const yesterday = zoned.toPlainDateTime().subtract({ days: 1 })
        expect(epochOf(yesterday, zone)).toBe(
          yesterday.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds,
        )
      }),
      { numRuns: 1_000 },
    )
  })
  it('parses the text that it formats to the same instant', () => {
    fc.assert(
      fc.property(instants, zones, (at, zone) => {
        expect(parseDateTime(zonedIso(at, zone), zone)).toBe(at)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('the calendar of a lane', () => {
  // Electron's Node has a native Temporal and the Node of these tests does not; a lane must run the code that its tests
  // run.
  it('uses the tested polyfill even where the runtime has a native Temporal', () => {
    const trap = "globalThis.Temporal = new Proxy({}, { get() { throw new Error('the calendar of the runtime') } })"
    const { href } = new URL('./zone.ts', import.meta.url)
    const question = `
      const { localDateTimeAt, parseDateTime } = await import(${JSON.stringify(href)})
      const at = parseDateTime('2026-07-01T14:03:22', 'America/Toronto')
      console.log(localDateTimeAt(at, 'America/Toronto').toString())`
    const answer = execFileSync(
      process.execPath,
      [
        ...process.execArgv,
        '--import',
        `data:text/javascript,${encodeURIComponent(trap)}`,
        '--input-type=module',
        '--eval',
        question,
      ],
      { encoding: 'utf8' },
    )
    expect(answer).toBe('2026-07-01T14:03:22\n')
  })
})
