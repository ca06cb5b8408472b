import { answerInWorker } from '../../../backend/core/worker.ts'
import { playDays } from './days.ts'
import { runDifferential } from './differential-run.ts'

/** The seeds that one worker plays: from `first` to before `end`, by `step`. */
export interface Share {
  readonly first: number
  readonly end: number
  readonly step: number
  /** Number of whole days of a lane per seed (days.ts); null: the sales of a few customers. */
  readonly days: number | null
  readonly untilFails: boolean
}

export interface Report {
  readonly played: number
  readonly coverage: ReadonlyMap<string, number>
  readonly failing: readonly { readonly seed: number; readonly violations: readonly string[] }[]
}

const REPORT_EVERY = 50

const playing = { seed: 0 }
// The worker ends when a promise rejects that nothing awaits, such as the second of two requests. Playing the seed
// again repeats the error.
process.on('unhandledRejection', (error) => {
  throw new Error(`seed ${playing.seed}: ${String(error)}`)
})

async function play(
  { first, end, step, days, untilFails }: Share,
  onProgress: (seeds: number) => void,
): Promise<Report> {
  const coverage = new Map<string, number>()
  const failing: { seed: number; violations: readonly string[] }[] = []
  let played = 0
  for (let seed = first; seed < end; seed += step) {
    playing.seed = seed
    const outcome = await (days === null ? runDifferential(seed) : playDays(seed, { days }))
    played += 1
    for (const [name, count] of outcome.coverage) coverage.set(name, (coverage.get(name) ?? 0) + count)
    if (outcome.violations.length > 0) failing.push({ seed, violations: outcome.violations })
    if (untilFails && failing.length > 0) break
    if (played % REPORT_EVERY === 0) onProgress(REPORT_EVERY)
  }
  return { played, coverage, failing }
}

await answerInWorker(play)
