import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { parse } from 'yaml'
import { DROPPED, LANE_METRICS } from '../contracts/operations/lane-metrics.ts'
import { seriesNames, type Metric } from '../contracts/core/metric-table.ts'
import { LANES_METRICS, SERVER_DROPPED, SERVER_FEATURES, STORE_METRICS } from '../contracts/store/metrics.ts'
import { hasPromtool, NO_PROMTOOL, promtool } from '../packages/store-server/testing/promtool.ts'
import { OBSERVABILITY_PAGE, withMetrics } from './metrics-docs.ts'

const inGrafana = (name: string): string => fileURLToPath(new URL(`../docs/grafana/${name}`, import.meta.url))
const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).default([]) })),
  templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.unknown() })) }),
})

const TABLES = [LANE_METRICS, STORE_METRICS, LANES_METRICS].flatMap((table) => Object.values<Metric>(table))
const METRICS = new Map(TABLES.flatMap((metric) => seriesNames(metric).map((name) => [name, metric])))
/**
 * Labels that are on series but not in the metrics’ definitions: those that Prometheus adds by the configuration in
 * docs/observability.md, and the label of a histogram.
 */
const TARGET_LABELS = ['store', 'lane', 'job', 'instance', 'le']
const WORDS = ['sum', 'max', 'min', 'rate', 'increase', 'histogram_quantile', 'time', 'by', 'on', 'or', 'unless']
const FUNCTIONS = new Set(WORDS)

interface Selector {
  readonly name: string
  readonly matchers: readonly (readonly [label: string, sign: string, value: string])[]
}

function selectorsIn(expr: string): Selector[] {
  return [...expr.matchAll(/([a-zA-Z_:][\w:]*)\{([^}]*)\}/g)].map(([, name = '', within = '']) => ({
    name,
    matchers: [...within.matchAll(/(\w+)\s*(=~|!=|!~|=)\s*"([^"]*)"/g)].map(
      ([, label = '', sign = '', value = '']) => [label, sign, value] as const,
    ),
  }))
}

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

const PLAIN_LIST = /^[\w-]+(\|[\w-]+)*$/

function faultsOf(expr: string): string[] {
  const selectors = selectorsIn(expr)
  const { functions, labels } = namesIn(expr)
  const known = (name: string): Metric | undefined => METRICS.get(name)
  const has = (label: string): boolean =>
    TARGET_LABELS.includes(label) || selectors.some(({ name }) => Object.hasOwn(known(name)?.labels ?? {}, label))
  return [
    ...(selectors.length === 0 ? ['selects no series'] : []),
    ...selectors.filter(({ name }) => name !== 'up' && !known(name)).map(({ name }) => `no metric ${name}`),
    ...functions.filter((name) => !FUNCTIONS.has(name) && !METRICS.has(name)).map((name) => `no function ${name}`),
    ...labels.filter((label) => !has(label)).map((label) => `no label ${label}`),
    ...selectors.flatMap(({ name, matchers }) =>
      matchers.flatMap(([label, sign, value]) => {
        const values = known(name)?.labels?.[label]
        if (values === undefined) return TARGET_LABELS.includes(label) ? [] : [`${name} has no label ${label}`]
        const asked = sign === '=' ? [value] : PLAIN_LIST.test(value) ? value.split('|') : []
        return values === 'any'
          ? []
          : asked.filter((one) => !values.includes(one)).map((one) => `${label} is never ${one}`)
      }),
    ),
  ]
}

function readDashboard(name: string) {
  const { panels, templating } = Dashboard.parse(JSON.parse(readFileSync(inGrafana(name), 'utf8')))
  const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))
  return { queries, variables: templating.list.filter((variable) => variable.name !== 'datasource') }
}
const DASHBOARDS = [
  { name: 'lane.json', shows: [LANE_METRICS], by: ['store', 'lane'], found: 'milepost_lane_info' },
  { name: 'store.json', shows: [STORE_METRICS, LANES_METRICS], by: ['store'], found: 'milepost_store_info' },
] as const

