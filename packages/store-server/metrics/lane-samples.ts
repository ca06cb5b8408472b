import { LANE_METRICS } from '../../../contracts/operations/lane-metrics.ts'
import { type LabelValues, MAX_SERIES, type Metric, seriesNames } from '../../../contracts/core/metric-table.ts'
import { LANES_METRICS, type Sample } from '../../../contracts/store/metrics.ts'
import type { Caller } from '../lanes/caller.ts'
import { AggregatorRegistry, type OpenMetricsContentType } from 'prom-client'
import { METRICS_TYPE } from '../../delivery/metrics-registry.ts'
import type { LaneSamples } from './metrics.sql.ts'

export type SamplesRefusal = 'too-many' | 'another-lane' | 'not-a-count' | 'twice' | 'no-histogram'

export type ReadSamples =
  | { readonly kind: 'accepted'; readonly accepted: readonly Sample[]; readonly dropped: number }
  | { readonly kind: 'refused'; readonly why: SamplesRefusal }

interface Known {
  readonly metric: Metric
  readonly place: number
}

const METRICS = Object.values<Metric>(LANE_METRICS)
const KNOWN = new Map<string, Known>(
  METRICS.flatMap((metric, place) => seriesNames(metric).map((name) => [name, { metric, place }])),
)
const INFINITE = '+Inf'
/** Patterns for the values of the labels `version` and `mode`, which the table of metrics does not list. */
const FORMS: Readonly<Record<string, RegExp>> = { version: /^[\w.+-]{1,40}$/, mode: /^(production|training)$/ }

/**
 * Reduces a lane's samples to the metrics and labels of this program's table, in table order and grouped by histogram.
 * Refuses all samples if there are too many, or if one is of another lane, a negative count, repeated, or in an
 * incomplete histogram.
 */
export function readSamples(samples: readonly Sample[], caller: Caller): ReadSamples {
  if (samples.length > MAX_SERIES) return { kind: 'refused', why: 'too-many' }
  const known = samples.filter(isKnown)
  if (known.some(({ labels }) => isOfAnother(labels, caller))) return { kind: 'refused', why: 'another-lane' }
  if (known.some((sample) => sample.value < 0 && counts(sample))) return { kind: 'refused', why: 'not-a-count' }
  if (new Set(known.map(keyOf)).size < known.length) return { kind: 'refused', why: 'twice' }
  if (!areHistograms(known)) return { kind: 'refused', why: 'no-histogram' }
  return { kind: 'accepted', accepted: known.toSorted(inOrder), dropped: samples.length - known.length }
}

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

const histogramOf = ({ labels: { le: _, ...labels }, name }: Sample): string =>
  keyOf({ name: metricOf(name)?.name ?? name, labels, value: 0 })

/**
 * Returns whether each histogram is complete and consistent: all buckets, cumulative, and the last equal to the count.
 */
function areHistograms(samples: readonly Sample[]): boolean {
  const all = samples.filter(({ name }) => metricOf(name)?.kind === 'histogram')
  return [...Map.groupBy(all, histogramOf).values()].every((samples) => {
    const sorted = samples.toSorted(inOrder)
    const [first] = sorted
    const metric = first && metricOf(first.name)
    if (!metric || sorted.length !== boundsOf(metric).length + 2) return false
    const values = sorted.slice(0, -1).map(({ value }) => value)
    return values.every((value, at) => value >= (values[at - 1] ?? 0)) && values.at(-1) === values.at(-2)
  })
}

function inOrder(one: Sample, other: Sample): number {
  return (
    (KNOWN.get(one.name)?.place ?? 0) - (KNOWN.get(other.name)?.place ?? 0) ||
    compare(histogramOf(one), histogramOf(other)) ||
    rankOf(one) - rankOf(other)
  )
}
const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)

const BEHIND = Number.MAX_VALUE
function rankOf({ name, labels: { le } }: Sample): number {
  if (le !== undefined) return le === INFINITE ? BEHIND / 4 : Number(le)
  return name.endsWith('_sum') ? BEHIND : BEHIND / 2
}

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
  aggregator: 'sum',
  values: samples.map(({ name, labels, value }) => ({
    labels,
    value,
    ...(metric.kind === 'histogram' ? { metricName: name } : {}),
  })),
})

export function lanesText(lanes: readonly LaneSamples[]): Promise<string> {
  const { up, lastContact } = LANES_METRICS
  // The first two metrics are declared even without lanes, because a text without any metric is invalid.
  const known = new Map<Metric, Sample[]>([up, lastContact].map((metric) => [metric, []]))
  const add = (metric: Metric, sample: Sample, { store, lane }: LaneSamples): void => {
    const all = known.get(metric) ?? []
    known.set(metric, all)
    all.push({ ...sample, labels: { ...sample.labels, store, lane } })
  }
  for (const lane of lanes) {
    add(up, { name: up.name, labels: {}, value: lane.samples === null ? 0 : 1 }, lane)
    add(lastContact, { name: lastContact.name, labels: {}, value: lane.secondsSinceContact }, lane)
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
