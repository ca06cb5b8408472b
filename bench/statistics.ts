/** A summary of samples. Percentiles are samples themselves, never interpolated. */
export interface Summary {
  readonly samples: number
  readonly min: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
  readonly mean: number
}

/**
 * Returns the nearest-rank percentile: the smallest sample that `percent` in a hundred samples do not exceed. `sorted`
 * is in ascending order. Throws a RangeError for no samples or a percentage outside of (0, 100].
 */
export function percentile(sorted: readonly number[], percent: number): number {
  if (!(percent > 0 && percent <= 100)) throw new RangeError(`not a percentage above 0: ${percent}`)
  // The percentage is counted in hundredths of a percent, so that 99.9 % of 1,000 is 999 and not 999.0000000000001.
  const rank = Math.ceil((Math.round(percent * 100) * sorted.length) / 10_000)
  const sample = sorted[rank - 1]
  if (sample === undefined) throw new RangeError('no samples')
  return sample
}

/**
 * Summarises samples. Throws a RangeError for no samples, or for a sample that is not a finite number: a failed
 * measurement is not a slow one.
 */
export function summarise(samples: readonly number[]): Summary {
  const broken = samples.find((sample) => !Number.isFinite(sample))
  if (broken !== undefined) throw new RangeError(`not a sample: ${broken}`)
  const sorted = [...samples].sort((a, b) => a - b)
  const [min] = sorted
  if (min === undefined) throw new RangeError('no samples')
  return {
    samples: sorted.length,
    min,
    p50: percentile(sorted, 50),
    p95: percentile(sorted, 95),
    p99: percentile(sorted, 99),
    max: percentile(sorted, 100),
    mean: sorted.reduce((sum, sample) => sum + sample, 0) / sorted.length,
  }
}
