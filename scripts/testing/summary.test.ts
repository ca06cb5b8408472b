import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Tally } from './reports.ts'
import { createSummary } from './summary.ts'

let lines: string[]
let exitCode: typeof process.exitCode
beforeEach(() => {
  lines = []
  exitCode = process.exitCode
  vi.spyOn(console, 'log').mockImplementation((line: string) => lines.push(line))
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = exitCode
})

const tally = (change: Partial<Tally>): Tally => ({
  passed: 0,
  failed: 0,
  skipped: [],
  problems: [],
  failures: [],
  took: [],
  ...change,
})

it('the summary adds the counts of both test runners and prints the total last', () => {
  const summary = createSummary()
  summary.add('Vitest', true, () => tally({ passed: 3, skipped: [{ name: 'a', reason: 'no strace' }] }))
  summary.add('Playwright', true, () => tally({ passed: 4 }))
  summary.print()
  expect(lines).toContain('skipped: a: no strace')
  expect(lines.at(-1)).toBe('tests: 7 passed, 0 failed, 1 skipped')
  expect(process.exitCode).toBe(0)
})

it.each([
  ['has no report', false, (): Tally => JSON.parse('') as Tally, 'Vitest left no readable report'],
  ['ran nothing', true, () => tally({}), 'Vitest ran no test'],
  ['ended with an error outside of all tests', false, () => tally({ passed: 1 }), 'Vitest ended with an error'],
] as const)('the summary counts a failure for a test runner that %s', (_what, ok, read, why) => {
  const summary = createSummary()
  summary.add('Vitest', ok, read)
  summary.print()
  expect(lines).toContainEqual(expect.stringContaining(`failed: ${why}`))
  expect(lines.at(-1)).toContain('1 failed')
  expect(process.exitCode).toBe(1)
})

it('the summary adds the saved counts of an earlier run; an earlier run that saved none is reported as failed', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-summary-'))
  const file = path.join(folder, 'counts.json')
  const earlier = createSummary()
  earlier.add('Vitest', false, () =>
    tally({ passed: 2, failed: 1, failures: ['a red test'], took: [{ file: 'long.test.ts', seconds: 61.4 }] }),
  )
  earlier.save(file)
  const summary = createSummary()
  summary.addSaved('npm test', file)
  summary.add('Vitest', true, () => tally({ passed: 3, took: [{ file: 'longer.spec.ts', seconds: 90 }] }))
  summary.print()
  expect(lines.slice(0, 2), 'the longest first').toEqual(['took 90 s: longer.spec.ts', 'took 61 s: long.test.ts'])
  expect(lines).toContain('failed: a red test')
  expect(lines.at(-1)).toBe('tests: 5 passed, 1 failed, 0 skipped')

  const again = createSummary()
  again.addSaved('npm test', file)
  again.print()
  expect(lines).toContain('failed: npm test did not end: it left no counts')
  rmSync(folder, { recursive: true })
})
