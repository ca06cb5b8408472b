import type { Benchmark, BenchmarkRun, Measured } from '../benchmark.ts'
import { openSubject } from '../journal/subject.ts'
import { summarise } from '../statistics.ts'

const OPTIONS = {
  entries: { default: 1_000_000, about: 'entries of the trail' },
  rounds: { default: 5, about: 'times that it is read whole' },
} as const

/** As `packages/lab/testing/load/audit.ts` tells it. */
interface Round {
  readonly verifyMs: number
  readonly stalledMs: number
  readonly entries: number
  readonly intact: boolean
  readonly pageMs: Readonly<Record<string, number>>
  readonly appendUs: number
}

const VERIFY_WITHIN_S = 10
const PAGE_WITHIN_MS = 100

export const audit: Benchmark<typeof OPTIONS> = {
  name: 'audit',
  about: 'a long audit trail: proving all of it, paging through it, and what one entry more costs',
  options: OPTIONS,
  run: measureAudit,
}

async function measureAudit({ settings, folder, signal, log, atEnd }: BenchmarkRun<typeof OPTIONS>): Promise<Measured> {
  log(`writing ${settings.entries} entries`)
  const subject = await openSubject<Round>(folder, { task: 'audit', entries: settings.entries })
  atEnd(() => subject.stop())
  const rounds: Round[] = []
  for (let round = 0; round < settings.rounds; round += 1) {
    signal.throwIfAborted()
    log(`reading all of it, ${round + 1} of ${settings.rounds}`)
    const done = await subject.round()
    if (!done.intact) throw new Error(`the trail of ${done.entries} entries was found broken`)
    rounds.push(done)
  }
  const verify = summarise(rounds.map(({ verifyMs }) => verifyMs))
  const seconds = (ms: number): number => Math.round(ms) / 1_000
  const pages = Object.keys(rounds[0]?.pageMs ?? {}).map((name) => ({
    name: `page of ${name}`,
    role: 'result' as const,
    samples: rounds.map(({ pageMs }) => pageMs[name] ?? 0),
  }))
  const slowest = summarise(pages.flatMap(({ samples }) => samples))
  return {
    measurements: [
      { name: `${settings.entries} entries proved`, role: 'result', samples: rounds.map(({ verifyMs }) => verifyMs) },
      { name: 'longest stall of the lane meanwhile', role: 'stage', samples: rounds.map(({ stalledMs }) => stalledMs) },
      { name: 'one entry more in a commit', role: 'stage', samples: rounds.map(({ appendUs }) => appendUs / 1_000) },
      ...pages,
    ],
    targets: [
      {
        name: `${settings.entries} entries proved`,
        unit: 's',
        bound: 'below',
        limit: VERIFY_WITHIN_S,
        value: seconds(verify.p50),
        low: seconds(verify.min),
        high: seconds(verify.max),
      },
      {
        name: 'slowest page under any filter',
        unit: 'ms',
        bound: 'below',
        limit: PAGE_WITHIN_MS,
        value: slowest.max,
        low: slowest.min,
        high: slowest.max,
      },
    ],
    facts: { 'one entry more, µs': Math.round(summarise(rounds.map(({ appendUs }) => appendUs)).p50) },
    notes: [
      'An entry more counts its hash, its row in five trees, and the sum of the table under the key; not a commit.',
    ],
  }
}
