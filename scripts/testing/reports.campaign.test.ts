import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPlaywright, readVitest } from './reports.ts'
import { RUN_NOTES_FILE } from './run-notes.ts'
import { PLAYWRIGHT, runStep, VITEST } from './steps.ts'

/** Both test runners run for real, on small tests, because the totals of `npm test` depend on this counting. */
const root = fileURLToPath(new URL('../..', import.meta.url))
let work: string
const at = (file: string): string => path.join(work, file)
beforeAll(() => {
  mkdirSync(path.join(root, 'build'), { recursive: true })
  work = mkdtempSync(path.join(root, 'build', 'reports-test-'))
})
afterAll(() => {
  rmSync(work, { recursive: true, force: true })
})

async function runVitest(tests: string): Promise<ReturnType<typeof readVitest>> {
  writeFileSync(at('made.check.ts'), `import { expect, it } from 'vitest'\n${tests}\n`)
  writeFileSync(at('vitest.config.ts'), "export default { test: { include: ['*.check.ts'] } }\n")
  rmSync(at('vitest.json'), { force: true })
  await runStep(
    VITEST,
    [
      'run',
      '--root',
      work,
      '--reporter=json',
      `--reporter=${path.join(root, 'scripts/testing/run-notes.ts')}`,
      `--outputFile.json=${at('vitest.json')}`,
    ],
    { env: { [RUN_NOTES_FILE]: at('notes.json') } },
  )
  return readVitest(at('vitest.json'), at('notes.json'))
}
async function runPlaywright(tests: string): Promise<ReturnType<typeof readPlaywright>> {
  writeFileSync(at('made.pw.ts'), `import { expect, test } from '@playwright/test'\n${tests}\n`)
  writeFileSync(
    at('playwright.config.ts'),
    `export default { testDir: ${JSON.stringify(work)}, testMatch: '*.pw.ts', outputDir: ` +
      `${JSON.stringify(at('pw-results'))}, retries: 1 }\n`,
  )
  rmSync(at('pw.json'), { force: true })
  await runStep(PLAYWRIGHT, ['test', '--config', at('playwright.config.ts'), '--reporter=json'], {
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: at('pw.json') },
  })
  return readPlaywright(at('pw.json'))
}

describe('the counting of Vitest’s tests', () => {
  it('counts passed, failed and skipped tests, with the reason of each skipped test', async () => {
    const tally = await runVitest(`
      it('passes', () => { expect(1).toBe(1) })
      it('fails', () => { expect(1).toBe(2) })
      it('needs a runtime', (context) => { context.skip('no Electron runtime here') })
    `)
    expect(tally).toEqual({
      passed: 1,
      failed: 1,
      skipped: [{ name: 'made.check.ts › needs a runtime', reason: 'no Electron runtime here' }],
      problems: [],
      failures: [
        expect.stringMatching(
          /^made\.check\.ts › fails: AssertionError: expected 1 to be 2 .*equality\n {4} +at .*made\.check\.ts/,
        ) as string,
      ],
      took: [{ file: 'made.check.ts', seconds: expect.any(Number) as number }],
    })
  })

  it('counts a test that is skipped without a reason as failed', async () => {
    const tally = await runVitest("it('passes', () => {})\nit.skip('silent', () => {})")
    expect(tally).toMatchObject({
      passed: 1,
      failed: 1,
      problems: ['made.check.ts › silent is skipped without a reason'],
    })
  })

  it('counts a test file that does not load as failed', async () => {
    const tally = await runVitest("import './not-there.ts'")
    expect(tally.failed).toBe(1)
    expect(tally.problems[0]).toContain('made.check.ts could not be run')
  })

  it('counts an error outside of any test as failed', async () => {
    const tally = await runVitest("it('passes', () => { void Promise.reject(new Error('loose')) })")
    expect(tally).toMatchObject({ passed: 1, failed: 1, problems: ['an error outside of any test: loose'] })
  })

  it('throws without a report, or names the files that were running when the run was killed', async () => {
    expect(() => readVitest(at('none.json'), at('none.json'))).toThrow('ENOENT')
    const tally = await runVitest(`
      import { copyFileSync, readFileSync } from 'node:fs'
      it('is under way', async () => {
        const notes = process.env.${RUN_NOTES_FILE}
        await expect.poll(() => JSON.parse(readFileSync(notes, 'utf8')).underWay).toEqual(['made.check.ts'])
        copyFileSync(notes, notes + '.ended')
      })
    `)
    expect(tally).toMatchObject({ passed: 1, failed: 0 })
    expect(() => readVitest(at('none.json'), at('notes.json.ended'))).toThrow('running at its end: made.check.ts')
  })
})

describe('the counting of Playwright’s tests', () => {
  it('counts passed, failed and skipped tests, and a flaky test as failed', async () => {
    const tally = await runPlaywright(`
      test('passes', () => { expect(1).toBe(1) })
      test('fails', () => { expect(1).toBe(2) })
      test('passes the second time', ({}, info) => { expect(info.retry).toBe(1) })
      test.describe('in Electron', () => { test('sells', () => { test.skip(true, 'no Electron runtime here') }) })
    `)
    expect(tally).toEqual({
      passed: 1,
      failed: 2,
      skipped: [{ name: 'made.pw.ts › in Electron › sells', reason: 'no Electron runtime here' }],
      problems: [],
      failures: [
        expect.stringMatching(
          /^made\.pw\.ts › fails: Error: .*equality\n {4}Expected: 2\n {4}Received: 1(\n|$)/,
        ) as string,
        expect.stringMatching(/^made\.pw\.ts › passes the second time: Error: .*\n {4}Expected: 1\n/) as string,
      ],
      took: [{ file: 'made.pw.ts', seconds: expect.any(Number) as number }],
    })
  })

  it('counts a scenario file that does not load as failed', async () => {
    const tally = await runPlaywright("throw new Error('broken')")
    expect(tally.passed).toBe(0)
    expect(tally.failed).toBe(tally.problems.length)
    expect(tally.problems[0]).toContain('broken')
  })
})

describe('a test runner that hangs', () => {
  it('is killed with all its processes at its deadline, and counts as failed', async () => {
    writeFileSync(
      at('hangs.mjs'),
      `
      import { spawn } from 'node:child_process'
      const child = spawn(process.execPath, ['-e', 'for (;;) {}'])
      console.log('child ' + child.pid)
    `,
    )
    const step = await runStep(at('hangs.mjs'), [], { deadlineMs: 1_000 })
    expect(step.ok).toBe(false)
    expect(step.output).toContain('did not end within 1 s')
    const pid = Number(/child (\d+)/.exec(step.output)?.[1])
    // A killed process may still be exiting, or be a zombie until its parent collects its exit code.
    const state = (): string | undefined => {
      try {
        return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2]
      } catch {
        return 'gone'
      }
    }
    await expect.poll(state).toMatch(/^(gone|Z|X)$/)
  })
})
