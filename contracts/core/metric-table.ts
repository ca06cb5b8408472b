/** Allowed values of a label; `any`: one value that is set when the program starts. */
export type LabelValues = readonly string[] | 'any'

export interface Metric {
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels?: Readonly<Record<string, LabelValues>>
  readonly buckets?: readonly number[]
}
export type MetricTable = Readonly<Record<string, Metric>>

/** Maximum number of series that a lane may have. */
export const MAX_SERIES = 100

/**
 * Counts the series of a metric: one for every combination of label values; for a histogram each bucket, the infinite
 * bucket, sum and count of every combination. A label `any` counts as one value.
 */
export function seriesOf({ kind, labels = {}, buckets = [] }: Metric): number {
  const sets = Object.values(labels).reduce((product, values) => product * (values === 'any' ? 1 : values.length), 1)
  return sets * (kind === 'histogram' ? buckets.length + 3 : 1)
}

export function seriesNames({ name, kind }: Metric): string[] {
  if (kind === 'counter') return [`${name}_total`]
  return kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
}
