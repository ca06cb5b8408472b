import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { CONFORMANCE_MUTANTS } from './conformance-mutants.ts'
import { marksBelow, marksIn, misfits, mutated, type Mark } from './marks.ts'
import { SIMULATOR_MUTANTS } from './simulator-mutants.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const all = [...SIMULATOR_MUTANTS, ...CONFORMANCE_MUTANTS]

describe('the mutants of this tree', () => {
  const marks = marksBelow(root)
  it('have one mark each, and each mark has its mutant', () => {
    expect(misfits(marks, all)).toEqual([])
  })
  it.each(all)('"$mark" changes its source, which still parses', (mutant) => {
    const mark = marks.find((one) => one.mark === mutant.mark)
    expect(mark).toBeDefined()
    if (!mark) return
    const source = readFileSync(path.join(root, mark.file), 'utf8')
    expect(mutated(source, mark, mutant)).not.toBe(source)
  })
})

describe('a mark', () => {
  const nodeOf = (source: string): string[] =>
    marksIn('a.ts', source).map(({ mark, start, end }) => `${mark}: ${source.slice(start, end)}`)

  it.each([
    ['a statement', 'f()\n// mutant: one\nif (a) {\n  b()\n}\nc()', 'if (a) {\n  b()\n}'],
    ['a property', 'const a = {\n  b: 1,\n  // mutant: one\n  c: { d: 2 },\n}', 'c: { d: 2 }'],
    ['an expression', 'const a = b || /* mutant: one */ c > d || e', 'c > d'],
    ['a declaration below its comment', '/** Why. */\n// mutant: one\nexport const a = 3', 'export const a = 3'],
    ['a node behind letters of two units', "const a = '𝄞é→'\n// mutant: one\nf()", 'f()'],
  ])('names %s', (_what, source, node) => {
    expect(nodeOf(source)).toEqual([`one: ${node}`])
  })
  it('names its node in any layout', () => {
    expect(nodeOf('f(/* mutant: one */ a\n  + b\n)')).toEqual(['one: a\n  + b'])
    expect(nodeOf('//mutant: one\n\n\nf()')).toEqual(['one: f()'])
    expect(nodeOf('f(/*mutant: one*/\n\n(a), b)')).toEqual(['one: (a)'])
  })
  it('shares its node with another mark', () => {
    expect(nodeOf('// mutant: one\n// mutant: two\n// Why.\nf()')).toEqual(['one: f()', 'two: f()'])
  })
  it('is refused when nothing follows that could be replaced', () => {
    expect(() => nodeOf('function f() {\n  g()\n  // mutant: one\n}')).toThrow(
      'a.ts: nothing that could be replaced follows the mark one',
    )
    expect(() => nodeOf('f()\n// mutant: one\n')).toThrow('follows the mark one')
  })
})

describe('what does not fit is told', () => {
  const mark = (name: string, file = 'a.ts'): Mark => ({ mark: name, file, start: 0, end: 1 })
  const mutant = (name: string) => ({ mark: name, breaks: name, put: ';' })
  it.each([
    [
      'a mark that stands twice',
      [mark('a'), mark('a', 'b.ts')],
      [mutant('a')],
      'the mark a stands 2 times: a.ts, b.ts',
    ],
    ['a mutant that is listed twice', [mark('a')], [mutant('a'), mutant('a')], 'the mutant a is listed 2 times'],
    ['a mark without a mutant', [mark('a'), mark('b')], [mutant('a')], 'a.ts: the mark b has no mutant'],
    ['a mutant without a mark', [mark('a')], [mutant('a'), mutant('b')], 'the mutant b has no mark'],
  ])('%s', (_what, marks, mutants, said) => {
    expect(misfits(marks, mutants)).toEqual([said])
  })
  it('a mutant that leaves a source that does not parse, or the same source', () => {
    const source = '// mutant: a\nf()'
    const [place] = marksIn('a.ts', source)
    if (!place) throw new Error('no mark')
    expect(() => mutated(source, place, { ...mutant('a'), put: 'f(' })).toThrow('a.ts does not parse')
    expect(() => mutated(source, place, { ...mutant('a'), put: 'f()' })).toThrow('changes nothing')
    expect(mutated(source, place, { ...mutant('a'), put: 'g($NODE)' })).toBe('// mutant: a\ng(f())')
  })
})
