import '../../core/program/engine-settings.ts'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type english from '../../../contracts/i18n/en-CA/installer.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { EXIT, StartRefusedError } from '../../core/program/data-folder.ts'
import { translate } from '../../core/i18n.ts'
import { checkInChild, isCheckProcess, checkForParent } from '../lane-check/check-process.ts'
import type { LaneToCheck, WindowFound } from '../lane-check/lane.ts'
import { countsOf, jsonReporter, lineReporter } from '../lane-check/finding.ts'
import { runLaneCheck } from '../lane-check/run.ts'
import { readInstallerCommand } from '../../core/program/options.ts'
import { programVersion } from '../../core/program/process.ts'
import { trustFileOf } from '../../../packages/delivery/stored-bundles.ts'

/*
 * `npm run milepost -- lane doctor`: checks the whole lane, whether its terminal runs, was never started or does not
 * start. Exit code: 0 when everything is fine, 1 when something needs attention, 2 when something is wrong.
 */
interface Options {
  readonly data: string
  readonly profile: string | null
  readonly bundle: string | null
  readonly laneId: string | null
  readonly trust: string | null
  readonly window: WindowFound
  readonly json: boolean
}

function textsOf(locale: Locale) {
  const t = translate(locale)
  return (key: keyof typeof english.doctor): string => t(`installer.doctor.${key}`)
}

/** Parses the options. Throws StartRefusedError with the usage for invalid ones. */
function readOptions(argv: readonly string[]): { readonly options: Options | 'help'; readonly locale: Locale } {
  const usageIn = (locale: Locale): string => textsOf(locale)('usage')
  // `browser`: name of the browser that the caller found, or empty; `trust` and `bundle`: key list and bundle of a
  // package.
  const declared = {
    texts: 'data profile lane trust bundle browser language',
    mayBeEmpty: 'browser',
    flags: 'json',
  } as const
  const { values, help, locale } = readInstallerCommand(argv, declared, usageIn)
  if (help) return { options: 'help', locale }
  const { data, profile, lane, trust, bundle, browser, json } = values
  if (data === undefined || (profile ?? bundle) === undefined)
    throw new StartRefusedError(`${textsOf(locale)('needed')}\n\n${usageIn(locale)}`, EXIT.badArguments)
  return {
    locale,
    options: {
      data: resolve(data),
      profile: profile === undefined ? null : resolve(profile),
      bundle: bundle === undefined ? null : resolve(bundle),
      laneId: lane?.padStart(2, '0') ?? null,
      trust: trust === undefined ? null : resolve(trust),
      window:
        browser === undefined ? { kind: 'not-checked' } : { kind: 'browser', name: browser === '' ? null : browser },
      json,
    },
  }
}

const laneOf = (options: Options): LaneToCheck => ({
  dataFolder: options.data,
  profileFile: options.profile,
  bundleFile: options.bundle,
  laneId: options.laneId,
  trustFile: options.trust ?? trustFileOf(options.data),
  environment: process.env,
  home: homedir(),
  window: options.window,
  version: programVersion(),
  now: () => new Date(),
  running: null,
})

async function run(): Promise<number> {
  const { options, locale } = readOptions(process.argv.slice(2))
  const write = (text: string): void => {
    process.stdout.write(text)
  }
  if (options === 'help') {
    write(`${textsOf(locale)('usage')}\n`)
    return 0
  }
  if (isCheckProcess()) return checkForParent(laneOf(options))
  const reporter = options.json ? jsonReporter(write, locale) : lineReporter(write, locale, process.stdout.isTTY)
  // Inside Electron this process cannot start Node as a child, so the shell kills a check that hangs.
  const check = process.versions['electron']
    ? await runLaneCheck(laneOf(options), reporter)
    : await checkInChild(import.meta.filename, process.argv.slice(2), reporter)
  const { wrong, attention } = countsOf(check)
  return wrong > 0 ? 2 : attention > 0 ? 1 : 0
}

// The reader has closed the pipe (`| head`).
process.stdout.on('error', () => process.exit(2))

// Without this exit, pending work would keep the process alive: a name lookup, a connection that closes.
run()
  .then((code) => {
    process.stdout.write('', () => process.exit(code))
  })
  .catch((error: unknown) => {
    const refused = error instanceof StartRefusedError
    const message = refused ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
    process.stderr.write(`${message}\n`, () => process.exit(refused ? error.exitCode : 2))
  })
