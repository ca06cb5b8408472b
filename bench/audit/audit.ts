import type { Benchmark, BenchmarkRun, Measured } from '../benchmark.ts'
import { openSubject } from '../journal/subject.ts'
import { summarise } from '../statistics.ts'

const OPTIONS = {
  entries: { default: 1_000_000, about: 'entries of the trail' },
  rounds: { default: 5, about: 'full verifications of the trail' },
} as const

/** One result line that `packages/lab/testing/load/audit.ts` prints. */
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
  about: 'a long audit trail: full verification, paging, and the cost of one more entry',
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
    log(`verifying the trail, ${round + 1} of ${settings.rounds}`)
    const done = await subject.round()
    if (!done.intact) throw new Error(`the trail of ${done.entries} entries is broken`)
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
      {
        name: 'longest stall of the lane during the verification',
        role: 'stage',
        samples: rounds.map(({ stalledMs }) => stalledMs),
      },
      { name: 'one more entry in a commit', role: 'stage', samples: rounds.map(({ appendUs }) => appendUs / 1_000) },
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
        name: 'slowest page with any filter',
        unit: 'ms',
        bound: 'below',
        limit: PAGE_WITHIN_MS,
        value: slowest.max,
        low: slowest.min,
        high: slowest.max,
      },
    ],
    facts: { 'one more entry, µs': Math.round(summarise(rounds.map(({ appendUs }) => appendUs)).p50) },
    notes: [
      'One more entry includes its hash, its row in five trees, and the sealed sum of the table, but not the commit.',
    ],
  }
}
