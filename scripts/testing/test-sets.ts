import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readPlaywright, readVitest } from './reports.ts'
import { RUN_NOTES_FILE } from './run-notes.ts'
import { checkSources, heading, PLAYWRIGHT, runStep, VITEST } from './steps.ts'
import type { Summary } from './summary.ts'
import { dueOn, skippedOn } from './campaign-days.ts'
import { SLOW_TESTS } from './slow-tests.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const REPORTS = path.join(ROOT, 'build', 'reports')
/** Time limits, several times the usual duration on two cores, because a busy machine is only slow. */
const RUNNER_DEADLINE_MS = 25 * 60_000
const isNight = process.env['MILEPOST_CAMPAIGN'] === '1'
const NIGHT_MS = 3 * 60 * 60_000
const MEMORY = '/dev/shm'
/** Free memory required for test folders in memory: several times their usual size. */
const MEMORY_BYTES = 4 * 1024 ** 3

/** A set of tests: arguments for Vitest, the project of Playwright and its scenarios, and the environment. */
interface TestSet {
  readonly name: 'day' | 'slow' | 'campaigns'
  readonly vitest: readonly string[]
  readonly project: 'day' | 'campaigns'
  readonly scenarios: readonly string[]
  readonly env?: Record<string, string>
  readonly deadlineMs: number
}

/** Daily tests share processes, because starting one and loading the backend takes longer than most test files. */
const SHARED = ['--no-isolate', '--exclude', '**/*.campaign.test.{ts,tsx}']

export const DAY_COUNTS = path.join(REPORTS, 'day-counts.json')

/** Runs the daily tests: types, lint, layout, language, the build of the screens, and the fast tests. */
export async function testDay(summary: Summary): Promise<void> {
  const sources = await checkSources()
  if (!sources.types) summary.fail('the types do not check')
  if (!sources.lint) summary.fail('the lint or a boundary check failed')
  if (!sources.layout) summary.fail('a file is not formatted: run npm run format')
  if (!sources.language) summary.fail('a text has a rejected phrase or a spelling error')
  await runTests(summary, {
    name: 'day',
    vitest: [...SHARED, ...without(SLOW_TESTS.flat())],
    project: 'day',
    scenarios: scenarios((file) => !isCampaign(file) && !SLOW_TESTS.flat().includes(file)),
    env: inMemory(),
    deadlineMs: RUNNER_DEADLINE_MS,
  })
}

/**
 * Runs the slow tests that are due today, then the campaigns (`*.campaign.test.ts` and `*.campaign.spec.ts`) with data
 * on disk, as on a lane. `isAll`: also those of other days.
 */
export async function testCampaigns(summary: Summary, isAll: boolean): Promise<void> {
  const today = new Date()
  const slow = isAll || isNight ? SLOW_TESTS.flat() : (dueOn(today, SLOW_TESTS) ?? [])
  await runTests(summary, {
    name: 'slow',
    vitest: [...SHARED, ...slow.filter((file) => !isScenario(file))],
    project: 'day',
    scenarios: slow.filter(isScenario),
    env: inMemory(),
    deadlineMs: RUNNER_DEADLINE_MS,
  })
  const skipped = isAll || isNight ? [] : skippedOn(today)
  if (skipped.length > 0) console.log(`Campaigns of other days, skipped today:\n  ${skipped.join('\n  ')}`)
  await runTests(summary, {
    name: 'campaigns',
    vitest: ['.campaign.test.', ...without(skipped)],
    project: 'campaigns',
    scenarios: scenarios((file) => isCampaign(file) && !skipped.includes(file)),
    deadlineMs: isNight || isAll ? NIGHT_MS : RUNNER_DEADLINE_MS,
  })
}

const isScenario = (file: string): boolean => file.endsWith('.spec.ts')
const isCampaign = (file: string): boolean => file.endsWith('.campaign.spec.ts')
const without = (files: readonly string[]): string[] => files.flatMap((file) => ['--exclude', file])
const scenarios = (accepts: (file: string) => boolean): string[] =>
  readdirSync(path.join(ROOT, 'e2e'))
    .map((name) => `e2e/${name}`)
    .filter((file) => isScenario(file) && accepts(file))

async function runTests(summary: Summary, set: TestSet): Promise<void> {
  const { name, env = {}, deadlineMs } = set
  const reports = path.join(REPORTS, name)
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports, { recursive: true })

  heading('the screens build')
  const screens = await runStep('scripts/prepare.mjs', ['screens'], { show: true })
  console.log(screens.ok ? 'ok' : 'FAILED')
  if (!screens.ok) summary.fail('the screens do not build')

  heading(`unit and integration: ${name}`)
  const report = path.join(reports, 'vitest.json')
  const notes = path.join(reports, 'run-notes.json')
  const vitest = await runStep(
    VITEST,
    [
      'run',
      ...set.vitest,
      '--reporter=default',
      '--reporter=json',
      '--reporter=./scripts/testing/run-notes.ts',
      `--outputFile.json=${report}`,
    ],
    { show: true, deadlineMs, env: { ...env, [RUN_NOTES_FILE]: notes } },
  )
  summary.add('Vitest', vitest.ok, () => readVitest(report, notes))

  heading(`end to end: ${name}`)
  const results = path.join(reports, 'playwright.json')
  const playwright = await runStep(
    PLAYWRIGHT,
    [
      'test',
      ...set.scenarios,
      '--config',
      'e2e/playwright.config.ts',
      '--project',
      set.project,
      '--reporter=list,json',
    ],
    { show: true, deadlineMs, env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: results } },
  )
  summary.add('Playwright', playwright.ok, () => readPlaywright(results))
}

/**
 * Makes a temporary folder in memory and returns it as TMPDIR; there the thousands of syncs of short-lived databases
 * are free; no daily test simulates a power cut. Returns no variable if the system has no such memory, too little of
 * it, or another temporary folder than /tmp.
 */
function inMemory(): Record<string, string> {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    if (tmpdir() !== '/tmp' || bavail * bsize <= MEMORY_BYTES) return {}
    const folder = mkdtempSync(path.join(MEMORY, 'milepost-tests-'))
    // The folder is removed at exit, so that an interrupted run leaves no files in memory.
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    // The mode is that of /tmp, because PostgreSQL does not run as root and creates its own folder inside.
    chmodSync(folder, 0o1777)
    return { TMPDIR: folder }
  } catch {
    return {}
  }
}
