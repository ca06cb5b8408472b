import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { conformance } from './conformance.ts'
import { simulator } from './simulator.ts'
import { copyTree } from './tree-copy.ts'
import { typeErrors } from './types.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

// This test finds mutants of renamed code early: the campaign that runs the mutants takes an hour and would stop at
// them.
it.each([conformance, simulator(1)])(
  'the mutants of the suite $name compile',
  { timeout: 600_000 },
  async ({ mutants, folders }) => {
    const { tree, remove } = await copyTree(root, folders)
    try {
      expect(await typeErrors(tree, mutants)).toBe('')
    } finally {
      await remove()
    }
  },
)
