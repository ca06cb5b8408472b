import { LANE_METRICS } from '../../../contracts/operations/lane-metrics.ts'
import { type LabelValues, MOST_SERIES, type Metric, seriesNames } from '../../../contracts/core/metric-table.ts'
import { LANES_METRICS, type Sample } from '../../../contracts/store/metrics.ts'
import type { Caller } from '../lanes/caller.ts'
import { AggregatorRegistry, type OpenMetricsContentType } from 'prom-client'
import { METRICS_TYPE } from '../../delivery/metrics-registry.ts'
import type { ToldLane } from './metrics.sql.ts'

/** Why nothing of what a lane said is kept. */
export type SamplesRefusal = 'too-many' | 'another-lane' | 'not-a-count' | 'twice' | 'no-histogram'

export type ReadSamples =
  | { readonly kind: 'kept'; readonly kept: readonly Sample[]; readonly dropped: number }
  | { readonly kind: 'refused'; readonly why: SamplesRefusal }

interface Known {
  readonly metric: Metric
  /** In which order metrics are shown. */
  readonly place: number
}

const METRICS = Object.values<Metric>(LANE_METRICS)
const KNOWN = new Map<string, Known>(
  METRICS.flatMap((metric, place) => seriesNames(metric).map((name) => [name, { metric, place }])),
)
const INFINITE = '+Inf'
/** Labels that take any value in the table: of the lane itself, or of one form. */
const FORMS: Readonly<Record<string, RegExp>> = { version: /^[\w.+-]{1,40}$/, mode: /^(production|training)$/ }

/**
 * What of a lane's samples another may be shown: the metrics of this program's table, with their labels and no other.
 * What a newer lane knows more is dropped. Refused whole is what no lane says: counts that are none, and what is told
 * in another lane's name. In the order of the table, each histogram by itself.
 */
export function readSamples(samples: readonly Sample[], caller: Caller): ReadSamples {
  if (samples.length > MOST_SERIES) return { kind: 'refused', why: 'too-many' }
  const known = samples.filter(isKnown)
  if (known.some(({ labels }) => isOfAnother(labels, caller))) return { kind: 'refused', why: 'another-lane' }
  if (known.some((sample) => sample.value < 0 && counts(sample))) return { kind: 'refused', why: 'not-a-count' }
  if (new Set(known.map(keyOf)).size < known.length) return { kind: 'refused', why: 'twice' }
  if (!areHistograms(known)) return { kind: 'refused', why: 'no-histogram' }
  return { kind: 'kept', kept: known.toSorted(inOrder), dropped: samples.length - known.length }
}

/** The metric that a sample is of; null: none of the table. */
export const metricOf = (name: string): Metric | null => KNOWN.get(name)?.metric ?? null

function isKnown({ name, labels }: Sample): boolean {
  const metric = metricOf(name)
  if (metric === null) return false
  const expected: Record<string, LabelValues> = { ...metric.labels }
  if (name.endsWith('_bucket') && metric.kind === 'histogram') expected['le'] = boundsOf(metric)
  const names = Object.keys(labels)
  return (
    names.length === Object.keys(expected).length &&
    names.every((label) => isValue(label, labels[label] ?? '', Object.hasOwn(expected, label) ? expected[label] : []))
  )
}

const boundsOf = ({ buckets = [] }: Metric): string[] => [...buckets.map(String), INFINITE]

const isValue = (label: string, value: string, values: LabelValues = []): boolean =>
  values === 'any' ? (FORMS[label]?.test(value) ?? true) : values.includes(value)

const isOfAnother = ({ store_id: store, lane_id: lane }: Sample['labels'], caller: Caller): boolean =>
  (store !== undefined && store !== caller.store) || (lane !== undefined && lane !== caller.lane)

const counts = ({ name }: Sample): boolean => metricOf(name)?.kind !== 'gauge'

const keyOf = ({ name, labels }: Sample): string =>
  JSON.stringify([name, Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))])

/** Of which histogram a sample is, by its labels but for the bound. */
const histogramOf = ({ labels: { le: _, ...labels }, name }: Sample): string =>
  keyOf({ name: metricOf(name)?.name ?? name, labels, value: 0 })

/** Whether each histogram is whole: all its bounds, none with less than the one below it, and as many as it counts. */
function areHistograms(samples: readonly Sample[]): boolean {
  const all = samples.filter(({ name }) => metricOf(name)?.kind === 'histogram')
  return [...Map.groupBy(all, histogramOf).values()].every((parts) => {
    const sorted = parts.toSorted(inOrder)
    const [first] = sorted
    const metric = first && metricOf(first.name)
    if (!metric || sorted.length !== boundsOf(metric).length + 2) return false
    const values = sorted.slice(0, -1).map(({ value }) => value)
    return values.every((value, at) => value >= (values[at - 1] ?? 0)) && values.at(-1) === values.at(-2)
  })
}

/** By metric and labels; of a histogram first its bounds from below, then its count and its sum. */
function inOrder(one: Sample, other: Sample): number {
  return (
    (KNOWN.get(one.name)?.place ?? 0) - (KNOWN.get(other.name)?.place ?? 0) ||
    compare(histogramOf(one), histogramOf(other)) ||
    partOf(one) - partOf(other)
  )
}
const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)

const BEHIND = Number.MAX_VALUE
function partOf({ name, labels: { le } }: Sample): number {
  if (le !== undefined) return le === INFINITE ? BEHIND / 4 : Number(le)
  return name.endsWith('_sum') ? BEHIND : BEHIND / 2
}

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
