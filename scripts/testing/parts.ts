import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readPlaywright, readVitest } from './reports.ts'
import { RUN_NOTES_FILE } from './run-notes.ts'
import { checkSources, heading, PLAYWRIGHT, runStep, VITEST } from './steps.ts'
import type { Summary } from './summary.ts'
import { restingOn } from './turns.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const REPORTS = path.join(ROOT, 'build', 'reports')
/**
 * Several times what either runner needs on two cores: a machine that is busy with other things is slow, not broken.
 */
const RUNNER_DEADLINE_MS = 25 * 60_000
const isNight = process.env['MILEPOST_CAMPAIGN'] === '1'
const NIGHT_MS = 3 * 60 * 60_000
const MEMORY = '/dev/shm'
/** What the folders of a run take at most, several times over. */
const MEMORY_BYTES = 4 * 1024 ** 3

/**
 * A part of the tests: its files are told by their names, which no configuration lists. Those of the day share their
 * processes: to start one, and to load the backend in it, costs more than most files do.
 */
type Part = 'day' | 'campaigns'
const VITEST_FILES: Record<Part, readonly string[]> = {
  day: ['--no-isolate', '--exclude', '**/*.campaign.test.{ts,tsx}'],
  campaigns: ['.campaign.test.'],
}

/** Where `npm test` leaves its counts for a run of the campaigns that ends with both. */
export const DAY_COUNTS = path.join(REPORTS, 'day-counts.json')

/** Types, lint, layout, the build of the screens, and every test that is not of a campaign. */
export async function testDay(summary: Summary): Promise<void> {
  const sources = await checkSources()
  if (!sources.types) summary.fail('the types do not check')
  if (!sources.lint) summary.fail('the lint or a boundary is broken')
  if (!sources.layout) summary.fail('a file is not laid out as npm run format does it')
  const memory = folderInMemory()
  // At the exit, so that an interrupted run leaves nothing in memory either.
  if (memory !== null) process.once('exit', () => rmSync(memory, { recursive: true, force: true }))
  await runTests('day', summary, memory === null ? {} : { TMPDIR: memory })
}

/** The tests of `*.campaign.test.ts` and `*.campaign.spec.ts`, on the disk that a lane writes to. */
export async function testCampaigns(summary: Summary, isAll: boolean): Promise<void> {
  await runTests('campaigns', summary, {}, isAll || isNight ? [] : restingOn(new Date()))
}

async function runTests(
  part: Part,
  summary: Summary,
  env: Record<string, string>,
  resting: readonly string[] = [],
): Promise<void> {
  const reports = path.join(REPORTS, part)
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports, { recursive: true })
  const deadlineMs = isNight ? NIGHT_MS : RUNNER_DEADLINE_MS

  heading('the screens build')
  const screens = await runStep('scripts/prepare.mjs', ['screens'], { show: true })
  console.log(screens.ok ? 'ok' : 'FAILED')
  if (!screens.ok) summary.fail('the screens do not build')

  if (resting.length > 0) console.log(`It is the turn of others today; these rest:\n  ${resting.join('\n  ')}`)
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
      ...scenariosBut(resting),
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

/** The files of scenarios when some rest; else none, which is all of them. */
const scenariosBut = (resting: readonly string[]): string[] =>
  resting.length === 0
    ? []
    : readdirSync(path.join(ROOT, 'e2e'))
        .filter((name) => name.endsWith('.campaign.spec.ts') && !resting.includes(`e2e/${name}`))
        .map((name) => `e2e/${name}`)

/**
 * Hundreds of short-lived databases are synced some thousand times: in memory that costs nothing, and no test of the
 * day pulls the plug of a machine. Null where there is no memory to spare: then the tests use the system's folder.
 */
function folderInMemory(): string | null {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    if (tmpdir() !== '/tmp' || bavail * bsize <= MEMORY_BYTES) return null
    const folder = mkdtempSync(path.join(MEMORY, 'milepost-tests-'))
    // As /tmp is: PostgreSQL does not run as root, and has a folder of its own in it.
    chmodSync(folder, 0o1777)
    return folder
  } catch {
    return null
  }
}
