import type { Benchmark, BenchmarkRun, Measured } from '../benchmark.ts'
import { openSubject } from '../journal/subject.ts'
import { percentile, summarise } from '../statistics.ts'

const OPTIONS = {
  sales: { default: 365_000, about: 'sales of the year before' },
  rounds: { default: 3, about: 'repetitions of all searches and reports' },
} as const

/** One result line that `packages/lab/testing/load/reports.ts` prints. */
interface Round {
  readonly searchMs: Readonly<Record<string, readonly number[]>>
  readonly reportMs: Readonly<Record<'day' | 'month' | 'year', number>>
  readonly stalledMs: number
  readonly idleStalledMs: number
  readonly sales: number
  readonly indexUs: number
  readonly longestStepMs: number
  readonly waitingUs: number
}

const SEARCH_WITHIN_MS = 100
const P95 = 95

export const reports: Benchmark<typeof OPTIONS> = {
  name: 'reports',
  about: 'a year of sales: the search of the electronic journal, and the reports of a day, a month and the year',
  options: OPTIONS,
  run: measureReports,
}

async function measureReports({
  settings,
  folder,
  signal,
  log,
  atEnd,
}: BenchmarkRun<typeof OPTIONS>): Promise<Measured> {
  log(`inserting and indexing ${settings.sales} sales`)
  const subject = await openSubject<Round>(folder, { task: 'reports', sales: settings.sales })
  atEnd(() => subject.stop())
  const rounds: Round[] = []
  for (let round = 0; round < settings.rounds; round += 1) {
    signal.throwIfAborted()
    log(`searching and reading reports, ${round + 1} of ${settings.rounds}`)
    rounds.push(await subject.round())
  }
  const p95 = (samples: readonly number[]): number =>
    percentile(
      samples.toSorted((a, b) => a - b),
      P95,
    )
  const kinds = Object.keys(rounds[0]?.searchMs ?? {})
  const searches = kinds.map((name) => ({
    name: `search by ${name}`,
    role: 'result' as const,
    samples: rounds.flatMap(({ searchMs }) => searchMs[name] ?? []),
  }))
  const slowest = searches.map(({ samples }) => p95(samples)).toSorted((a, b) => b - a)
  const median = (of: (round: Round) => number): number => summarise(rounds.map(of)).p50
  return {
    measurements: [
      ...searches,
      ...(['day', 'month', 'year'] as const).map((span) => ({
        name: `report of a ${span}`,
        role: 'result' as const,
        samples: rounds.map(({ reportMs }) => reportMs[span]),
      })),
      {
        name: 'longest stall of the lane during reports',
        role: 'stage',
        samples: rounds.map(({ stalledMs }) => stalledMs),
      },
      {
        name: 'longest stall without reports',
        role: 'ceiling',
        samples: rounds.map(({ idleStalledMs }) => idleStalledMs),
      },
    ],
    targets: [
      {
        name: 'search, p95 of the slowest kind',
        unit: 'ms',
        bound: 'below',
        limit: SEARCH_WITHIN_MS,
        value: Math.round((slowest[0] ?? 0) * 10) / 10,
        low: Math.round((slowest.at(-1) ?? 0) * 10) / 10,
        high: Math.round(Math.max(...searches.flatMap(({ samples }) => samples)) * 10) / 10,
      },
    ],
    facts: {
      'sales of the year': rounds[0]?.sales ?? 0,
      'indexing, µs a sale': Math.round(median(({ indexUs }) => indexUs)),
      'longest indexing step, ms': Math.round(median(({ longestStepMs }) => longestStepMs)),
      'search queue in a sale’s commit, µs': Math.round(median(({ waitingUs }) => waitingUs) * 10) / 10,
    },
    notes: [
      'A search is measured in the program, without HTTP; a report from its request to its result, with its worker.',
    ],
  }
}
