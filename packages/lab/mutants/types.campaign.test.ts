import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { conformance } from './conformance.ts'
import { simulator } from './simulator.ts'
import { copyTree } from './tree-copy.ts'
import { typeErrors } from './types.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

// The run that judges them takes an hour: what was renamed since would stop it there.
it.each([conformance, simulator(1)])('the mutants of the $name name what there is', async ({ mutants, parts }) => {
  const { tree, remove } = await copyTree(root, parts)
  try {
    expect(await typeErrors(tree, mutants)).toBe('')
  } finally {
    await remove()
  }
})
