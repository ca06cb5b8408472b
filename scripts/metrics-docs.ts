import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LANE_METRICS } from '../contracts/lane-metrics.ts'
import { seriesOf, type Metric } from '../contracts/metric-table.ts'

/** The table of metrics in docs/observability.md, from the code: `npm run metrics-docs` writes it, a test compares. */
export const OBSERVABILITY_PAGE = fileURLToPath(new URL('../docs/observability.md', import.meta.url))
const BEGIN = '<!-- metrics: npm run metrics-docs -->'
const END = '<!-- /metrics -->'

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

/** The page with the table of today. */
export function withMetrics(page: string): string {
  const metrics = Object.values<Metric>(LANE_METRICS)
  const most = metrics.reduce((sum, metric) => sum + seriesOf(metric), 0)
  const table = [
    '| metric | kind | series at most | what | labels |',
    '|---|---|---|---|---|',
    ...metrics.map(rowOf),
    `| | | **${most}** | in all | |`,
  ].join('\n')
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`${OBSERVABILITY_PAGE} has no place for the table of metrics`)
  return `${page.slice(0, begin)}${BEGIN}\n${table}\n${page.slice(end)}`
}

if (import.meta.main) writeFileSync(OBSERVABILITY_PAGE, withMetrics(readFileSync(OBSERVABILITY_PAGE, 'utf8')))
