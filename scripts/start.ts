import { existsSync, readFileSync, realpathSync, renameSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { CATALOGS } from '../contracts/i18n/catalogs.ts'
import { FIRST_LOCALE } from '../contracts/i18n/languages.ts'
import { laneMarkOf, ownerOf } from '../packages/delivery/identity.ts'
import { lockFolder } from '../packages/supervisor/folder-lock.ts'
import { defaultDataFolder } from '../packages/supervisor/places.ts'
import { type ProfileOutline, localeOfProfile, readProfileOutline } from '../packages/supervisor/profile-outline.ts'
import { folderRefusal, TerminalRefused } from '../packages/supervisor/terminal-refused.ts'
import { laneProfile } from '../packages/supervisor/lane-profile.ts'
import { keyIsInKeyStore } from '../packages/supervisor/key-store.ts'
import {
  chooseLane,
  KEY_NEEDS_ELECTRON,
  needsKeyStore,
  runTerminal,
  untilStopRequested,
  type LanePlace,
} from '../packages/supervisor/launcher/run-terminal.ts'
import { launcherTranslator, type Translate } from '../packages/supervisor/launcher/translators.ts'
import { checkProfile } from '../packages/delivery/commands/check-profile.ts'
import { START_HELP, type StartOptions, readStartOptions } from './start-options.ts'
import {
  ELECTRON,
  type ElectronChoice,
  type OtherWindow,
  chooseWindow,
  withoutElectron,
} from './window/choose-window.ts'
import { fetchElectron } from './window/electron-runtime.ts'
import { openElectron, rememberFailure } from './window/electron-window.ts'

// Turned off, because concurrent Sparkplug compilation can keep Node from exiting
// (docs/decisions/0012-memory-of-the-backend.md).
setFlagsFromString('--no-concurrent-sparkplug')

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (...parts: string[]): string => path.join(root, ...parts)
const log = (line: string): void => console.log(line)

/**
 * Whether a data folder belongs to a production store, by the backend’s marker or a provisioned secret. An unreadable
 * marker counts as one.
 */
function holdsRealStore(dataFolder: string): boolean {
  if (existsSync(path.join(dataFolder, 'client.secret'))) return true
  if (!existsSync(laneMarkOf(dataFolder))) return false
  try {
    return ownerOf(dataFolder)?.mode !== 'training'
  } catch {
    return true
  }
}

async function archiveTraining(outline: ProfileOutline, dataFolder: string): Promise<void> {
  if (outline.mode !== 'training')
    throw new TerminalRefused(
      '--reset-training is for training profiles: no command renames the data of a production store.',
      2,
    )
  if (!existsSync(dataFolder)) return
  if (holdsRealStore(dataFolder))
    throw new TerminalRefused(
      `${dataFolder} has the data of a production store, which no command renames. Give the data ` +
        'folder of a training terminal.',
      2,
    )
  const lock = await lockFolder(dataFolder)
  if ('heldBy' in lock)
    throw new TerminalRefused(`A terminal (process ${lock.heldBy}) is running on ${dataFolder}. Close it first.`, 3)
  const oldFolder = `${realpathSync(dataFolder)}.before-${new Date().toISOString().replace(/[:.]/g, '-')}`
  try {
    renameSync(dataFolder, oldFolder)
  } catch (error) {
    throw folderRefusal(dataFolder, error)
  }
  await lock.release()
  log(`Training starts with empty data. The old data is in ${oldFolder}.`)
}

const stopRequested = untilStopRequested()

async function run(options: StartOptions): Promise<number> {
  const profileFile = path.resolve(options.profile)
  const outline = readProfileOutline(profileFile)
  if (outline === null) {
    const complaint = await checkProfile(profileFile)
    throw new TerminalRefused(complaint ?? `The profile ${profileFile} cannot be read.`, 2)
  }
  const lane = chooseLane(outline, options.lane)
  const dataFolder = path.resolve(options.data ?? defaultDataFolder(outline.storeId, lane))
  if (options.resetTraining) await archiveTraining(outline, dataFolder)
  const locale = localeOfProfile(readFileSync(profileFile, 'utf8')) ?? FIRST_LOCALE
  const place = { outline, profileFile, dataFolder, lane, words: CATALOGS[locale].starting }
  const translate = launcherTranslator(locale)
  let choice = chooseWindow(options.window, dataFolder, translate)
  if (choice.kind !== 'electron' && choice.fetchElectron && needsKeyStore(place)) {
    // Wait for the download of Electron, because only Electron can read the lane’s key.
    await fetchRuntime()
    choice = chooseWindow(options.window, dataFolder, translate)
  }
  let window: OtherWindow
  if (choice.kind === 'electron') {
    const end = await runElectron(choice, place, options, translate)
    if (typeof end === 'number') return end
    window = end
  } else {
    window = choice
  }
  if (needsKeyStore(place))
    throw new TerminalRefused(
      `${KEY_NEEDS_ELECTRON} and Electron opened no window (${window.why}). Start the lane’s package, or fix ` +
        'Electron and try again.',
      2,
    )

  return runTerminal({
    ...place,
    profile: laneProfile({ ...place, now: () => new Date(), log }),
    port: options.port,
    kiosk: options.kiosk,
    backendMain: at('backend', 'main.ts'),
    centralMain: at('packages', 'central', 'main.ts'),
    staticFolder: at('build', 'renderer'),
    window,
    stopRequested: stopRequested,
    log,
    translate,
    // Download the runtime in the background, so that no start waits for 110 MB.
    background: (signal) => {
      if (window.fetchElectron) void fetchRuntime(signal)
    },
  })
}

interface Place extends LanePlace {
  readonly profileFile: string
}

/**
 * Runs the terminal in the shell, which needs no port and ends with its windows. Returns its exit code, or, in
 * training, a browser to use instead if Electron never showed a window: then also at later starts, until another
 * version of Electron is installed. Throws TerminalRefused if it showed none for a production store.
 */
async function runElectron(
  { program, version }: ElectronChoice,
  { outline, profileFile, dataFolder, lane }: Place,
  { electronTimeoutSeconds, kiosk }: StartOptions,
  translate: Translate,
): Promise<number | OtherWindow> {
  const { APP, buildPrograms } = await import('./build-app.ts')
  await buildPrograms(APP, { onlyWhenStale: true, log })
  const asRoot = process.getuid?.() === 0
  const sandbox = asRoot ? '; as root, which Chromium gives no sandbox' : ''
  log(`Milepost opens in Electron ${version} (its runtime is here${sandbox}). Press Ctrl-C to close the terminal.`)
  const end = await openElectron({
    program,
    timeoutMs: electronTimeoutSeconds * 1000,
    stopRequested: stopRequested,
    log,
    logError: (line) => console.error(line),
    args: [
      ...(asRoot ? ['--no-sandbox'] : []),
      at('build', 'app'),
      '--profile',
      profileFile,
      '--data',
      dataFolder,
      '--lane',
      lane,
      ...(kiosk ? ['--kiosk'] : []),
    ],
  })
  if (end.kind === 'ended') return end.code
  const lastLine = end.lastLine === '' ? '' : `. Its last line: ${end.lastLine}`
  const why = `Electron ${version} opened no window: ${end.why}${lastLine}`
  if (outline.mode !== 'training') {
    const remedy = keyIsInKeyStore(dataFolder)
      ? `${KEY_NEEDS_ELECTRON} so fix Electron and start again.`
      : 'Fix it, or start with --browser.'
    throw new TerminalRefused(`${why}\n${remedy}`, 1)
  }
  rememberFailure(dataFolder, version, end.why)
  log(`${why}\nIt is not tried again before its next version (or with --electron).`)
  return withoutElectron(translate('window.electronFails', { version, why: end.why }), false, translate)
}

async function fetchRuntime(signal?: AbortSignal): Promise<void> {
  const runtime = await fetchElectron({
    packageFolder: ELECTRON,
    memoryFile: at('build', '.stamps', 'electron-runtime.json'),
    cacheFolder: at('build', 'electron-download'),
    now: Date.now,
    log,
    ...(signal === undefined ? {} : { signal }),
  })
  if (signal?.aborted === true) return
  log(
    'program' in runtime
      ? 'The Electron runtime is downloaded: the next start opens in it.'
      : `The Electron runtime was not downloaded: ${runtime.missing}.`,
  )
}

const read = readStartOptions(process.argv.slice(2), at('stores', 'training.yaml'))
if (read.kind === 'help') {
  process.stdout.write(START_HELP)
} else if (read.kind === 'wrong') {
  console.error(`${read.message}\nnpm start -- --help lists the options.`)
  process.exitCode = 2
} else {
  try {
    process.exitCode = await run(read.options)
  } catch (error) {
    if (!(error instanceof TerminalRefused)) throw error
    console.error(error.message)
    process.exitCode = error.exitCode
  }
}
