import { Temporal } from 'temporal-polyfill/implementation'
import type { ClockChange } from '../../contracts/staff/session.ts'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { MomentZone } from 'moment-timezone'
import moment from 'moment-timezone/moment-timezone.js'

/**
 * Local time in a store, by the time-zone data that ships with the program: the runtime's is as old as the runtime, and
 * a rule that it does not know puts the reversal deadline an hour off (docs/decisions/0011-time-zone-data-and-one-lane-time.md). Nothing else
 * in the backend turns an instant into local time.
 */
export const knowsZone = (timeZone: string): boolean => zoneOf(timeZone) !== null

/**
 * Minutes that the clocks of the zone are ahead of UTC at an instant (epoch ms). Throws a RangeError for a zone that
 * the data does not know.
 */
export function offsetMinutesAt(epochMs: number, timeZone: string): number {
  const zone = zoneOf(timeZone)
  if (!zone) throw new RangeError(`not a known time zone: ${timeZone}`)
  // The library counts minutes behind UTC.
  return 0 - zone.utcOffset(epochMs)
}

/**
 * How many minutes the clocks of the zone are ahead of UTC from each instant on (epoch ms), over a span of time. Throws
 * as `offsetMinutesAt`.
 */
export function clockChanges(timeZone: string, from: number, to: number): ClockChange[] {
  const changes = [{ from, minutes: offsetMinutesAt(from, timeZone) }]
  for (const until of zoneOf(timeZone)?.untils ?? []) {
    if (until > from && until < to) changes.push({ from: until, minutes: offsetMinutesAt(until, timeZone) })
  }
  return changes
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The wall clock in the zone at an instant (epoch ms). */
export function localDateTimeAt(epochMs: number, timeZone: string): Temporal.PlainDateTime {
  const shifted = epochMs + offsetMinutesAt(epochMs, timeZone) * MINUTE
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(shifted)).toZonedDateTimeISO('UTC').toPlainDateTime()
}

/** `YYYY-MM-DDTHH:MM:SS` in a zone: the LocalDateTime of specification 1 §2.2, comparable as text. */
export const localDateTime = (epochMs: number, timeZone: string): string =>
  localDateTimeAt(epochMs, timeZone).toString({ smallestUnit: 'second' })

/** The day on the wall clock of the zone, `2026-11-24`. Cheap enough for every Z that a lane ever made. */
export const localDayAt = (epochMs: number, timeZone: string): string =>
  new Date(epochMs + offsetMinutesAt(epochMs, timeZone) * MINUTE).toJSON().slice(0, 'yyyy-mm-dd'.length)

/**
 * The instant (epoch ms) at which a wall clock in the zone shows a time. A time that occurs twice means the first;
 * a time that the clock skips is read as if it had not been changed, which lands the same distance after the change.
 */
export function epochOf(local: Temporal.PlainDateTime, timeZone: string): number {
  const asUtc = local.toZonedDateTime('UTC').epochMilliseconds
  const before = asUtc - offsetMinutesAt(asUtc - DAY, timeZone) * MINUTE
  const after = asUtc - offsetMinutesAt(asUtc + DAY, timeZone) * MINUTE
  const shows = (candidate: number) => candidate + offsetMinutesAt(candidate, timeZone) * MINUTE === asUtc
  return shows(before) || !shows(after) ? before : after
}

/**
 * An ISO 8601 date-time to epoch ms. Without zone or offset it is the wall clock of `timeZone`: the specification
 * shows `transDateTime` as ISO 8601 and no more (specification 3 §2.4). NaN when it is not a date-time.
 */
export function parseDateTime(text: string, timeZone: string): number {
  try {
    return Temporal.Instant.from(text.trim()).epochMilliseconds
  } catch {
    try {
      return epochOf(Temporal.PlainDateTime.from(text.trim()), timeZone)
    } catch {
      return Number.NaN
    }
  }
}

/** ISO 8601 in the zone's local time with its offset and milliseconds, e.g. 2026-07-01T14:03:22.123-04:00. */
export function zonedIso(epochMs: number, timeZone: string): string {
  const minutes = offsetMinutesAt(epochMs, timeZone)
  const shift = Math.abs(minutes)
  const two = (value: number): string => String(value).padStart(2, '0')
  const local = localDateTimeAt(epochMs, timeZone).toString({ fractionalSecondDigits: 3 })
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(shift / 60))}:${two(shift % 60)}`
}

const DATA = createRequire(import.meta.url).resolve('moment-timezone/data/packed/latest.json')
const zones = new Map<string, MomentZone>()

/**
 * A zone of the data that ships with the program, by any of its names; null where the data does not know it. The file
 * is read once for each zone and forgotten, since a lane asks for one of six hundred.
 */
export function zoneOf(timeZone: string): MomentZone | null {
  const known = zones.get(timeZone)
  if (known) return known
  const data = JSON.parse(readFileSync(DATA, 'utf8')) as { readonly zones: string[]; readonly links: string[] }
  // Zones are `name|…`, links `zone|other name`.
  const name = timeZone.toLowerCase()
  const link = data.links.find((names) => names.toLowerCase().endsWith(`|${name}`))
  const canonical = link?.slice(0, link.indexOf('|')).toLowerCase() ?? name
  const packed = data.zones.find((zone) => zone.toLowerCase().startsWith(`${canonical}|`))
  if (packed === undefined) return null
  moment.tz.add(packed)
  const zone = moment.tz.zone(canonical)
  if (zone) zones.set(timeZone, zone)
  return zone
}

/** Midnight at which a day of the store begins (epoch ms), or one so many days later. */
export const startOf = (day: string, timeZone: string, days = 0): number =>
  epochOf(Temporal.PlainDate.from(day).add({ days }).toPlainDateTime(), timeZone)

export const dayAfter = (day: string, days: number): string => Temporal.PlainDate.from(day).add({ days }).toString()

/** The store's local date at an instant (epoch ms). */
export const dayAt = (epochMs: number, timeZone: string): string =>
  localDateTimeAt(epochMs, timeZone).toPlainDate().toString()
