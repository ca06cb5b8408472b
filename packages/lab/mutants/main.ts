import { fileURLToPath } from 'node:url'
import { runCommand } from '../../../contracts/core/command-line.ts'
import { conformance } from './conformance.ts'
import type { Mutant } from './mutant.ts'
import { simulator } from './simulator.ts'
import type { Suite } from './suite.ts'
import { copyTree, plant } from './tree-copy.ts'
import { typeErrors } from './types.ts'

/**
 * `npm run lab -- mutants`: breaks one rule at a time in a copy of the tree and runs the suite that must detect it. An
 * undetected mutant is a gap in its suite. Exits with 1 if a mutant is undetected, with 2 if the run failed.
 */
const USAGE = `npm run lab -- mutants [--suite simulator|conformance] [--only TEXT] [--seeds N]

  --suite NAME  only the mutants of this suite
  --only TEXT   only mutants with this text in their name or description
  --seeds N     maximum number of simulator seeds per mutant (default 10000)`
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

async function run(suite: Suite, mutants: readonly Mutant[]): Promise<number> {
  const { tree, remove } = await copyTree(ROOT, suite.folders)
  let missed = 0
  try {
    await suite.checkUnchanged(tree)
    const wrong = await typeErrors(tree, mutants)
    if (wrong !== '') throw new Error(`a mutant uses a name that no longer exists:\n${wrong}`)
    console.log(`\n## ${suite.name}\n\n| # | mutant | breaks | detected by |\n|---|---|---|---|`)
    for (const [index, mutant] of mutants.entries()) {
      const takeOut = await plant(tree, mutant)
      const noticed = await suite
        .checkMutant(tree)
        .catch((error: unknown) => `**not judged**: ${error instanceof Error ? error.message : String(error)}`)
      await takeOut()
      if (noticed === null || noticed.startsWith('**')) missed += 1
      console.log(`| ${index + 1} | ${mutant.name} | ${mutant.breaks} | ${noticed ?? '**not detected**'} |`)
    }
  } finally {
    await remove()
  }
  console.log(`\n${mutants.length - missed} of ${mutants.length} mutants of the ${suite.name} detected`)
  return missed
}

async function main(wanted: string | undefined, only: string, seeds: number): Promise<number> {
  const suites = [conformance, simulator(seeds)]
  const chosen = suites
    .filter(({ name }) => wanted === undefined || name === wanted)
    .map((suite) => ({
      suite,
      mutants: suite.mutants.filter(({ name, breaks }) => `${name} ${breaks}`.includes(only)),
    }))
    .filter(({ mutants }) => mutants.length > 0)
  if (chosen.length === 0) throw new Error(`no mutant matches.\n\n${USAGE}`)
  let missed = 0
  for (const { suite, mutants } of chosen) missed += await run(suite, mutants)
  return missed === 0 ? 0 : 1
}

await runCommand(
  process,
  `${USAGE}\n`,
  { texts: 'suite only', numbers: { seeds: [0, 999_999_999] } },
  ({ values: { suite, only = '', seeds = 10_000 } }) => main(suite, only, seeds),
)
