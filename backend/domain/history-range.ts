import { Temporal } from 'temporal-polyfill/implementation'
import { rangeFlaw } from '../../contracts/central/history.ts'
import type { HistoryRange } from '../../contracts/history-kinds.ts'
import { epochOf, localDateTimeAt } from './zone.ts'

const DURATIONS = {
  '30-days': { days: 30 },
  '3-months': { months: 3 },
  '1-year': { years: 1 },
  '2-years': { years: 2 },
} as const satisfies Record<HistoryRange, Temporal.DurationLike>

const DAY_MS = 86_400_000

/**
 * From and to in epoch milliseconds, both included. It ends with the store's day of `now`: what was bought a minute ago
 * is in it whatever the service's clock says, and the pages of a day stay where they are. Never longer than two years
 * (specification 2 §8).
 */
export function historyRange(range: HistoryRange, now: number, timeZone: string): { from: number; to: number } {
  const tomorrow = localDateTimeAt(now, timeZone).toPlainDate().add({ days: 1 }).toPlainDateTime()
  const to = epochOf(tomorrow, timeZone) - 1
  // In UTC, by which the service counts: a change of clocks between the ends makes no year longer.
  const end = Temporal.Instant.fromEpochMilliseconds(to).toZonedDateTimeISO('UTC')
  const from = end.subtract(DURATIONS[range]).epochMilliseconds + 1
  // Two years before 29 February is 28 February, and a day more than two years.
  return { from: rangeFlaw({ from, to }) === null ? from : from + DAY_MS, to }
}
