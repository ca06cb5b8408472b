import type { PromotionTimes } from '../../../contracts/catalog/promotions.ts'
import { localDateTimeAt } from '../../core/zone.ts'

export interface StoreMoment {
  /** Calendar day as YYYY-MM-DD. */
  readonly day: string
  /** Day of the week; 1 is Monday. */
  readonly weekday: number
  readonly minute: number
}

/** The store time of an instant (epoch ms). */
export function momentAt(epochMs: number, timeZone: string): StoreMoment {
  const local = localDateTimeAt(epochMs, timeZone)
  return { day: local.toPlainDate().toString(), weekday: local.dayOfWeek, minute: local.hour * 60 + local.minute }
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

const dayBefore = (day: string): string => {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() - 1)
  return date.toISOString().slice(0, 10)
}

/**
 * Whether a promotion with these times is active at a moment. Hours whose end is not after their begin reach past
 * midnight; the days and weekdays then are those of the begin.
 */
export function isActiveAt(times: PromotionTimes, moment: StoreMoment): boolean {
  const { fromDay, untilDay, weekdays, fromTime, untilTime } = times
  const from = fromTime === undefined ? 0 : minuteOf(fromTime)
  const until = untilTime === undefined ? 1440 : minuteOf(untilTime)
  const isPastMidnight = until <= from
  let { day, weekday } = moment
  if (isPastMidnight && moment.minute < until) {
    day = dayBefore(day)
    weekday = weekday === 1 ? 7 : weekday - 1
  } else if (moment.minute < from || (!isPastMidnight && moment.minute >= until)) return false
  if (fromDay !== undefined && day < fromDay) return false
  if (untilDay !== undefined && day > untilDay) return false
  return weekdays === undefined || weekdays.includes(weekday)
}
