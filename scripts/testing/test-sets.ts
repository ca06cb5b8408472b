import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readPlaywright, readVitest } from './reports.ts'
import { RUN_NOTES_FILE } from './run-notes.ts'
import { checkSources, heading, PLAYWRIGHT, runStep, VITEST } from './steps.ts'
import type { Summary } from './summary.ts'
import { skippedOn } from './campaign-days.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const REPORTS = path.join(ROOT, 'build', 'reports')
/** Time limits, several times the usual duration on two cores, because a busy machine is only slow. */
const RUNNER_DEADLINE_MS = 25 * 60_000
const isNight = process.env['MILEPOST_CAMPAIGN'] === '1'
const NIGHT_MS = 3 * 60 * 60_000
const MEMORY = '/dev/shm'
/** Free memory required for test folders in memory: several times their usual size. */
const MEMORY_BYTES = 4 * 1024 ** 3

/**
 * Arguments of the two test sets. Daily tests and campaigns are distinguished by file name. Daily tests share
 * processes, because starting one and loading the backend takes longer than most test files.
 */
type TestSet = 'day' | 'campaigns'
const VITEST_FILES: Record<TestSet, readonly string[]> = {
  day: ['--no-isolate', '--exclude', '**/*.campaign.test.{ts,tsx}'],
  campaigns: ['.campaign.test.'],
}

export const DAY_COUNTS = path.join(REPORTS, 'day-counts.json')

/** Runs the daily tests: types, lint, layout, language, the build of the screens, and all tests except campaigns. */
export async function testDay(summary: Summary): Promise<void> {
  const sources = await checkSources()
  if (!sources.types) summary.fail('the types do not check')
  if (!sources.lint) summary.fail('the lint or a boundary check failed')
  if (!sources.layout) summary.fail('a file is not formatted: run npm run format')
  if (!sources.language) summary.fail('a text has a rejected phrase or a spelling error')
  const memory = folderInMemory()
  // The folder is removed at exit, so that an interrupted run leaves no files in memory.
  if (memory !== null) process.once('exit', () => rmSync(memory, { recursive: true, force: true }))
  await runTests('day', summary, memory === null ? {} : { TMPDIR: memory })
}

/** Runs the campaigns (`*.campaign.test.ts` and `*.campaign.spec.ts`) with data on disk, as on a lane. */
export async function testCampaigns(summary: Summary, isAll: boolean): Promise<void> {
  await runTests('campaigns', summary, {}, isAll || isNight ? [] : skippedOn(new Date()), isAll)
}

async function runTests(
  part: TestSet,
  summary: Summary,
  env: Record<string, string>,
  resting: readonly string[] = [],
  isLong = false,
): Promise<void> {
  const reports = path.join(REPORTS, part)
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports, { recursive: true })
  const deadlineMs = isNight || isLong ? NIGHT_MS : RUNNER_DEADLINE_MS

  heading('the screens build')
  const screens = await runStep('scripts/prepare.mjs', ['screens'], { show: true })
  console.log(screens.ok ? 'ok' : 'FAILED')
  if (!screens.ok) summary.fail('the screens do not build')

  if (resting.length > 0) console.log(`Campaigns of other days, skipped today:\n  ${resting.join('\n  ')}`)
  heading(`unit and integration: ${part}`)
  const report = path.join(reports, 'vitest.json')
  const notes = path.join(reports, 'run-notes.json')
  const vitest = await runStep(
    VITEST,
    [
      'run',
      ...VITEST_FILES[part],
      ...resting.flatMap((file) => ['--exclude', file]),
      '--reporter=default',
      '--reporter=json',
      '--reporter=./scripts/testing/run-notes.ts',
      `--outputFile.json=${report}`,
    ],
    { show: true, deadlineMs, env: { ...env, [RUN_NOTES_FILE]: notes } },
  )
  summary.add('Vitest', vitest.ok, () => readVitest(report, notes))

  heading(`end to end: ${part}`)
  const scenarios = path.join(reports, 'playwright.json')
  const playwright = await runStep(
    PLAYWRIGHT,
    [
      'test',
      ...scenarioFilesWithout(resting),
      '--config',
      'e2e/playwright.config.ts',
      '--project',
      part,
      '--reporter=list,json',
    ],
    { show: true, deadlineMs, env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: scenarios } },
  )
  summary.add('Playwright', playwright.ok, () => readPlaywright(scenarios))
}

const scenarioFilesWithout = (resting: readonly string[]): string[] =>
  resting.length === 0
    ? []
    : readdirSync(path.join(ROOT, 'e2e'))
        .filter((name) => name.endsWith('.campaign.spec.ts') && !resting.includes(`e2e/${name}`))
        .map((name) => `e2e/${name}`)

/**
 * Makes a temporary folder in memory, where the thousands of syncs of short-lived databases are free; no daily test
 * simulates a power cut. Null if the system has no such memory, too little of it, or another temporary folder than
 * /tmp.
 */
function folderInMemory(): string | null {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    if (tmpdir() !== '/tmp' || bavail * bsize <= MEMORY_BYTES) return null
    const folder = mkdtempSync(path.join(MEMORY, 'milepost-tests-'))
    // The mode is that of /tmp, because PostgreSQL does not run as root and creates its own folder inside.
    chmodSync(folder, 0o1777)
    return folder
  } catch {
    return null
  }
}
