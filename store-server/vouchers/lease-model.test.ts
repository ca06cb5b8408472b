import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const MODEL = path.join(import.meta.dirname, '../../docs/models/voucher-lease.pml')
const hasSpin = ['spin', 'gcc'].every((program) => spawnSync(program, ['--version']).error === undefined)
/** A variant takes seconds on a machine that has nothing else to do. */
const TIMEOUT_MS = 240_000

/** Searches all states of a variant. Answers how many errors the search found, and its whole report. */
function search(...defines: readonly string[]): { errors: number; report: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-model-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  copyFileSync(MODEL, path.join(folder, 'model.pml'))
  const run = (program: string, ...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${program}: ${stdout}${stderr}`)
    return stdout
  }
  run('spin', '-DTICKS=2', ...defines.map((define) => `-D${define}`), '-a', 'model.pml')
  run('gcc', '-O2', '-DSAFETY', '-DNOREDUCE', '-DCOLLAPSE', '-o', 'pan', 'pan.c')
  const report = run(path.join(folder, 'pan'), '-m1000000')
  return { errors: Number(/errors: (\d+)/.exec(report)?.[1]), report }
}

test('with leases no lane pays more from a card than was issued', { timeout: TIMEOUT_MS }, ({ skip }) => {
  skip(!hasSpin, 'spin or gcc is missing: npm run setup')
  const { errors, report } = search()
  expect(errors, report).toBe(0)
  expect(report, 'the search was complete').not.toContain('max search depth too small')
})

test.for(['NO_LEASE', 'FREE_AT_EXPIRY', 'NO_RUN', 'NO_JUMP', 'NO_RECHECK'])(
  'the search finds what goes wrong in the variant %s',
  { timeout: TIMEOUT_MS },
  (variant, { skip }) => {
    skip(!hasSpin, 'spin or gcc is missing: npm run setup')
    expect(search(variant).errors).toBe(1)
  },
)
