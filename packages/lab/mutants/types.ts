import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { mutated, type Mark, type Mutant } from './marks.ts'

interface PlacedMutant {
  readonly mark: Mark
  readonly mutant: Mutant
}

const overlap = (one: Mark, other: Mark): boolean =>
  one.file === other.file && one.start < other.end && other.start < one.end

/** As few rounds as it takes for no two mutants of a round to replace the same text. */
function roundsOf(placed: readonly PlacedMutant[]): PlacedMutant[][] {
  const rounds: PlacedMutant[][] = []
  for (const one of placed) {
    const round = rounds.find((others) => others.every(({ mark }) => !overlap(mark, one.mark)))
    if (round) round.push(one)
    else rounds.push([one])
  }
  return rounds
}

/**
 * What the compiler says of the copy with its mutants in it, all at once; nothing when all is well. A mutant that does
 * not check would be noticed for its misspelling, and not for the rule that it breaks.
 */
export async function typeErrors(tree: string, placed: readonly PlacedMutant[]): Promise<string> {
  let said = ''
  for (const round of roundsOf(placed)) {
    const sources = new Map<string, string>()
    // From the end of each file: what was replaced does not move what is to be.
    for (const { mark, mutant } of round.toSorted((one, other) => other.mark.start - one.mark.start)) {
      const file = path.join(tree, mark.file)
      const source = await readFile(file, 'utf8')
      if (!sources.has(file)) sources.set(file, source)
      await writeFile(file, mutated(source, mark, mutant))
    }
    said += await compile(tree)
    for (const [file, source] of sources) await writeFile(file, source)
  }
  return said
}

const compile = (tree: string): Promise<string> =>
  new Promise((resolve) => {
    // Other tests run beside it: on several threads it works out many types on each.
    const line = ['node_modules/typescript/bin/tsc', '--singleThreaded', '-p', '.']
    execFile(process.execPath, line, { cwd: tree }, (error, stdout) => {
      resolve(error ? stdout || error.message : '')
    })
  })
