import type { Check } from './check.ts'
import { Skip } from './expect.ts'
import { decisionOf } from './decisions.ts'
import type { Client } from './client.ts'
import { prove } from './proof.ts'

/**
 * The outcome of a check. `passed`, `failed`: it tests a rule of a specification. `decided`: it tests an open point
 * that this project decided or assumed; a service may differ and still conform. `not-shown`: the target or its bench
 * file lacks what the check needs.
 */
export type Outcome = 'passed' | 'failed' | 'decided' | 'not-shown'

export interface Result {
  readonly id: string
  readonly section: string
  readonly title: string
  readonly outcome: Outcome
  readonly agrees?: boolean
  readonly reason: string
  readonly ms: number
}

export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly decided: { readonly alike: number; readonly otherwise: number }
  readonly notShown: number
}

export interface RunOptions {
  /**
   * `reported` reports decisions separately and never as a failure. `enforced` checks them as rules, for the reference
   * services.
   */
  readonly decisions: 'reported' | 'enforced'
}

/** Runs the checks one after another, because they use the same accounts. Never throws. */
export async function runChecks(
  checks: readonly Check[],
  client: Client,
  received: (result: Result) => void,
  { decisions }: RunOptions = { decisions: 'reported' },
): Promise<Result[]> {
  const results: Result[] = []
  for (const { id, section, title, run } of checks) {
    const began = performance.now()
    const { problem, lacking } = await verdictOf(run, client)
    const ms = Math.round(performance.now() - began)
    const isDecision = { id, section, title, reason: problem ?? lacking ?? '', ms }
    const decided = decisions === 'reported' && decisionOf(id) !== undefined
    const result: Result =
      lacking !== undefined
        ? { ...isDecision, outcome: 'not-shown' }
        : decided
          ? { ...isDecision, outcome: 'decided', agrees: problem === undefined }
          : { ...isDecision, outcome: problem === undefined ? 'passed' : 'failed' }
    results.push(result)
    received(result)
  }
  return results
}

async function verdictOf(run: Check['run'], client: Client): Promise<{ problem?: string; lacking?: string }> {
  client.takeRefusals()
  try {
    await run(client)
    await prove(client, client.takeRefusals())
    return {}
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return error instanceof Skip ? { lacking: reason } : { problem: reason }
  }
}

export function tallyOf(results: readonly Result[]): Tally {
  const count = (outcome: Outcome, fits: (result: Result) => boolean = () => true): number =>
    results.filter((result) => result.outcome === outcome && fits(result)).length
  return {
    passed: count('passed'),
    failed: count('failed'),
    notShown: count('not-shown'),
    decided: {
      alike: count('decided', ({ agrees }) => agrees === true),
      otherwise: count('decided', ({ agrees }) => agrees === false),
    },
  }
}
