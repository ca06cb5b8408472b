import { Temporal } from 'temporal-polyfill'

/** ISO 8601 in store-local time with its offset, as the wire of the central services wants it (specification 3 §2.1, §2.4). */
export function zonedIso(epochMs: number, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone).toString({ timeZoneName: 'never', fractionalSecondDigits: 3 })
}
