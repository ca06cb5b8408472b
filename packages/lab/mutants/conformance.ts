import { CONFORMANCE_MUTANTS } from './conformance-mutants.ts'
import { jsonFrom, type Suite } from './suite.ts'

interface Report {
  readonly checks: readonly { readonly id: string; readonly outcome: string }[]
}
const DEADLINE_MS = 5 * 60_000

async function failing(tree: string): Promise<string[]> {
  const { checks } = await jsonFrom<Report>(tree, ['packages/conformance/main.ts', '--json'], DEADLINE_MS)
  return checks.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
}

/** Breaks the rules of the reference services one at a time: a check of the conformance suite must fail for each. */
export const conformance: Suite = {
  name: 'conformance',
  mutants: CONFORMANCE_MUTANTS,
  folders: ['backend', 'contracts', 'electron', 'hardware', 'packages', 'scripts', 'stores'],
  async checkUnchanged(tree) {
    const failed = await failing(tree)
    if (failed.length > 0) throw new Error(`the unchanged services fail ${failed.join(', ')}`)
  },
  async checkMutant(tree) {
    const failed = await failing(tree)
    const named = failed.slice(0, 3).map((id) => `\`${id}\``)
    if (failed.length === 0) return null
    return `${named.join(', ')}${failed.length > named.length ? ` and ${failed.length - named.length} more` : ''}`
  },
}
