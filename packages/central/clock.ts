import moment from 'moment-timezone'

/** Clock in epoch milliseconds that tests can move, to cross 03:00 without a wait. */
export interface MovableClock {
  now(): number
  /** Milliseconds that the clock is ahead of the machine's clock. */
  readonly offsetMs: number
  move(offsetMs: number): void
}

export function createClock(): MovableClock {
  let offset = 0
  return {
    now: () => Date.now() + offset,
    get offsetMs() {
      return offset
    },
    move(offsetMs) {
      offset = offsetMs
    },
  }
}

interface WallTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  offsetMinutes: number
}

export const isKnownZone = (timeZone: string): boolean => moment.tz.zone(timeZone) !== null

/**
 * Converts a time to local time with the bundled time-zone data, as the lane does. The runtime's data depends on its
 * version and could give another instant for 03:00.
 */
function wallTime(at: number, timeZone: string): WallTime {
  const zone = moment.tz.zone(timeZone)
  if (!zone) throw new RangeError(`not a known time zone: ${timeZone}`)
  // The library counts the minutes that a zone is behind UTC.
  const offsetMinutes = 0 - zone.utcOffset(at)
  const local = new Date(at + offsetMinutes * 60_000)
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    offsetMinutes,
  }
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** Formats a time as ISO 8601 with milliseconds and the place's UTC offset, e.g. 2026-07-01T14:03:22.123-04:00. */
export function localTimestamp(at: number, timeZone: string): string {
  const { year, month, day, hour, minute, second, offsetMinutes } = wallTime(at, timeZone)
  const sign = offsetMinutes < 0 ? '-' : '+'
  const shift = Math.abs(offsetMinutes)
  const millis = String(((at % 1000) + 1000) % 1000).padStart(3, '0')
  const time = `${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)}.${millis}`
  const offset = `${sign}${twoDigits(Math.floor(shift / 60))}:${twoDigits(shift % 60)}`
  return `${year}-${twoDigits(month)}-${twoDigits(day)}T${time}${offset}`
}

/** Formats a time as local time without a zone, the date format of the offer service (specification 1 §2.2). */
export const localDateTime = (at: number, timeZone: string): string => localTimestamp(at, timeZone).slice(0, 19)

export const startOfDay = (at: number, timeZone: string): number => hourOfDay(at, timeZone, 0, 0)

/** Returns when a wall-clock hour begins on the day after the local date of `at`, in epoch milliseconds. */
export const hourOfNextDay = (at: number, timeZone: string, hour: number): number => hourOfDay(at, timeZone, 1, hour)

/**
 * Reads the UTC offset again at the result, because the clock may change in between. No zone of the program changes its
 * clock twice between midnight and 03:00.
 */
function hourOfDay(at: number, timeZone: string, daysLater: number, hour: number): number {
  const wall = wallTime(at, timeZone)
  const wanted = Date.UTC(wall.year, wall.month - 1, wall.day + daysLater, hour)
  let instant = wanted - wall.offsetMinutes * 60_000
  for (let round = 0; round < 2; round += 1) instant = wanted - wallTime(instant, timeZone).offsetMinutes * 60_000
  return instant
}
