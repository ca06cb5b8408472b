/** The values that a label may have; `any`: one value that is settled at the start. */
export type LabelValues = readonly string[] | 'any'

/** A metric of OpenMetrics: a counter's samples end in `_total`. */
export interface Metric {
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels?: Readonly<Record<string, LabelValues>>
  /** Upper bounds of a histogram, in the unit of its name; the last, infinity, comes by itself. */
  readonly buckets?: readonly number[]
}
export type MetricTable = Readonly<Record<string, Metric>>

/** So many series a lane may have. */
export const MOST_SERIES = 100

/** The most series that a metric can come to: every value of every label, of a histogram with its sum and its count. */
export function seriesOf({ kind, labels = {}, buckets = [] }: Metric): number {
  const sets = Object.values(labels).reduce((product, values) => product * (values === 'any' ? 1 : values.length), 1)
  return sets * (kind === 'histogram' ? buckets.length + 3 : 1)
}

/** The names under which a metric is queried. */
export function seriesNames({ name, kind }: Metric): string[] {
  if (kind === 'counter') return [`${name}_total`]
  return kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
}
