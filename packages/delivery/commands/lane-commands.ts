import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { FIRST_LOCALE, localeNamed } from '../../../contracts/i18n/languages.ts'
import { readProfileOutline } from '../../supervisor/profile-outline.ts'
import { TerminalRefused } from '../../supervisor/terminal-refused.ts'
import { runAutostartSubcommand, thisMachine } from '../../supervisor/launcher/autostart.ts'
import { chooseLane } from '../../supervisor/launcher/run-terminal.ts'
import { launcherTranslator } from '../../supervisor/launcher/translators.ts'
import { readArgs } from '../../../scripts/command-line.ts'
import { spawn, spawnSync } from 'node:child_process'
import { findBrowser } from '../../supervisor/launcher/browser.ts'
import { runMetricsSubcommand } from '../../supervisor/launcher/bundle-subcommands.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { ProfileCheckAnswer, type ProfileCheckRequest } from '../../../contracts/core/profile-check.ts'
import { mistakeLine } from './check-profile.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Enables, disables or shows the autostart of a lane that runs from a source tree. Returns null for an invalid command
 * line. Throws TerminalRefused.
 */
export function autostartOfLane(args: readonly string[]): number | null {
  const { values, words } = readArgs(args, {
    texts: 'data profile lane language',
    flags: 'kiosk entry',
    words: true,
  })
  const locale = values.language === undefined ? FIRST_LOCALE : localeNamed(values.language)
  if (!values.data || !values.profile || locale === undefined || words.length !== 1) return null
  const profile = path.resolve(values.profile)
  const outline = readProfileOutline(profile)
  if (outline === null) throw new TerminalRefused(`The profile ${profile} cannot be read.`, 2)
  const dataFolder = path.resolve(values.data)
  const lane = chooseLane(outline, values.lane ?? null)
  const start = path.join(root, 'scripts', 'start.ts')
  return runAutostartSubcommand(
    {
      action: words[0],
      named: true,
      kind: values.entry ? 'entry' : 'unit',
      start: {
        argv: [
          process.execPath,
          start,
          '--profile',
          profile,
          '--data',
          dataFolder,
          '--lane',
          lane,
          ...(values.kiosk ? ['--kiosk'] : []),
        ],
        workingFolder: path.resolve(root),
        dataFolder,
      },
    },
    thisMachine(),
    launcherTranslator(locale),
  )
}

const DOCTOR = fileURLToPath(new URL('../../../backend/operations/restore/doctor.ts', import.meta.url))

/**
 * Runs the backend's own lane check, and passes it the name of the browser, which the backend cannot find itself.
 * Resolves with the exit code.
 */
export function checkLane(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [DOCTOR, ...args, `--browser=${findBrowser()?.name ?? ''}`], {
      stdio: 'inherit',
      windowsHide: true,
      cwd: path.resolve(),
    })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 2))
  })
}

const PROVISION = fileURLToPath(new URL('../../../backend/operations/provision.ts', import.meta.url))

/**
 * CLI command `enrol [CODE]`: runs the backend's enrolment. Returns its exit code, or null for an incomplete command
 * line. Asks for the code if it is missing or `-`. Passes the code in the environment, so that the process list does
 * not contain it a second time.
 */
export async function enrolAtLane(args: readonly string[]): Promise<number | null> {
  const { values, words } = readArgs(args, {
    texts: 'data profile lane service certificate language',
    words: true,
  })
  const [code = '-', ...more] = words
  const { data, profile, ...rest } = values
  if (more.length > 0 || data === undefined || profile === undefined) return null
  const options = { ...rest, data: path.resolve(data), profile: path.resolve(profile) }
  const child = spawn(
    process.execPath,
    [PROVISION, 'enrol', ...Object.entries(options).map(([name, value]) => `--${name}=${value}`)],
    { stdio: 'inherit', env: { ...process.env, ...(code === '-' ? {} : { MILEPOST_PROVISION_VALUE: code }) } },
  )
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (exitCode) => resolve(exitCode ?? 1))
  })
}

/**
 * CLI commands `metrics on`, `off` and `status` of a lane. Returns null for an invalid command line. Throws
 * TerminalRefused.
 */
export function metricsOfLane(args: readonly string[]): number | null {
  const { values, words } = readArgs(args, { texts: 'data language', words: true })
  const locale = values.language === undefined ? FIRST_LOCALE : localeNamed(values.language)
  if (!values.data || locale === undefined || words.length !== 1) return null
  return runMetricsSubcommand(path.resolve(values.data), words[0], launcherTranslator(locale))
}

const FIND_TRACE = fileURLToPath(new URL('../../../backend/operations/find-trace.ts', import.meta.url))

export function findTrace(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [FIND_TRACE, ...args], { stdio: 'inherit', windowsHide: true })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

const CHECKER = fileURLToPath(new URL('../../../backend/operations/profile-check/main.ts', import.meta.url))
/** Timeout of the profile check: a catalog of a hundred thousand items takes several seconds. */
const LONGEST_MS = 300_000

/**
 * Returns the mistakes that a lane of this program would report in a profile and its files, one per line. The backend's
 * own parsers find them in a child process. Throws if the parsers cannot run.
 */
export function profileMistakes(profileFile: string, locale: Locale): string[] {
  const request: ProfileCheckRequest = { kind: 'store', file: profileFile }
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [CHECKER], {
    input: `${JSON.stringify(request)}\n`,
    encoding: 'utf8',
    timeout: LONGEST_MS,
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`The profile could not be checked: ${error?.message ?? stderr.trim()}`)
  const { mistakes } = ProfileCheckAnswer.parse(JSON.parse(stdout))
  // Messages name files relative to the bundle's folder, because the path of that folder is internal.
  const folder = path.dirname(profileFile) + path.sep
  return mistakes.map((mistake) => mistakeLine(mistake, locale).replaceAll(folder, ''))
}
