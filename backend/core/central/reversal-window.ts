import { Temporal } from 'temporal-polyfill/implementation'
import { epochOf, localDateTimeAt, parseDateTime } from '../zone.ts'

const CLOSES_AT = Temporal.PlainTime.from('03:00')

/**
 * Deadline for reversing a redemption: 03:00 store-local time on the day after the local date of its `transDateTime`,
 * in epoch ms (specification 3 §3, §8; the specification names no zone, the store's is assumed). A redemption at 00:30
 * local has 26½ hours on an ordinary day. NaN when `transDateTime` is not a date-time.
 */
export function reversalDeadline(transDateTime: string, timeZone: string): number {
  // The last result is cached, because every view of the open sale needs it and calendar arithmetic is slow.
  if (last.transDateTime !== transDateTime || last.timeZone !== timeZone)
    last = { transDateTime, timeZone, deadline: deadlineOf(transDateTime, timeZone) }
  return last.deadline
}

let last = { transDateTime: '', timeZone: '', deadline: Number.NaN }

function deadlineOf(transDateTime: string, timeZone: string): number {
  const redeemedAt = parseDateTime(transDateTime, timeZone)
  if (Number.isNaN(redeemedAt)) return Number.NaN
  const nextDay = localDateTimeAt(redeemedAt, timeZone).toPlainDate().add({ days: 1 })
  return epochOf(nextDay.toPlainDateTime(CLOSES_AT), timeZone)
}

/**
 * Whether a redemption can still be reversed: strictly before the deadline. False for an unreadable `transDateTime`;
 * the refund is then a store credit.
 */
export const reversalOpen = (nowMs: number, transDateTime: string, timeZone: string): boolean =>
  nowMs < reversalDeadline(transDateTime, timeZone)
