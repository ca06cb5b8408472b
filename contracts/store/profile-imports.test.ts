import { expect, test } from 'vitest'
import { groupProfileImports, type OfProfile } from './profile-imports.ts'

const importOf = (name: string): { readonly name: string; readonly profile: OfProfile } => {
  const [hash = '', generation] = name.split(' ')
  return { name, profile: generation === undefined ? null : { hash, generation: Number(generation) } }
}

/**
 * Groups imports. A name is `HASH GENERATION`, or any text for an import that is not of a profile; `@` and a letter
 * distinguish equal names.
 */
function read(...names: readonly string[]) {
  const imports = names.map((name) => ({ ...importOf(name.split('@')[0] ?? ''), name }))
  const { firstOf, newest } = groupProfileImports(imports, ({ profile }) => profile)
  const again = imports.flatMap((one) => {
    const first = firstOf.get(one)
    return first === one ? [] : [[one.name, first?.name]]
  })
  return { again: Object.fromEntries(again) as Record<string, string>, newest: newest?.name }
}

test.each([
  ['imports of different files are separate', ['csv', 'csv@b'], {}, undefined],
  [
    'lanes that apply a profile one after the other',
    ['P 1', 'csv', 'P 1@b', 'P 1@c'],
    { 'P 1@b': 'P 1', 'P 1@c': 'P 1' },
    'P 1',
  ],
  ['a lane that missed an earlier profile', ['P 1', 'Q 2', 'Q 1'], { 'Q 1': 'Q 2' }, 'Q 2'],
  [
    'a profile that reaches each lane late',
    ['P 1', 'Q 2', 'P 1@b', 'Q 2@b'],
    { 'P 1@b': 'P 1', 'Q 2@b': 'Q 2' },
    'Q 2',
  ],
  ['a restored catalog, and the profile again', ['P 1', 'Q 2', 'P 3', 'Q 4'], {}, 'Q 4'],
  ['two lanes that restore an earlier profile', ['P 1', 'Q 2', 'P 3', 'P 3@b'], { 'P 3@b': 'P 3' }, 'P 3'],
  [
    'a lane that applies the newest profile with a higher generation',
    ['P 1', 'R 2', 'Q 2', 'Q 3'],
    { 'Q 3': 'Q 2' },
    'Q 2',
  ],
  ['the later of two profiles of one generation is the newest', ['Q 1', 'P 1', 'Q 2'], {}, 'Q 2'],
  ['a profile of a lower generation is not the newest', ['P 1', 'Q 2', 'R 1'], {}, 'Q 2'],
])('the imports of profile catalogs are grouped: %s', (_, imports, again, newest) => {
  expect(read(...imports)).toEqual({ again, newest })
})
