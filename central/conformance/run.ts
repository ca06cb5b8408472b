import { Skip, type Check } from './check.ts'
import type { Lane } from './lane.ts'

export interface Result {
  readonly id: string
  readonly section: string
  readonly title: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped; empty when it passed. */
  readonly reason: string
  readonly ms: number
}

/** Runs the checks one after the other: they share accounts. Never throws. */
export async function runChecks(checks: readonly Check[], lane: Lane, heard: (result: Result) => void): Promise<Result[]> {
  const results: Result[] = []
  for (const { id, section, title, run } of checks) {
    const began = performance.now()
    let outcome: Result['outcome'] = 'passed'
    let reason = ''
    try {
      await run(lane)
    } catch (error) {
      outcome = error instanceof Skip ? 'skipped' : 'failed'
      reason = error instanceof Error ? error.message : String(error)
    }
    const result = { id, section, title, outcome, reason, ms: Math.round(performance.now() - began) }
    results.push(result)
    heard(result)
  }
  return results
}
