import { Temporal } from 'temporal-polyfill'

/**
 * Local time in a store. `offsetMinutesAt` is the only place that asks for time-zone data, so that data shipped
 * with the program can take the place of the runtime's, which ages with it.
 */
export function offsetMinutesAt(epochMs: number, timeZone: string): number {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(epochMs)).toZonedDateTimeISO(timeZone).offsetNanoseconds / 60_000_000_000
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The wall clock in the zone at an instant (epoch ms). */
export function localDateTimeAt(epochMs: number, timeZone: string): Temporal.PlainDateTime {
  const shifted = epochMs + offsetMinutesAt(epochMs, timeZone) * MINUTE
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(shifted)).toZonedDateTimeISO('UTC').toPlainDateTime()
}

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

/**
 * Whether the zone data in use knows the Canadian rules of 2026 (Vancouver stays on −07:00 and Edmonton on −06:00
 * through the winter). Where it does not, the reversal deadline in those provinces is an hour off.
 */
export function zoneDataIsCurrent(): boolean {
  const winter = Date.UTC(2026, 11, 1)
  return offsetMinutesAt(winter, 'America/Vancouver') === -7 * 60 && offsetMinutesAt(winter, 'America/Edmonton') === -6 * 60
}
