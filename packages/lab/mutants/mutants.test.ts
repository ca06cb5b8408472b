import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { CONFORMANCE_MUTANTS } from './conformance-mutants.ts'
import { type Mutant, mutated, sourceOf } from './mutant.ts'
import { SIMULATOR_MUTANTS } from './simulator-mutants.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const all = [...SIMULATOR_MUTANTS, ...CONFORMANCE_MUTANTS]

describe('the mutants of the repository', () => {
  it('have unique names', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  })
  it.each(all)('"$name" changes its source file, which still parses', (mutant) => {
    const source = sourceOf(root, mutant)
    expect(mutated(source, mutant)).not.toBe(source)
  })
})

describe('a mutant', () => {
  const mutant = (find: string, put: string): Mutant => ({ name: 'one', file: 'a.ts', breaks: 'a rule', find, put })

  it('replaces its text in a source, and the replacement may repeat that text', () => {
    expect(mutated('f()\ng()', mutant('f()', 'if (a) $NODE'))).toBe('if (a) f()\ng()')
  })
  it('finds its text in a source with other line breaks and indentation', () => {
    expect(mutated('f(\n  a +\n    b,\n)', mutant('a + b', 'c'))).toBe('f(\n  c,\n)')
  })
  it.each([
    ['is gone', 'g()', mutant('f()', 'h()'), 'a.ts no longer has the text of the mutant one'],
    ['occurs twice', 'f()\nf()', mutant('f()', 'h()'), 'a.ts has the text of the mutant one 2 times'],
    ['does not change', 'f()', mutant('f()', '$NODE'), 'the mutant one changes nothing'],
    ['does not parse', 'f()', mutant('f()', 'f('), 'a.ts does not parse with the mutant one'],
  ])('is rejected if its text or replacement %s', (_why, source, one, message) => {
    expect(() => mutated(source, one)).toThrow(message)
  })
})
