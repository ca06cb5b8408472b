import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPlaywright, readVitest } from './reports.ts'
import { SKIP_REASONS_FILE } from './skip-reasons.ts'
import { PLAYWRIGHT, runStep, VITEST } from './steps.ts'

/** The last line of `npm test` is only as good as this counting: both runners run for real here, on tests made for it. */
const root = fileURLToPath(new URL('../..', import.meta.url))
let work: string
const at = (file: string): string => path.join(work, file)
beforeAll(() => { work = mkdtempSync(path.join(root, 'build', 'reports-test-')) })
afterAll(() => { rmSync(work, { recursive: true, force: true }) })

async function runVitest(tests: string): Promise<ReturnType<typeof readVitest>> {
  writeFileSync(at('made.check.ts'), `import { expect, it } from 'vitest'\n${tests}\n`)
  writeFileSync(at('vitest.config.ts'), "export default { test: { include: ['*.check.ts'] } }\n")
  rmSync(at('vitest.json'), { force: true })
  await runStep(VITEST, ['run', '--root', work, '--reporter=json', `--reporter=${path.join(root, 'scripts/testing/skip-reasons.ts')}`, `--outputFile.json=${at('vitest.json')}`], { env: { [SKIP_REASONS_FILE]: at('reasons.json') } })
  return readVitest(at('vitest.json'), at('reasons.json'))
}
async function runPlaywright(tests: string): Promise<ReturnType<typeof readPlaywright>> {
  writeFileSync(at('made.pw.ts'), `import { expect, test } from '@playwright/test'\n${tests}\n`)
  writeFileSync(at('playwright.config.ts'), `export default { testDir: ${JSON.stringify(work)}, testMatch: '*.pw.ts', outputDir: ${JSON.stringify(at('pw-results'))}, retries: 1 }\n`)
  rmSync(at('pw.json'), { force: true })
  await runStep(PLAYWRIGHT, ['test', '--config', at('playwright.config.ts'), '--reporter=json'], { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: at('pw.json') } })
  return readPlaywright(at('pw.json'))
}

describe('counting what Vitest ran', () => {
  it('tells passed, failed and skipped apart, with the reason of the skipped', async () => {
    const tally = await runVitest(`
      it('passes', () => { expect(1).toBe(1) })
      it('fails', () => { expect(1).toBe(2) })
      it('needs a runtime', (context) => { context.skip('no Electron runtime here') })
    `)
    expect(tally).toEqual({ passed: 1, failed: 1, skipped: [{ name: 'made.check.ts › needs a runtime', reason: 'no Electron runtime here' }], complaints: [] })
  })

  it('counts a test that is skipped without a reason as failed', async () => {
    const tally = await runVitest("it('passes', () => {})\nit.skip('silent', () => {})")
    expect(tally).toMatchObject({ passed: 1, failed: 1, complaints: ['made.check.ts › silent is skipped without a reason'] })
  })

  it('counts a test file that does not load as failed', async () => {
    const tally = await runVitest("import './not-there.ts'")
    expect(tally.failed).toBe(1)
    expect(tally.complaints[0]).toContain('made.check.ts could not be run')
  })

  it('counts an error outside of any test as failed', async () => {
    const tally = await runVitest("it('passes', () => { void Promise.reject(new Error('loose')) })")
    expect(tally).toMatchObject({ passed: 1, failed: 1, complaints: ['Vitest reports an error outside of any test'] })
  })

  it('has nothing to say without a report', () => {
    expect(() => readVitest(at('none.json'), at('none.json'))).toThrow('ENOENT')
  })
})

describe('counting what Playwright ran', () => {
  it('tells passed, failed and skipped apart, and calls a flaky test failed', async () => {
    const tally = await runPlaywright(`
      test('passes', () => { expect(1).toBe(1) })
      test('fails', () => { expect(1).toBe(2) })
      test('passes the second time', ({}, info) => { expect(info.retry).toBe(1) })
      test.describe('in Electron', () => { test('sells', () => { test.skip(true, 'no Electron runtime here') }) })
    `)
    expect(tally).toEqual({ passed: 1, failed: 2, skipped: [{ name: 'made.pw.ts › in Electron › sells', reason: 'no Electron runtime here' }], complaints: [] })
  })

  it('counts a scenario file that does not load as failed', async () => {
    const tally = await runPlaywright("throw new Error('broken')")
    expect(tally).toMatchObject({ passed: 0, failed: 1 })
    expect(tally.complaints[0]).toContain('broken')
  })
})
