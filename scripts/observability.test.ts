import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { DROPPED, LANE_METRICS } from '../contracts/lane-metrics.ts'
import { seriesNames, type Metric } from '../contracts/metric-table.ts'
import { OBSERVABILITY_PAGE, withMetrics } from './metrics-docs.ts'

const DASHBOARD = fileURLToPath(new URL('../docs/grafana/lane.json', import.meta.url))
const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).default([]) })),
  templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.unknown() })) }),
})

const METRICS = new Map(
  Object.values<Metric>(LANE_METRICS).flatMap((metric) => seriesNames(metric).map((name) => [name, metric])),
)
/** What a Prometheus adds to every series by the configuration of docs/observability.md, and a histogram’s own. */
const TARGET_LABELS = ['store', 'lane', 'job', 'instance', 'le']
const FUNCTIONS = new Set(['sum', 'max', 'min', 'rate', 'increase', 'histogram_quantile', 'time', 'by', 'on'])

interface Selector {
  readonly name: string
  readonly matchers: readonly (readonly [label: string, sign: string, value: string])[]
}

/** The series that a query asks for, with what it asks of their labels. */
function selectorsIn(expr: string): Selector[] {
  return [...expr.matchAll(/([a-zA-Z_:][\w:]*)\{([^}]*)\}/g)].map(([, name = '', within = '']) => ({
    name,
    matchers: [...within.matchAll(/(\w+)\s*(=~|!=|!~|=)\s*"([^"]*)"/g)].map(
      ([, label = '', sign = '', value = '']) => [label, sign, value] as const,
    ),
  }))
}

/** Names beside the selectors: functions, and the labels that a sum goes by. */
function namesIn(expr: string): { readonly functions: string[]; readonly labels: string[] } {
  const labels: string[] = []
  const bare = expr
    .replaceAll(/\{[^}]*\}/g, '{}')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/by \(([^)]*)\)/g, (_, names: string) => {
      labels.push(...names.split(',').map((name) => name.trim()))
      return 'by'
    })
  return { labels, functions: [...bare.matchAll(/[a-zA-Z_]\w*(?!\w*\{)/g)].map(([name]) => name) }
}

/** What is wrong with a query; empty where nothing is. */
function faultsOf(expr: string): string[] {
  const selectors = selectorsIn(expr)
  const { functions, labels } = namesIn(expr)
  const known = (name: string): Metric | undefined => METRICS.get(name)
  const has = (label: string): boolean =>
    TARGET_LABELS.includes(label) || selectors.some(({ name }) => Object.hasOwn(known(name)?.labels ?? {}, label))
  return [
    ...(selectors.length === 0 ? ['asks for nothing'] : []),
    ...selectors.filter(({ name }) => name !== 'up' && !known(name)).map(({ name }) => `no metric ${name}`),
    ...functions.filter((name) => !FUNCTIONS.has(name) && !METRICS.has(name)).map((name) => `no function ${name}`),
    ...labels.filter((label) => !has(label)).map((label) => `no label ${label}`),
    ...selectors.flatMap(({ name, matchers }) =>
      matchers.flatMap(([label, sign, value]) => {
        const values = known(name)?.labels?.[label]
        if (values === undefined) return TARGET_LABELS.includes(label) ? [] : [`${name} has no label ${label}`]
        return sign === '=' && values !== 'any' && !values.includes(value) ? [`${label} is never ${value}`] : []
      }),
    ),
  ]
}

const dashboard = Dashboard.parse(JSON.parse(readFileSync(DASHBOARD, 'utf8')))
const queries = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))

test('every query of the dashboard asks for what a lane has', () => {
  expect(queries.length).toBeGreaterThan(15)
  expect(queries.flatMap(({ title, expr }) => faultsOf(expr).map((fault) => `${title}: ${fault}`))).toEqual([])
})

test.each([
  ['milepost_gone_total{store="x"}', 'no metric milepost_gone_total'],
  ['sum by (card) (milepost_dropped_total{})', 'no label card'],
  ['milepost_dropped_total{kind="x"}', 'milepost_dropped_total has no label kind'],
  ['milepost_dropped_total{what="letters"}', 'what is never letters'],
  ['delta(milepost_dropped_total{what="offers"}[5m])', 'no function delta'],
  ['1', 'asks for nothing'],
])('a query that is wrong is found: %s', (expr, fault) => {
  expect(faultsOf(expr)).toContain(fault)
})

test('the dashboard shows every metric, for the stores and lanes that are chosen', () => {
  const shown = new Set(queries.flatMap(({ expr }) => selectorsIn(expr).map(({ name }) => METRICS.get(name)?.name)))
  expect(Object.values<Metric>(LANE_METRICS).filter(({ name }) => !shown.has(name))).toEqual([])
  for (const { expr } of queries)
    for (const { matchers } of selectorsIn(expr))
      expect(matchers).toEqual(
        expect.arrayContaining([
          ['store', '=~', '$store'],
          ['lane', '=~', '$lane'],
        ]),
      )
  for (const { name, query } of dashboard.templating.list.filter(({ name }) => name !== 'datasource'))
    expect(JSON.stringify(query), name).toContain('milepost_lane_info')
})

test('the page has the metrics of today: else run npm run metrics-docs', () => {
  const page = readFileSync(OBSERVABILITY_PAGE, 'utf8')
  expect(page).toBe(withMetrics(page))
})

test('the page says of everything that is thrown away what it is', () => {
  const page = readFileSync(OBSERVABILITY_PAGE, 'utf8')
  expect(DROPPED.filter((what) => !page.includes(`| \`${what}\` |`))).toEqual([])
})
