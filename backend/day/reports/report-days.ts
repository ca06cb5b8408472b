import { Temporal } from 'temporal-polyfill/implementation'
import type { ReportRange } from '../../../contracts/day/reports.ts'
import { epochOf, localDateTimeAt, startOf, dayAfter } from '../../core/zone.ts'

/** A part of a day in store time, from its first moment (epoch ms) to the moment after its last. */
export interface ReportSpan {
  readonly day: string
  readonly from: number
  readonly before: number
  readonly now: boolean
  readonly compared: boolean
}

export const WEEK = 7
const HOUR = 3_600_000

/**
 * Returns the spans that a report reads, oldest first: each day of the range and each day a week before one of them,
 * once. A day that is not over is compared with the same part of the day a week earlier, because the whole day would be
 * misleading.
 */
export function spansOf({ from, to }: ReportRange, now: number, timeZone: string): ReportSpan[] {
  const spans: ReportSpan[] = []
  const cut = epochOf(localDateTimeAt(now, timeZone).subtract({ days: WEEK }), timeZone)
  // Compare dates, not texts: as text, the day after 9999-12-31 would sort before it.
  const last = Temporal.PlainDate.from(to)
  let next = Temporal.PlainDate.from(from).subtract({ days: WEEK })
  for (; Temporal.PlainDate.compare(next, last) <= 0; next = next.add({ days: 1 })) {
    const day = next.toString()
    const [begin, end] = [startOf(day, timeZone), startOf(day, timeZone, 1)]
    const asked = day >= from
    const compared = day <= dayAfter(to, -WEEK)
    const whole = { day, from: begin, before: end, now: asked, compared }
    if (!compared || end <= cut) spans.push(whole)
    else {
      if (begin < cut) spans.push({ ...whole, before: cut })
      if (asked) spans.push({ ...whole, from: Math.max(begin, cut), compared: false })
    }
  }
  return spans.filter(({ now: asked, compared }) => asked || compared)
}

/**
 * Returns a function that converts a moment of the span to the hour (0 to 23) on the store's clock; a repeated hour
 * counts as one. The hours are computed once, in advance, because a day has thousands of sales.
 */
export function clockOf(
  { from, before }: Pick<ReportSpan, 'from' | 'before'>,
  timeZone: string,
): (at: number) => number {
  const local = localDateTimeAt(from, timeZone)
  const base = from - ((local.minute * 60 + local.second) * 1000 + local.millisecond)
  const hours = Array.from(
    { length: Math.ceil((before - base) / HOUR) },
    (_, index) => localDateTimeAt(base + index * HOUR, timeZone).hour,
  )
  return (at) => hours[Math.floor((at - base) / HOUR)] ?? 0
}
