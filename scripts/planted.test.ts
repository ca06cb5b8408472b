import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { MUTATIONS } from './mutations-chosen.ts'
import { PLANTED_BUGS } from './planted-bugs-chosen.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test.each([...PLANTED_BUGS, ...MUTATIONS])('the place where "$name" is planted stands there once', ({ file, find, put }) => {
  const source = readFileSync(path.join(root, file), 'utf8')
  expect(source.split(find)).toHaveLength(2)
  expect(source.replace(find, () => put)).not.toBe(source)
})
