import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LANE_METRICS } from '../contracts/operations/lane-metrics.ts'
import { seriesOf, type Metric, type MetricTable } from '../contracts/core/metric-table.ts'
import { LANES_METRICS, STORE_METRICS } from '../contracts/store/metrics.ts'

/**
 * Tables of metrics in docs/observability.md: `npm run lab metrics-docs` writes them, and a test checks that they are
 * current.
 */
export const OBSERVABILITY_PAGE = fileURLToPath(new URL('../docs/observability.md', import.meta.url))
const TABLES: readonly (readonly [name: string, table: MetricTable])[] = [
  ['metrics', LANE_METRICS],
  ['server metrics', STORE_METRICS],
  ['metrics of lanes at the server', LANES_METRICS],
]

const writtenName = ({ name, kind }: Metric): string => (kind === 'counter' ? `${name}_total` : name)

/** A long list of label values is written once; later metrics with the same values refer to the first. */
function labelsOf({ labels = {} }: Metric, earlier: readonly Metric[]): string {
  const valuesOf = (label: string, values: readonly string[]): string => {
    const first = earlier.find((metric) => metric.labels?.[label] === values)
    return first && values.length > 10 ? `as \`${writtenName(first)}\`` : `\`${values.join('`, `')}\``
  }
  return Object.entries(labels)
    .map(([label, values]) => `\`${label}\`${values === 'any' ? '' : `: ${valuesOf(label, values)}`}`)
    .join('; ')
}

function rowOf(metric: Metric, at: number, metrics: readonly Metric[]): string {
  const { kind, help, buckets = [] } = metric
  const meaning = kind === 'histogram' ? `${help}. Histogram: ${buckets.join(', ')}` : help
  return `| \`${writtenName(metric)}\` | ${meaning} | ${labelsOf(metric, metrics.slice(0, at))} |`
}

function tableOf(table: MetricTable): string {
  const metrics = Object.values<Metric>(table)
  const most = metrics.reduce((sum, metric) => sum + seriesOf(metric), 0)
  return ['| metric | meaning | labels |', '|---|---|---|', ...metrics.map(rowOf), '', `At most ${most} series.`].join(
    '\n',
  )
}

export function withMetrics(page: string): string {
  return TABLES.reduce((written, [name, table]) => {
    const [first, last] = [`<!-- ${name}: npm run lab metrics-docs -->`, `<!-- /${name} -->`]
    const [begin, end] = [written.indexOf(first), written.indexOf(last)]
    if (begin < 0 || end < begin) throw new Error(`${OBSERVABILITY_PAGE} has no place for the table of ${name}`)
    return `${written.slice(0, begin)}${first}\n${tableOf(table)}\n${written.slice(end)}`
  }, page)
}

if (import.meta.main) writeFileSync(OBSERVABILITY_PAGE, withMetrics(readFileSync(OBSERVABILITY_PAGE, 'utf8')))
