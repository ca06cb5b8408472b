import { execFile } from 'node:child_process'
import { type Mutant, type Place, placeOf, sourceOf } from './mutant.ts'
import { plant } from './tree-copy.ts'

interface PlacedMutant extends Place {
  readonly mutant: Mutant
}

const overlap = (one: PlacedMutant, other: PlacedMutant): boolean =>
  one.mutant.file === other.mutant.file && one.start < other.end && other.start < one.end

/** Groups the mutants into as few rounds as possible, so that no mutants of a round overlap. */
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
 * Returns the compiler errors of the copied tree with its mutants, many at once; empty without errors. A mutant that
 * does not compile would be detected for the wrong reason.
 */
export async function typeErrors(tree: string, mutants: readonly Mutant[]): Promise<string> {
  let errors = ''
  for (const round of roundsOf(mutants.map((mutant) => ({ mutant, ...placeOf(sourceOf(tree, mutant), mutant) })))) {
    const takeOut: (() => Promise<void>)[] = []
    // Mutants are applied from the end of each file, so that the places of earlier ones do not move.
    for (const { mutant } of round.toSorted((one, other) => other.start - one.start))
      takeOut.unshift(await plant(tree, mutant))
    errors += await compile(tree)
    for (const undo of takeOut) await undo()
  }
  return errors
}

const compile = (tree: string): Promise<string> =>
  new Promise((resolve) => {
    // The compiler uses one thread: other tests run at the same time, and each thread would infer many types again.
    const line = ['node_modules/typescript/bin/tsc', '--singleThreaded', '-p', '.']
    execFile(process.execPath, line, { cwd: tree }, (error, stdout) => {
      resolve(error ? stdout || error.message : '')
    })
  })
