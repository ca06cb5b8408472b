/** Samples in milliseconds. */
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

/** The required value of a figure. `low` and `high`: the worst and the best round, as a measure of the spread. */
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
  /** Facts for comparing two runs: sizes, preparation times, program versions. */
  readonly facts: Readonly<Record<string, string | number>>
  /** The scope of the numbers. */
  readonly notes: readonly string[]
}

/** Options by their name on the command line, without the dashes. The type of the default is the type of the option. */
export type BenchmarkOptions = Readonly<Record<string, { readonly default: number | string; readonly about: string }>>

/** The value of each option of a run. */
export type Settings<Options extends BenchmarkOptions> = {
  readonly [Name in keyof Options]: Options[Name]['default'] extends number
    ? number
    : Options[Name]['default'] extends string
      ? string
      : number | string
}

export interface BenchmarkRun<Options extends BenchmarkOptions> {
  readonly settings: Settings<Options>
  /** An empty folder of this run; removed after it. */
  readonly folder: string
  /** Aborted when the user stops the run: check it between samples. */
  readonly signal: AbortSignal
  /** Prints a line of progress. */
  readonly log: (line: string) => void
  /** Registers cleanup for any end of the run; runs in reverse order. */
  readonly atEnd: (close: () => Promise<void>) => void
}

/** Rejects if a value could not be measured. Slowness is a result, not an error. */
export interface Benchmark<Options extends BenchmarkOptions = BenchmarkOptions> {
  readonly name: string
  readonly about: string
  readonly options: Options
  run(run: BenchmarkRun<Options>): Promise<Measured>
}
