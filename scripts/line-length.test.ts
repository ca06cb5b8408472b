import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MADE = new Set(['node_modules', 'build', 'release', 'test-results'])
/** The maximum line length of `.oxfmtrc.json`. The formatter breaks code, but no strings and comments. */
const COLUMNS = 120

test(`no line of a source has more than ${COLUMNS} columns`, () => {
  const files = globSync('**/*.{ts,tsx,mts,mjs,css,html,sql}', { cwd: ROOT, exclude: (name) => MADE.has(name) })
  expect(files.length).toBeGreaterThan(500)
  const long = files.flatMap((file) =>
    readFileSync(path.join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.length > COLUMNS ? [`${file}:${index + 1}`] : [])),
  )
  expect(long).toEqual([])
})
