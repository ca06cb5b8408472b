import { availableParallelism } from 'node:os'
import { type CommandLine, runCommand } from '../../../contracts/core/command-line.ts'
import { runInWorker, workerFile } from '../../../backend/core/worker.ts'
import { ALL_TRANSITIONS } from './coverage.ts'
import { uncovered } from './days-coverage.ts'
import { DAYS_OF_A_SEED, playDays } from './days.ts'
import { runDifferential } from './differential-run.ts'
import type { Outcome } from './seed.ts'
import type { Report, Share } from './worker.ts'

const USAGE = `npm run lab -- sim [options]

Plays the terminal against a model of the central services with an injected clock, network and disk, and checks the
invariants of docs/reliability.md after each seed. The same seed always gives the same run.

  --seeds N      number of seeds (default 1000)
  --from K       first seed (default 1)
  --seed N       plays one seed and prints its trace
  --days N       plays N whole days of a lane with their Z reports, ${DAYS_OF_A_SEED} per seed, the last seed to its end
                 (--from K and --seed N as above). Also fails if a required situation never occurred
  --workers N    number of worker threads (default: one per processor)
  --until-fails  stops at the first seed that fails
  --json         prints the result as one JSON object
  --help         this text

Exits with 1 if an invariant is broken, and prints the first failing seed with its trace.`

const COUNT = [0, 999_999_999] as const
const DECLARED = {
  numbers: { seeds: COUNT, from: COUNT, seed: COUNT, days: COUNT, workers: COUNT },
  flags: 'until-fails json',
} as const

async function run({
  values,
}: CommandLine<never, typeof DECLARED.flags, never, keyof typeof DECLARED.numbers>): Promise<number> {
  const { days = null, from = 1 } = values
  const perSeed = days === null ? null : Math.min(days, DAYS_OF_A_SEED)
  if (values.seed !== undefined) return replay(values.seed, perSeed)
  const seeds = days === null ? (values.seeds ?? 1_000) : Math.ceil(days / DAYS_OF_A_SEED)
  const workers = Math.max(1, values.workers ?? availableParallelism())
  const startedAt = performance.now()
  let played = 0
  const reports = await Promise.all(
    sharesOf(from, seeds, { workers, days: perSeed, untilFails: values['until-fails'] }).map((share) =>
      play(share, (more) => {
        played += more
        if (played % 1000 === 0 && !values.json) console.error(`${played} of ${seeds} seeds`)
      }),
    ),
  )
  const seconds = (performance.now() - startedAt) / 1000
  const coverage = new Map<string, number>()
  for (const report of reports)
    for (const [name, count] of report.coverage) coverage.set(name, (coverage.get(name) ?? 0) + count)
  const failing = reports.flatMap((report) => report.failing).sort((left, right) => left.seed - right.seed)
  played = reports.reduce((sum, report) => sum + report.played, 0)

  const never = days === null ? [] : uncovered(coverage)
  const code = failing.length > 0 || never.length > 0 ? 1 : 0

  if (values.json) {
    console.log(
      JSON.stringify({
        from,
        seeds: played,
        seconds: Math.round(seconds * 10) / 10,
        failing,
        ...(days === null ? {} : { days: coverage.get('day') ?? 0, never }),
        coverage: Object.fromEntries([...coverage].sort(([left], [right]) => (left < right ? -1 : 1))),
      }),
    )
    return code
  }
  if (days === null) printCoverage(coverage)
  else printDays(coverage, never)
  const first = failing[0]
  if (first) {
    const { trace, violations } = await playOne(first.seed, perSeed)
    const again = `npm run lab -- sim ${perSeed === null ? '' : `--days ${perSeed} `}--seed ${first.seed}`
    console.log(`\nThe first failing seed is ${first.seed}. Repeat: ${again}\n`)
    console.log(trace.join('\n'))
    for (const violation of violations) console.log(`  broken ${violation}`)
  }
  console.log(
    `\n${played} seeds from ${from} in ${seconds.toFixed(1)} s (${Math.round(played / seconds)} per second): ` +
      `${failing.length === 0 ? 'every invariant held' : `${failing.length} seeds broke an invariant`}`,
  )
  return code
}

async function playOne(
  seed: number,
  days: number | null,
): Promise<Pick<Outcome, 'trace' | 'violations'> & { ends: string }> {
  if (days === null) {
    const outcome = await runDifferential(seed, { recordTrace: true })
    return { ...outcome, ends: outcome.ends.join(', ') || 'no operation' }
  }
  const outcome = await playDays(seed, { days, recordTrace: true })
  return { ...outcome, ends: `${outcome.days} days` }
}

async function replay(seed: number, days: number | null): Promise<number> {
  const { trace, violations, ends } = await playOne(seed, days)
  console.log(trace.join('\n'))
  console.log(`\nseed ${seed}: ${ends}`)
  for (const violation of violations) console.log(`  broken ${violation}`)
  if (violations.length === 0) console.log('  every invariant held')
  return violations.length > 0 ? 1 : 0
}

/**
 * Each worker plays every nth seed, so that all workers end at about the same time. See
 * docs/decisions/0032-tests-simulation-judge-fixtures.md.
 */
function sharesOf(
  from: number,
  seeds: number,
  { workers, days, untilFails }: Pick<Share, 'days' | 'untilFails'> & { readonly workers: number },
): Share[] {
  return Array.from({ length: Math.min(workers, seeds) }, (_, index) => ({
    first: from + index,
    end: from + seeds,
    step: workers,
    days,
    untilFails,
  }))
}

const WORKER = workerFile(import.meta.filename, 'worker')
const play = (share: Share, onProgress: (seeds: number) => void): Promise<Report> =>
  runInWorker<Report, number>(WORKER, share, { onProgress }).result

function printCoverage(coverage: ReadonlyMap<string, number>): void {
  for (const kind of ['state', 'transition', 'code', 'fault', 'crash', 'differential']) {
    const seen = [...coverage]
      .filter(([name]) => name.startsWith(`${kind} `))
      .map(([name, count]) => [name.slice(kind.length + 1), count] as const)
      .sort(([left], [right]) => (left < right ? -1 : 1))
    console.log(`\n${kind}s met: ${seen.length}`)
    for (const [name, count] of seen) console.log(`  ${String(count).padStart(9)}  ${name}`)
    if (kind === 'transition') {
      const missed = ALL_TRANSITIONS.filter((transition) => !seen.some(([name]) => name.endsWith(transition)))
      if (missed.length > 0) console.log(`  never: ${missed.join(', ')}`)
    }
  }
}

function printDays(coverage: ReadonlyMap<string, number>, never: readonly string[]): void {
  for (const [name, count] of [...coverage].sort(([left], [right]) => (left < right ? -1 : 1)))
    console.log(`  ${String(count).padStart(9)}  ${name}`)
  if (never.length > 0) console.log(`  never: ${never.join(', ')}`)
}

await runCommand(process, `${USAGE}\n`, DECLARED, run)
