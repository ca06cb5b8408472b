import { expect, test } from 'vitest'
import { profileWords, type OfProfile } from './profile-words.ts'

const importOf = (name: string): { readonly name: string; readonly profile: OfProfile } => {
  const [hash = '', generation] = name.split(' ')
  return { name, profile: generation === undefined ? null : { hash, generation: Number(generation) } }
}

/** Imports as `HASH GENERATION`, or a name for one that is no profile's; where two are alike, `@` and a letter. */
function read(...names: readonly string[]) {
  const imports = names.map((name) => ({ ...importOf(name.split('@')[0] ?? ''), name }))
  const { firstOf, newest } = profileWords(imports, ({ profile }) => profile)
  const again = imports.flatMap((one) => {
    const first = firstOf.get(one)
    return first === one ? [] : [[one.name, first?.name]]
  })
  return { again: Object.fromEntries(again) as Record<string, string>, newest: newest?.name }
}

test.each([
  ['each import of another file is its own', ['csv', 'csv@b'], {}, undefined],
  ['lanes that take one over in turn', ['P 1', 'csv', 'P 1@b', 'P 1@c'], { 'P 1@b': 'P 1', 'P 1@c': 'P 1' }, 'P 1'],
  ['one that missed a profile before', ['P 1', 'Q 2', 'Q 1'], { 'Q 1': 'Q 2' }, 'Q 2'],
  ['one that comes to each late', ['P 1', 'Q 2', 'P 1@b', 'Q 2@b'], { 'P 1@b': 'P 1', 'Q 2@b': 'Q 2' }, 'Q 2'],
  ['what is brought back, and then again', ['P 1', 'Q 2', 'P 3', 'Q 4'], {}, 'Q 4'],
  ['both lanes bring it back', ['P 1', 'Q 2', 'P 3', 'P 3@b'], { 'P 3@b': 'P 3' }, 'P 3'],
  ['the newest, by one that had heard of more', ['P 1', 'R 2', 'Q 2', 'Q 3'], { 'Q 3': 'Q 2' }, 'Q 2'],
  ['of one generation the later is the newest', ['Q 1', 'P 1', 'Q 2'], {}, 'Q 2'],
  ['lower than another’s is not the newest', ['P 1', 'Q 2', 'R 1'], {}, 'Q 2'],
])('%s', (_, imports, again, newest) => {
  expect(read(...imports)).toEqual({ again, newest })
})
