import { Temporal } from 'temporal-polyfill/implementation'
import type { ClockChange } from '../../contracts/staff/session.ts'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { MomentZone } from 'moment-timezone'
import moment from 'moment-timezone/moment-timezone.js'

/**
 * Whether the time-zone data that ships with the program has the zone. Local times of the store come from that data,
 * because the runtime's may lack new rules, which would move the reversal deadline by an hour. See
 * docs/decisions/0011-time-zone-data-and-one-lane-time.md.
 */
export const isKnownZone = (timeZone: string): boolean => zoneOf(timeZone) !== null

/** Minutes that the zone is ahead of UTC at an instant (epoch ms). Throws a RangeError for an unknown zone. */
export function offsetMinutesAt(epochMs: number, timeZone: string): number {
  const zone = zoneOf(timeZone)
  if (!zone) throw new RangeError(`not a known time zone: ${timeZone}`)
  // The library counts minutes behind UTC, so the sign is reversed.
  return 0 - zone.utcOffset(epochMs)
}

/**
 * Offset changes of the zone in a time span: minutes ahead of UTC from each instant (epoch ms). Throws a RangeError for
 * an unknown zone.
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

export function localDateTimeAt(epochMs: number, timeZone: string): Temporal.PlainDateTime {
  const shifted = epochMs + offsetMinutesAt(epochMs, timeZone) * MINUTE
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(shifted)).toZonedDateTimeISO('UTC').toPlainDateTime()
}

/** Returns `YYYY-MM-DDTHH:MM:SS` in a zone: the LocalDateTime of specification 1 §2.2, comparable as text. */
export const localDateTime = (epochMs: number, timeZone: string): string =>
  localDateTimeAt(epochMs, timeZone).toString({ smallestUnit: 'second' })

export const localDayAt = (epochMs: number, timeZone: string): string =>
  new Date(epochMs + offsetMinutesAt(epochMs, timeZone) * MINUTE).toJSON().slice(0, 'yyyy-mm-dd'.length)

/**
 * Returns the instant (epoch ms) of a local time in the zone. For a repeated time it is the first; a skipped time is
 * moved by the length of the gap.
 */
export function epochOf(local: Temporal.PlainDateTime, timeZone: string): number {
  const asUtc = local.toZonedDateTime('UTC').epochMilliseconds
  const before = asUtc - offsetMinutesAt(asUtc - DAY, timeZone) * MINUTE
  const after = asUtc - offsetMinutesAt(asUtc + DAY, timeZone) * MINUTE
  const shows = (candidate: number) => candidate + offsetMinutesAt(candidate, timeZone) * MINUTE === asUtc
  return shows(before) || !shows(after) ? before : after
}

/**
 * Parses an ISO 8601 date-time to epoch ms; local time of `timeZone` when it has no offset, because the specification
 * defines `transDateTime` only as ISO 8601 (specification 3 §2.4). NaN when invalid.
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

/**
 * Formats an instant as ISO 8601 in the zone's local time with offset and milliseconds, e.g.
 * 2026-07-01T14:03:22.123-04:00.
 */
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
 * Finds a zone of the shipped data by any of its names; null when unknown. Caches only the zones that it has found,
 * because a lane uses only one of six hundred.
 */
export function zoneOf(timeZone: string): MomentZone | null {
  const known = zones.get(timeZone)
  if (known) return known
  const data = JSON.parse(readFileSync(DATA, 'utf8')) as { readonly zones: string[]; readonly links: string[] }
  // Lines of the file: zones are `name|…`, links are `zone|other name`.
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

/** Returns the start of a day of the store (epoch ms), or of the day `days` later. */
export const startOf = (day: string, timeZone: string, days = 0): number =>
  epochOf(Temporal.PlainDate.from(day).add({ days }).toPlainDateTime(), timeZone)

export const dayAfter = (day: string, days: number): string => Temporal.PlainDate.from(day).add({ days }).toString()

export const dayAt = (epochMs: number, timeZone: string): string =>
  localDateTimeAt(epochMs, timeZone).toPlainDate().toString()
