import moment from 'moment-timezone'

/**
 * By the time-zone data that ships with the suite, as on the lane and at the reference services: the runtime's ages
 * with it.
 */
function timeIn(timeZone: string, at: number): moment.Moment {
  if (moment.tz.zone(timeZone) === null) throw new RangeError(`not a known time zone: ${timeZone}`)
  return moment.tz(at, timeZone)
}

/**
 * ISO 8601 with the place's offset and milliseconds, e.g. 2026-07-01T14:03:22.123-04:00. `at` in epoch milliseconds.
 */
export const localTimestamp = (at: number, timeZone: string): string =>
  timeIn(timeZone, at).format('YYYY-MM-DDTHH:mm:ss.SSSZ')

/** Local wall time without a zone, as the offer service writes its dates (specification 1 §2.2). */
export const localDateTime = (at: number, timeZone: string): string =>
  timeIn(timeZone, at).format('YYYY-MM-DDTHH:mm:ss')
