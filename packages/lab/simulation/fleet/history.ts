import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { resultOf, type Result } from './figures.ts'
import type { Played } from './run-scenario.ts'
import { seriesOf, type Series } from './series.ts'

/** A figure’s value. 'never' means a drain that did not end, because JSON has no infinity. */
const Value = z.union([z.number(), z.null(), z.literal('never')])
const Point = z.tuple([z.number(), z.number(), z.number(), z.number()])

const Line = z.object({
  at: z.string(),
  node: z.string(),
  seed: z.int(),
  /** Processor time of the run, in seconds. */
  seconds: z.number(),
  scenario: z.string(),
  title: z.string(),
  policy: z.string(),
  lanes: z.int(),
  figures: z.array(
    z.object({
      name: z.string(),
      value: Value,
      limit: z.number(),
      is: z.enum(['at most', 'at least']),
      unit: z.enum(['', '%', '×']),
      isJudged: z.boolean(),
    }),
  ),
  facts: z.record(z.string(), z.number().nullable()),
  /** Highest capacity of the services, in calls per second. */
  capacity: z.number(),
  /**
   * Points of the plot: minute, offered calls per second, useful responses per second, age of the oldest call in
   * minutes.
   */
  points: z.array(Point),
})
type Line = z.infer<typeof Line>

export interface Run {
  readonly at: string
  readonly node: string
  readonly seed: number
  readonly seconds: number
  readonly result: Result
  readonly series: Series
}

export const runOf = (played: Played, seed: number, at: Date): Run => ({
  at: at.toISOString(),
  node: process.versions.node,
  seed,
  seconds: Math.round(played.cpuSeconds * 10) / 10,
  result: resultOf(played),
  series: seriesOf(played),
})

export function lineOf({ result, series, ...run }: Run): string {
  const { figures, facts, ...what } = result
  return JSON.stringify({
    ...run,
    ...what,
    figures: figures.map(({ value, ...figure }) => ({
      ...figure,
      value: value === Infinity ? 'never' : rounded(value),
    })),
    facts: Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, rounded(value)])),
    capacity: series.capacity,
    points: series.points.map(({ minute, offered, useful, oldest }) => [minute, offered, useful, oldest]),
  } satisfies Line)
}

const rounded = (value: number | null): number | null => (value === null ? null : Number(value.toPrecision(6)))

function runOfLine({ at, node, seed, seconds, points, capacity, figures, ...result }: Line): Run {
  return {
    at,
    node,
    seed,
    seconds,
    result: {
      ...result,
      figures: figures.map(({ value, ...figure }) => ({ ...figure, value: value === 'never' ? Infinity : value })),
    },
    series: {
      policy: result.policy,
      capacity,
      points: points.map(([minute, offered, useful, oldest]) => ({ minute, offered, useful, oldest })),
    },
  }
}

export function appendRun(file: string, run: Run): void {
  appendFileSync(file, `${lineOf(run)}\n`)
}

/** Returns the last run of each scenario and policy in the history file. Throws on an invalid line. */
export function lastRuns(file: string): Run[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const runs = lines.filter((line) => line !== '').map((line) => runOfLine(Line.parse(JSON.parse(line))))
  return [...new Map(runs.map((run) => [`${run.result.scenario} ${run.result.policy}`, run])).values()]
}
