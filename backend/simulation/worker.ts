import { parentPort, workerData } from 'node:worker_threads'
import { runDifferential } from './differential-run.ts'

/** Seeds from `first` to before `end`, in steps. */
export interface Share {
  readonly first: number
  readonly end: number
  readonly step: number
  /** Ends at the first seed that fails. */
  readonly untilFails: boolean
}

export interface Report {
  readonly played: number
  readonly coverage: ReadonlyMap<string, number>
  readonly failing: readonly { readonly seed: number; readonly violations: readonly string[] }[]
}

async function play({ first, end, step, untilFails }: Share): Promise<Report> {
  const coverage = new Map<string, number>()
  const failing: { seed: number; violations: readonly string[] }[] = []
  let played = 0
  for (let seed = first; seed < end; seed += step) {
    const outcome = await runDifferential(seed)
    played += 1
    for (const [name, count] of outcome.coverage) coverage.set(name, (coverage.get(name) ?? 0) + count)
    if (outcome.violations.length > 0) failing.push({ seed, violations: outcome.violations })
    if (untilFails && failing.length > 0) break
  }
  return { played, coverage, failing }
}

parentPort?.postMessage(await play(workerData as Share))
