import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..')
const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n')

/** A source file in backticks, by its path or the end of it. */
const SOURCE = /`((?:[\w.-]+\/)*[\w.-]+\.(?:tsx?|cts|mjs|sql|css))`/g
/** Placeholders for the reader's own files. */
const EXAMPLES = new Set(['X.test.ts', 'X.campaign.test.ts', 'X.campaign.spec.ts'])

test('each source file named in a document exists', () => {
  const documents = tracked.filter((file) => file.endsWith('.md'))
  const missing = documents.flatMap((document) =>
    [...readFileSync(path.join(ROOT, document), 'utf8').matchAll(SOURCE)]
      .map(([, name = '']) => name)
      .filter((name) => !EXAMPLES.has(name) && !name.includes('NNNN'))
      .filter((name) => !tracked.some((file) => file === name || file.endsWith(`/${name}`)))
      .map((name) => `${document}: ${name}`),
  )
  expect(missing).toEqual([])
})
