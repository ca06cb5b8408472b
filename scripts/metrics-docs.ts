import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LANE_METRICS } from '../contracts/operations/lane-metrics.ts'
import { seriesOf, type Metric, type MetricTable } from '../contracts/core/metric-table.ts'
import { LANES_METRICS, STORE_METRICS } from '../contracts/store/metrics.ts'

/**
 * The tables of metrics in docs/observability.md, from the code: `npm run lab metrics-docs` writes, a test compares.
 */
export const OBSERVABILITY_PAGE = fileURLToPath(new URL('../docs/observability.md', import.meta.url))
/** By the name that begins and ends their place in the page. */
const TABLES: readonly (readonly [name: string, table: MetricTable])[] = [
  ['metrics', LANE_METRICS],
  ['server metrics', STORE_METRICS],
  ['metrics of lanes at the server', LANES_METRICS],
]

const labelsOf = ({ labels = {} }: Metric): string =>
  Object.entries(labels)
    .map(([name, values]) => `\`${name}\`${values === 'any' ? '' : `: ${values.join(', ')}`}`)
    .join('; ')

function rowOf(metric: Metric): string {
  const { name, kind, help, buckets } = metric
  const told = kind === 'histogram' ? `histogram, up to ${(buckets ?? []).join(', ')}` : kind
  const written = kind === 'counter' ? `${name}_total` : name
  return `| \`${written}\` | ${told} | ${seriesOf(metric)} | ${help} | ${labelsOf(metric)} |`
}

function tableOf(table: MetricTable): string {
  const metrics = Object.values<Metric>(table)
  const most = metrics.reduce((sum, metric) => sum + seriesOf(metric), 0)
  return [
    '| metric | kind | series at most | what | labels |',
    '|---|---|---|---|---|',
    ...metrics.map(rowOf),
    `| | | **${most}** | in all | |`,
  ].join('\n')
}

/** The page with the tables of today. */
export function withMetrics(page: string): string {
  return TABLES.reduce((written, [name, table]) => {
    const [first, last] = [`<!-- ${name}: npm run lab metrics-docs -->`, `<!-- /${name} -->`]
    const [begin, end] = [written.indexOf(first), written.indexOf(last)]
    if (begin < 0 || end < begin) throw new Error(`${OBSERVABILITY_PAGE} has no place for the table of ${name}`)
    return `${written.slice(0, begin)}${first}\n${tableOf(table)}\n${written.slice(end)}`
  }, page)
}

if (import.meta.main) writeFileSync(OBSERVABILITY_PAGE, withMetrics(readFileSync(OBSERVABILITY_PAGE, 'utf8')))
