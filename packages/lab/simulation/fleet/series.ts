import { MINUTE_MS } from './demand.ts'
import type { Played } from './run-scenario.ts'

/** A point of a plot, averaged over several time windows. */
export interface Point {
  readonly minute: number
  /** Offered calls per second, and useful responses per second. */
  readonly offered: number
  readonly useful: number
  /** Age of the oldest waiting call, in minutes. */
  readonly oldest: number
}

export interface Series {
  readonly policy: string
  /** Highest capacity of the services, in calls per second. */
  readonly capacity: number
  readonly points: readonly Point[]
}

const MAX_POINTS = 150
const BEFORE_MS = 10 * MINUTE_MS

export function seriesOf({ windows, scenario, policy }: Played): Series {
  const shown = windows.filter(({ at }) => at > scenario.from - BEFORE_MS)
  const each = Math.max(1, Math.ceil(shown.length / MAX_POINTS))
  const points: Point[] = []
  for (let from = 0; from < shown.length; from += each) {
    const some = shown.slice(from, from + each)
    const seconds = some.reduce((sum, { ms }) => sum + ms, 0) / 1_000
    points.push({
      minute: round((some.at(-1)?.at ?? 0) / MINUTE_MS),
      offered: round(some.reduce((sum, { offered }) => sum + offered, 0) / seconds),
      useful: round(some.reduce((sum, { useful }) => sum + useful, 0) / seconds),
      oldest: round(Math.max(...some.map(({ oldestMs }) => oldestMs)) / MINUTE_MS),
    })
  }
  const capacity = Math.max(...windows.map((window) => window.capacity / (window.ms / 1_000)))
  return { policy: policy.name, capacity: round(capacity), points }
}

const round = (value: number): number => Math.round(value * 10) / 10
