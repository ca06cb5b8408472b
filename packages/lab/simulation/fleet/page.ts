import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { MINUTE_MS } from './demand.ts'
import type { Run } from './history.ts'
import { plotOf } from './plot.ts'
import { LANES } from './run-scenario.ts'
import { POLICIES } from './policies.ts'
import { SCENARIOS } from './scenarios.ts'
import type { Series } from './series.ts'
import { markdownOf } from './table.ts'

const BEGIN = '<!-- figures: npm run lab -- fleet --page -->'
const END = '<!-- end of figures -->'

const inOrder = (runs: readonly Run[]): Run[] =>
  SCENARIOS.flatMap(({ id }) =>
    POLICIES.flatMap(({ name }) => runs.filter(({ result }) => result.scenario === id && result.policy === name)),
  )

export function pageWith(page: string, runs: readonly Run[]): string {
  const [from, until] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (from === -1 || until < from) throw new Error(`the page has no ${BEGIN} … ${END}`)
  const table = markdownOf(inOrder(runs).map(({ result }) => result))
  return `${page.slice(0, from)}${BEGIN}\n\n${table}\n\n${page.slice(until)}`
}

function scaled({ result, series }: Run): Series {
  const times = LANES / result.lanes
  return {
    ...series,
    capacity: series.capacity * times,
    points: series.points.map((point) => ({ ...point, offered: point.offered * times, useful: point.useful * times })),
  }
}

export function plotsOf(runs: readonly Run[]): { file: string; svg: string }[] {
  return SCENARIOS.flatMap(({ id, title, from, over }) => {
    const series = inOrder(runs).flatMap((run) => (run.result.scenario === id ? [scaled(run)] : []))
    if (series.length === 0) return []
    const wrong = over > from ? ([from / MINUTE_MS, over / MINUTE_MS] as const) : null
    return [{ file: `${id}.svg`, svg: plotOf({ title, series, wrong }) }]
  })
}

export function writePlots(folder: string, runs: readonly Run[]): void {
  mkdirSync(folder, { recursive: true })
  for (const { file, svg } of plotsOf(runs)) writeFileSync(path.join(folder, file), svg)
}

export function writePage(file: string, runs: readonly Run[]): void {
  writeFileSync(file, pageWith(readFileSync(file, 'utf8'), runs))
}
