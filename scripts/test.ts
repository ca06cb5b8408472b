import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readPlaywright, readVitest } from './testing/reports.ts'
import type { Tally } from './testing/reports.ts'
import { RUN_NOTES_FILE } from './testing/run-notes.ts'
import { checkSources, heading, PLAYWRIGHT, runStep, VITEST } from './testing/steps.ts'

/**
 * `npm test`: everything, in the order in which a mistake is cheapest to find. Nothing stops at the first failure, so
 * that one run tells all. The counts of the last line come from the runners' own reports; a step without a report of
 * its own (types, lint, layout, the build) adds nothing when it is clean and one failure when it is not.
 */
const reports = path.join(fileURLToPath(new URL('..', import.meta.url)), 'build', 'reports')
/**
 * Several times what either runner needs on two cores: a machine that is busy with other things is slow, not broken.
 */
const RUNNER_DEADLINE_MS = 25 * 60_000
const began = performance.now()
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

let passed = 0
let failed = 0
const skipped: { name: string; reason: string }[] = []
const notes: string[] = []

function fail(note: string): void {
  failed++
  notes.push(note)
}

/** Adds a runner's report. A runner without a report ran nothing that counts: that is a failure, never a pass. */
function add(runner: string, ok: boolean, read: () => Tally): void {
  let tally: Tally
  try {
    tally = read()
  } catch (error) {
    fail(
      `${runner} left no report that can be read (${error instanceof Error ? error.message.split('\n')[0] : String(error)})`,
    )
    return
  }
  passed += tally.passed
  failed += tally.failed
  skipped.push(...tally.skipped)
  notes.push(...tally.failures, ...tally.complaints)
  if (tally.passed + tally.failed + tally.skipped.length === 0) fail(`${runner} ran no test at all`)
  else if (!ok && tally.failed === 0) fail(`${runner} ended with an error although no test of its report failed`)
}

const sources = await checkSources()
if (!sources.types) fail('the types do not check')
if (!sources.lint) fail('the lint or a boundary is broken')
if (!sources.layout) fail('a file is not laid out as npm run format does it')

heading('the screens build')
const screens = await runStep('scripts/prepare.mjs', ['screens'], { show: true })
console.log(screens.ok ? 'ok' : 'FAILED')
if (!screens.ok) fail('the screens do not build')

heading('unit and integration')
const vitestReport = path.join(reports, 'vitest.json')
const runNotes = path.join(reports, 'run-notes.json')
const vitest = await runStep(
  VITEST,
  [
    'run',
    '--reporter=default',
    '--reporter=json',
    '--reporter=./scripts/testing/run-notes.ts',
    `--outputFile.json=${vitestReport}`,
  ],
  { show: true, deadlineMs: RUNNER_DEADLINE_MS, env: { [RUN_NOTES_FILE]: runNotes } },
)
add('Vitest', vitest.ok, () => readVitest(vitestReport, runNotes))

heading('end to end')
const playwrightReport = path.join(reports, 'playwright.json')
const playwright = await runStep(PLAYWRIGHT, ['test', '--config', 'e2e/playwright.config.ts', '--reporter=list,json'], {
  show: true,
  deadlineMs: RUNNER_DEADLINE_MS,
  env: { PLAYWRIGHT_JSON_OUTPUT_FILE: playwrightReport },
})
add('Playwright', playwright.ok, () => readPlaywright(playwrightReport))

heading('summary')
for (const { name, reason } of skipped) console.log(`skipped: ${name}: ${reason}`)
for (const note of notes) console.log(`failed: ${note}`)
console.log(`${Math.round((performance.now() - began) / 1000)} s`)
console.log(`tests: ${passed} passed, ${failed} failed, ${skipped.length} skipped`)
process.exitCode = failed === 0 ? 0 : 1
