import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const BUNDLE = fileURLToPath(new URL('./bundle.ts', import.meta.url))
const STORE = fileURLToPath(new URL('../../../stores/training.yaml', import.meta.url))

test.each<[string, string[], string]>([
  ['a day that its month does not have', ['--active-from', '2026-02-30T05:00:00Z'], '--active-from needs a time'],
  ['a year without a 29 February', ['--expires', '2027-02-29T05:00:00-05:00'], '--expires needs a time'],
  [
    'an expiry before the start time',
    ['--active-from', '2099-02-01T05:00:00Z', '--expires', '2099-01-01T05:00:00Z'],
    '--expires',
  ],
  ['an expiry in the past', ['--expires', '2020-01-01T05:00:00Z'], '--expires'],
  ['a sequence that is not in digits', ['--sequence', '1e9'], '--sequence needs a whole number'],
  ['an empty sequence', ['--sequence', ''], '--sequence needs a value'],
  ['a sequence in milliseconds', ['--sequence', '1795645852000'], 'far above the current time'],
  ['a creation time in a future year', ['--made-at', '2062-01-01T05:00:00Z'], 'far above the current time'],
  ['an unknown option', ['--frob'], 'The option --frob does not exist.'],
  ['an unexpected argument', ['store.yaml'], '“store.yaml” is not expected here.'],
  ['an option without its value', ['--expires'], '--expires needs a value.'],
  ['an empty store', ['--stores', STORE, '--store='], '--store needs a value'],
])('the bundle CLI command reports %s before it asks for a signing key', (_, args, message) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const out = path.join(folder, 'x.bundle')
  const { status, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, BUNDLE, '--store', STORE, '--keys', path.join(folder, 'keys'), '--out', out, ...args],
    { encoding: 'utf8' },
  )
  expect(stderr).toContain(message)
  expect(status).toBe(2)
  expect(existsSync(out)).toBe(false)
})
