import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { resultOf, type Result } from './figures.ts'
import type { Played } from './play.ts'
import { seriesOf, type Series } from './series.ts'

/** Of a drain that never ended: JSON has no infinity. */
const Value = z.union([z.number(), z.null(), z.literal('never')])
const Point = z.tuple([z.number(), z.number(), z.number(), z.number()])

/** A run of one scenario by one policy, a line of the history. */
const Line = z.object({
  at: z.string(),
  node: z.string(),
  seed: z.int(),
  /** Processor time, in seconds. */
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
  /** Calls a second that the centre can work on at its best. */
  capacity: z.number(),
  /** Minute, calls a second that came, answers a second that were of use, age of the oldest call in minutes. */
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

/** A run as its line of JSON. */
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

export function keep(file: string, run: Run): void {
  appendFileSync(file, `${lineOf(run)}\n`)
}

/** Of each scenario and policy the last run that the history has. Throws where a line is none of a history. */
export function lastRuns(file: string): Run[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const runs = lines.filter((line) => line !== '').map((line) => runOfLine(Line.parse(JSON.parse(line))))
  return [...new Map(runs.map((run) => [`${run.result.scenario} ${run.result.policy}`, run])).values()]
}
