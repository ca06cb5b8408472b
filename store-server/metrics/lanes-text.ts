import { AggregatorRegistry, type OpenMetricsContentType } from 'prom-client'
import type { Metric } from '../../contracts/metric-table.ts'
import { LANES_METRICS } from '../../contracts/store-metrics.ts'
import type { Sample } from '../../contracts/store/metrics.ts'
import { METRICS_TYPE } from '../../delivery/metrics-registry.ts'
import { metricOf } from './lane-samples.ts'
import type { ToldLane } from './repository.ts'

/** As prom-client exchanges metrics between processes, for which it has the text. */
interface Exchanged {
  readonly name: string
  readonly help: string
  readonly type: Metric['kind']
  readonly aggregator: 'sum'
  readonly values: readonly { metricName?: string; labels: Record<string, string>; value: number }[]
}

const exchanged = (metric: Metric, samples: readonly Sample[]): Exchanged => ({
  name: metric.name,
  help: metric.help,
  type: metric.kind,
  // Each series is there once: nothing is added up.
  aggregator: 'sum',
  values: samples.map(({ name, labels, value }) => ({
    labels,
    value,
    ...(metric.kind === 'histogram' ? { metricName: name } : {}),
  })),
})

/** The metrics of all lanes in one text, OpenMetrics 1.0.0: each series with its `store` and its `lane`. */
export function lanesText(lanes: readonly ToldLane[]): Promise<string> {
  const { up, heard } = LANES_METRICS
  // There also where no lane is: a text of no metric at all is none.
  const known = new Map<Metric, Sample[]>([up, heard].map((metric) => [metric, []]))
  const add = (metric: Metric, sample: Sample, { store, lane }: ToldLane): void => {
    const all = known.get(metric) ?? []
    known.set(metric, all)
    all.push({ ...sample, labels: { ...sample.labels, store, lane } })
  }
  for (const lane of lanes) {
    add(up, { name: up.name, labels: {}, value: lane.samples === null ? 0 : 1 }, lane)
    add(heard, { name: heard.name, labels: {}, value: lane.heardSeconds }, lane)
    for (const sample of lane.samples ?? []) {
      const metric = metricOf(sample.name)
      if (metric) add(metric, sample, lane)
    }
  }
  const all = [...known].map(([metric, samples]) => exchanged(metric, samples))
  const registry = AggregatorRegistry.aggregate<OpenMetricsContentType>([all])
  registry.setContentType(METRICS_TYPE)
  return registry.metrics()
}
