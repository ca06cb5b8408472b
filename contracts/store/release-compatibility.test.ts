import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('no schema between a lane and its store server is strict, because a later release may add fields', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => !name.endsWith('.test.ts'))
  expect(files).toContain('protocol.ts')
  const strict = files.filter((name) => /strict(Object)?\b/.test(codeOf(join(import.meta.dirname, name))))
  expect(strict).toEqual([])
})

const codeOf = (file: string): string => readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
