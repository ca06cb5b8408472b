import { execFile } from 'node:child_process'
import { type Mutant, type Place, placeOf, sourceOf } from './mutant.ts'
import { plant } from './tree-copy.ts'

interface PlacedMutant extends Place {
  readonly mutant: Mutant
}

const overlap = (one: PlacedMutant, other: PlacedMutant): boolean =>
  one.mutant.file === other.mutant.file && one.start < other.end && other.start < one.end

/** As few rounds as it takes for no two mutants of a round to replace the same text. */
function roundsOf(placed: readonly PlacedMutant[]): PlacedMutant[][] {
  const rounds: PlacedMutant[][] = []
  for (const one of placed) {
    const round = rounds.find((others) => others.every((other) => !overlap(other, one)))
    if (round) round.push(one)
    else rounds.push([one])
  }
  return rounds
}

/**
 * The errors of the compiler on the copy with its mutants in it, all at once; empty where there are none. A mutant that
 * does not compile would be noticed for its misspelling, and not for the rule that it breaks.
 */
export async function typeErrors(tree: string, mutants: readonly Mutant[]): Promise<string> {
  let errors = ''
  for (const round of roundsOf(mutants.map((mutant) => ({ mutant, ...placeOf(sourceOf(tree, mutant), mutant) })))) {
    const takeOut: (() => Promise<void>)[] = []
    // From the end of each file: a change does not move the places before it.
    for (const { mutant } of round.toSorted((one, other) => other.start - one.start))
      takeOut.unshift(await plant(tree, mutant))
    errors += await compile(tree)
    for (const undo of takeOut) await undo()
  }
  return errors
}

const compile = (tree: string): Promise<string> =>
  new Promise((resolve) => {
    // Other tests run beside it: on several threads it works out many types on each.
    const line = ['node_modules/typescript/bin/tsc', '--singleThreaded', '-p', '.']
    execFile(process.execPath, line, { cwd: tree }, (error, stdout) => {
      resolve(error ? stdout || error.message : '')
    })
  })
