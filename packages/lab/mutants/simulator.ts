import { SIMULATOR_MUTANTS } from './simulator-mutants.ts'
import { jsonFrom, type Suite } from './suite.ts'

interface Played {
  readonly seeds: number
  readonly failing: readonly { readonly seed: number; readonly violations: readonly string[] }[]
}
/** Time limit of one simulation; ten thousand seeds take about ten minutes. */
const DEADLINE_MS = 60 * 60_000

const play = (tree: string, seeds: number): Promise<Played> =>
  jsonFrom(tree, ['packages/lab/simulation/main.ts', '--seeds', String(seeds), '--until-fails', '--json'], DEADLINE_MS)

/**
 * Breaks the rules of the sale and loyalty engine one at a time. To find each mutant, the simulation plays up to
 * `seeds` seeds.
 */
export const simulator = (seeds: number): Suite => ({
  name: 'simulator',
  mutants: SIMULATOR_MUTANTS,
  folders: ['backend', 'contracts', 'electron', 'hardware', 'packages', 'scripts', 'stores'],
  async checkUnchanged(tree) {
    const [first] = (await play(tree, 20)).failing
    if (first) throw new Error(`the unchanged engine fails seed ${first.seed}: ${first.violations[0] ?? ''}`)
  },
  async checkMutant(tree) {
    const [first] = (await play(tree, seeds)).failing.toSorted((left, right) => left.seed - right.seed)
    return first ? `seed ${first.seed}: ${(first.violations[0] ?? '').replaceAll(/\s+/g, ' ').slice(0, 140)}` : null
  },
})
