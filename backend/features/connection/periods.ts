import { Temporal } from 'temporal-polyfill/implementation'
import type { ConnectionPeriod, ConnectionSums } from '../../../contracts/api/connection.ts'
import { epochOf, localDateTimeAt } from '../../domain/zone.ts'
import type { HourRow } from '../diagnostics/repository.ts'

/** How a period is cut, so that its table can be read: 24 hours, 28 quarters of a day, 30 days, 53 weeks. */
const CUTS = {
  day: { count: 24, step: { hours: 1 } },
  week: { count: 28, step: { hours: 6 } },
  month: { count: 30, step: { days: 1 } },
  year: { count: 53, step: { days: 7 } },
} as const satisfies Record<ConnectionPeriod, { count: number; step: Temporal.DurationLike }>

/**
 * The instants (epoch ms) between which a period is added up, oldest first, one more than it has parts. On the store's
 * clock: its hours, and its days with their 23 or 25 hours. The last part is the one that is going on.
 */
export function edgesOf(period: ConnectionPeriod, nowMs: number, timeZone: string): number[] {
  const { count, step } = CUTS[period]
  const local = localDateTimeAt(nowMs, timeZone)
  if (period === 'day') {
    // Hours that have passed, so that the hour which the clocks show twice is there twice.
    const sinceHour = (local.minute * 60 + local.second) * 1_000 + local.millisecond
    const end = nowMs - sinceHour + 3_600_000
    return Array.from({ length: count + 1 }, (_, index) => end - (count - index) * 3_600_000)
  }
  const end = local.round({ smallestUnit: 'day', roundingMode: 'floor' }).add({ days: 1 })
  const back = Temporal.Duration.from(step)
  return Array.from({ length: count + 1 }, (_, index) => {
    const steps = count - index
    return epochOf(end.subtract({ days: back.days * steps, hours: back.hours * steps }), timeZone)
  })
}

const NOTHING = { checks: 0, failures: 0, onMs: 0, downMs: 0, timed: 0, sum: 0, least: Infinity, most: -Infinity }

/** What some hours add up to. */
export function sumsOf(hours: readonly HourRow[]): ConnectionSums {
  const added = { ...NOTHING }
  for (const hour of hours) {
    added.checks += hour.checks
    added.failures += hour.failures
    added.onMs += hour.onMs
    added.downMs += hour.downMs
    added.timed += hour.timed
    added.sum += hour.latencySum
    added.least = Math.min(added.least, hour.latencyLeast ?? Infinity)
    added.most = Math.max(added.most, hour.latencyMost ?? -Infinity)
  }
  const { checks, failures, onMs, downMs, timed, sum, least, most } = added
  return {
    checks,
    failures,
    onMs,
    downMs,
    latencyMeanMs: timed === 0 ? null : Math.round(sum / timed) / 10,
    latencyMinMs: timed === 0 ? null : least / 10,
    latencyMaxMs: timed === 0 ? null : most / 10,
  }
}

/** The hours of each part, by the instant at which an hour begins. `hours` and `edges` oldest first. */
export function hoursByPart(hours: readonly HourRow[], edges: readonly number[]): HourRow[][] {
  const parts: HourRow[][] = edges.slice(1).map(() => [])
  let part = 0
  for (const hour of hours) {
    while (part < parts.length - 1 && hour.fromMs >= (edges[part + 1] ?? Infinity)) part += 1
    parts[part]?.push(hour)
  }
  return parts
}