test.each(DASHBOARDS)('every query of the dashboard $name uses existing metrics and labels', ({ name }) => {
  const { queries } = readDashboard(name)
  expect(queries.length).toBeGreaterThan(15)
  expect(queries.flatMap(({ title, expr }) => faultsOf(expr).map((fault) => `${title}: ${fault}`))).toEqual([])
})

test.each([
  ['milepost_gone_total{store="x"}', 'no metric milepost_gone_total'],
  ['sum by (card) (milepost_dropped_total{})', 'no label card'],
  ['milepost_dropped_total{kind="x"}', 'milepost_dropped_total has no label kind'],
  ['milepost_dropped_total{what="letters"}', 'what is never letters'],
  ['milepost_dropped_total{what=~"offers|letters"}', 'what is never letters'],
  ['delta(milepost_dropped_total{what="offers"}[5m])', 'no function delta'],
  ['1', 'selects no series'],
])('the check finds the error of a wrong Prometheus query: %s', (expr, fault) => {
  expect(faultsOf(expr)).toContain(fault)
})

test.each(DASHBOARDS)('the dashboard $name shows every metric for the selected stores and lanes', (dashboard) => {
  const { queries, variables } = readDashboard(dashboard.name)
  const shown = new Set(queries.flatMap(({ expr }) => selectorsIn(expr).map(({ name }) => METRICS.get(name)?.name)))
  const has = dashboard.shows.flatMap((table) => Object.values<Metric>(table))
  expect(has.filter(({ name }) => !shown.has(name))).toEqual([])
  const chosen = dashboard.by.map((label) => [label, '=~', `$${label}`])
  for (const { expr } of queries)
    for (const { matchers } of selectorsIn(expr)) expect(matchers).toEqual(expect.arrayContaining(chosen))
  for (const { name, query } of variables) expect(JSON.stringify(query), name).toContain(dashboard.found)
})

const Rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Milepost[A-Z][A-Za-z]+$/),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({ summary: z.string(), description: z.string() }),
        }),
      ),
    }),
  ),
})

const featuresOf = (expr: string | undefined): string[] => /part=~"([^"]*)"/.exec(expr ?? '')?.[1]?.split('|') ?? []

test('the alert for failed calls counts calls of lanes, but no scrapes, health checks and downloads', () => {
  const { groups } = Rules.parse(parse(readFileSync(inGrafana('alerts.yaml'), 'utf8')))
  const rule = groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === 'MilepostCallsFail')
  const others: readonly string[] = ['updates', 'other']
  expect(featuresOf(rule?.expr)).toEqual(SERVER_FEATURES.filter((feature) => !others.includes(feature)))
})

test('every alert rule uses existing metrics, and has a unique name and a test', () => {
  const { groups } = Rules.parse(parse(readFileSync(inGrafana('alerts.yaml'), 'utf8')))
  const rules = groups.flatMap((group) => group.rules)
  expect(rules.length).toBeGreaterThan(10)
  expect(rules.flatMap(({ alert, expr }) => faultsOf(expr).map((fault) => `${alert}: ${fault}`))).toEqual([])
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  const tried = readFileSync(inGrafana('alerts.test.yaml'), 'utf8')
  expect(rules.filter(({ alert }) => !tried.includes(`"${alert}"`))).toEqual([])
})

test('Prometheus fires every alert for a broken store, and no alert for a healthy one', async ({ skip }) => {
  skip(!(await hasPromtool()), NO_PROMTOOL)
  expect(await promtool('check', 'rules', inGrafana('alerts.yaml'))).toContain('SUCCESS')
  expect(await promtool('test', 'rules', inGrafana('alerts.test.yaml'))).toContain('SUCCESS')
})

test('docs/observability.md lists the current metrics; npm run lab -- metrics-docs updates it', () => {
  const page = readFileSync(OBSERVABILITY_PAGE, 'utf8')
  expect(page).toBe(withMetrics(page))
})

test('docs/observability.md explains every kind of dropped data', () => {
  const page = readFileSync(OBSERVABILITY_PAGE, 'utf8')
  expect([...DROPPED, ...SERVER_DROPPED].filter((what) => !page.includes(`| \`${what}\` |`))).toEqual([])
})
