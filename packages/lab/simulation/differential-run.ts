import { simulate, type Outcome } from './seed.ts'

/** Every fourth seed is played a second time with a wall clock that is never changed. */
const DIFFERENTIAL_EVERY = 4

/**
 * Plays a seed, and some seeds again with a steady wall clock: a changed clock may affect only decisions about
 * deadlines (invariant 11). Runs with such a decision may differ and are not compared.
 */
export async function runDifferential(seed: number, options: { recordTrace?: boolean } = {}): Promise<Outcome> {
  const outcome = await simulate(seed, options)
  const clockWasSet = outcome.coverage.has('fault clock set back') || outcome.coverage.has('fault clock set ahead')
  if (seed % DIFFERENTIAL_EVERY !== 0 || !clockWasSet || outcome.deadlineDecided) return outcome
  const steady = await simulate(seed, { steadyClock: true })
  const coverage = new Map(outcome.coverage).set('differential compared', 1)
  if (steady.deadlineDecided || steady.ends.join() === outcome.ends.join()) return { ...outcome, coverage }
  return {
    ...outcome,
    coverage,
    violations: [
      ...outcome.violations,
      `(11) with clock changes it ended ${outcome.ends.join(', ')}; with a steady clock ${steady.ends.join(', ')}`,
    ],
  }
}

/** Plays `seeds` seeds from `from` on; returns the broken invariants, each with its seed. */
export async function brokenBy(from: number, seeds: number): Promise<string[]> {
  const broken: string[] = []
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { violations } = await runDifferential(seed)
    broken.push(...violations.map((violation) => `seed ${seed}: ${violation}`))
  }
  return broken
}
