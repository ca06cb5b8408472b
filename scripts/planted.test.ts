import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { MUTATIONS } from './mutations-chosen.ts'
import { PLANTED_BUGS } from './planted-bugs-chosen.ts'
import { broken } from './tree-copy.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test.each([...PLANTED_BUGS, ...MUTATIONS])('the place where "$name" is planted stands there once', (mutation) => {
  const source = readFileSync(path.join(root, mutation.file), 'utf8')
  expect(broken(source, mutation)).not.toBe(source)
})
