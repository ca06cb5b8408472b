import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { conformance } from './conformance.ts'
import { marksBelow } from './marks.ts'
import { simulator } from './simulator.ts'
import { copyTree } from './tree-copy.ts'
import { typeErrors } from './types.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const marks = marksBelow(root)

// The run that judges them takes an hour: what was renamed since would stop it there.
it.each([conformance, simulator(1)])('the mutants of the $name name what there is', async ({ mutants, parts }) => {
  const { tree, remove } = await copyTree(root, parts)
  try {
    const placed = mutants.flatMap((mutant) => {
      const mark = marks.find((one) => one.mark === mutant.mark)
      return mark ? [{ mutant, mark }] : []
    })
    expect(placed).toHaveLength(mutants.length)
    expect(await typeErrors(tree, placed)).toBe('')
  } finally {
    await remove()
  }
})
