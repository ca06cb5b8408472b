export interface Measurement {
  readonly name: string
  /**
   * - result: the subject of the benchmark
   * - stage: a part of a result
   * - ceiling: the best possible on this machine, measured in the same run, because the machine may be slow
   * - peer: another program doing the same
   */
  readonly role: 'result' | 'stage' | 'ceiling' | 'peer'
  readonly samples: readonly number[]
}

/**
 * A required value of a benchmark. `low` and `high`: the lowest and highest value of the rounds, to show the spread.
 */
export interface Target {
  readonly name: string
  readonly unit: string
  readonly bound: 'at least' | 'above' | 'below' | 'at most'
  readonly limit: number
  readonly value: number
  readonly low: number
  readonly high: number
}

export interface Measured {
  readonly measurements: readonly Measurement[]
  readonly targets?: readonly Target[]
  readonly facts: Readonly<Record<string, string | number>>
  readonly notes: readonly string[]
}

/**
 * Options of a benchmark by their name on the command line, without the dashes. An option has the type of its default.
 */
export type BenchmarkOptions = Readonly<Record<string, { readonly default: number | string; readonly about: string }>>

export type Settings<Options extends BenchmarkOptions> = {
  readonly [Name in keyof Options]: Options[Name]['default'] extends number
    ? number
    : Options[Name]['default'] extends string
      ? string
      : number | string
}

export interface BenchmarkRun<Options extends BenchmarkOptions> {
  readonly settings: Settings<Options>
  readonly folder: string
  readonly signal: AbortSignal
  readonly log: (line: string) => void
  readonly atEnd: (close: () => Promise<void>) => void
}

/** A benchmark; its `run` rejects if a value could not be measured. Slowness is a result, not an error. */
export interface Benchmark<Options extends BenchmarkOptions = BenchmarkOptions> {
  readonly name: string
  readonly about: string
  readonly options: Options
  run(run: BenchmarkRun<Options>): Promise<Measured>
}
