/** Samples of one thing, in milliseconds. */
export interface Measurement {
  readonly name: string
  /**
   * result: what the benchmark is for. stage: a part of the result's way. ceiling: what this machine can do at best,
   * taken in the same run, so that a slow machine is not mistaken for a slow program. peer: another program doing the
   * same.
   */
  readonly role: 'result' | 'stage' | 'ceiling' | 'peer'
  readonly samples: readonly number[]
}

/**
 * What a figure must reach. `low` and `high`: the worst and the best round of this run, which tell how much to trust
 * it.
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
  /** What else a reader must know to compare two runs: sizes, durations of the preparation, program versions. */
  readonly facts: Readonly<Record<string, string | number>>
  /** What the numbers do and do not contain. */
  readonly notes: readonly string[]
}

/** By name as on the command line, without the dashes. The type of the default is the type of the option. */
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
  /** Aborted when a person stops the run: check between samples. */
  readonly signal: AbortSignal
  /** A line of progress for a person. */
  readonly log: (line: string) => void
  /** Done when the run ends, however it ends, the latest first. */
  readonly atEnd: (close: () => Promise<void>) => void
}

/** Rejects when something could not be measured. Being slow is a result and never an error. */
export interface Benchmark<Options extends BenchmarkOptions = BenchmarkOptions> {
  readonly name: string
  readonly about: string
  readonly options: Options
  run(run: BenchmarkRun<Options>): Promise<Measured>
}
