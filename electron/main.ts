import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { app, dialog, ipcMain, Menu, protocol, safeStorage, session } from 'electron'
import { FIRST_LOCALE, LANGUAGES } from '../contracts/i18n/languages.ts'
import type { Locale } from '../contracts/core/locales.ts'
import { formatRefusalIn, type RefusalTexts } from '../contracts/core/refusal.ts'
import {
  NO_SESSION,
  SHELL_SCHEME,
  createOpenCalls,
  createShellSession,
  forward,
} from '../packages/supervisor/shell/forward.ts'
import { keyIsInFile, keyStoreProblem, readSecrets } from '../packages/supervisor/key-store.ts'
import { laneProfile, type LaneProfile, type LaneProfileOptions } from '../packages/supervisor/lane-profile.ts'
import { denyNavigation, lockSession, lockSessions } from '../packages/supervisor/shell/lockdown.ts'
import { defaultDataFolder, refuseUnnamedLane } from '../packages/supervisor/places.ts'
import {
  localeOfProfile,
  packageFolderOf,
  readPackagedStore,
  readProfileOutline,
  storeFolderOf,
} from '../packages/supervisor/profile-outline.ts'
import { provision } from '../packages/supervisor/provision.ts'
import { AlreadyOpen, TerminalRefused } from '../packages/supervisor/terminal-refused.ts'
import { report } from '../packages/supervisor/reports.ts'
import { type ShellOptions, answerShellCalls, readShellOptions } from '../packages/supervisor/shell/shell-options.ts'
import { runPendingVersion, startAgainFor } from './pending-version.ts'
import { refusedSwitch } from '../packages/supervisor/shell/switches.ts'
import { type RunningTerminal, startTerminal } from '../packages/supervisor/terminal.ts'
import { launchUtility } from './utility.ts'
import { type OpenWindows, openWindows, shellCalls } from './windows.ts'

/** Entry point of the shell: composes the windows, the lane's store and the programs of the terminal. */
const code = path.join(import.meta.dirname, '..')

// `--no-sandbox` on the command line is respected: `enableSandbox` would override it, and nothing would start as root.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
protocol.registerSchemesAsPrivileged([
  {
    scheme: SHELL_SCHEME,
    privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true, codeCache: true },
  },
])
denyNavigation(app)
lockSessions(app)

type LaneOptions = Omit<LaneProfileOptions, 'now' | 'log'>
interface Store extends Omit<LaneOptions, 'lane' | 'dataFolder' | 'messages'> {
  readonly locale: Locale | null
}

function laneOf(options: ShellOptions): Omit<LaneOptions, 'messages'> & Store {
  const place = storeOf(options)
  refuseUnnamedLane(place.outline, options)
  const lane = options.lane ?? place.outline.lanes[0]
  return { ...place, lane, dataFolder: options.data ?? defaultDataFolder(place.outline.storeId, lane) }
}

/**
 * Finds the store of this lane. In an installed package it is the bundle next to the program slots; otherwise it is
 * next to the programs, or named by an option.
 */
function storeOf({ profile }: ShellOptions): Store {
  const packageFolder = profile === null ? packageFolderOf(code) : null
  if (packageFolder !== null) return { profileFile: null, ...readPackagedStore(storeFolderOf(packageFolder)) }
  const profileFile = profile ?? path.join(code, 'store', 'profile.yaml')
  const outline = readProfileOutline(profileFile)
  if (outline === null) throw new TerminalRefused([['profileUnreadable', { file: profileFile }]], 2)
  const locale = localeOfProfile(readFileSync(profileFile, 'utf8'))
  if (profile !== null) return { outline, locale, profileFile }
  const nextToStore = (name: string): string => path.join(code, 'store', name)
  return { outline, locale, profileFile, trustFile: nextToStore('trust.keys'), bundleFile: nextToStore('store.bundle') }
}

const textsIn = async (locale: Locale | null): Promise<RefusalTexts | undefined> =>
  locale === null || locale === FIRST_LOCALE ? undefined : (await LANGUAGES[locale].program()).default.starting

const profileOf = (place: LaneOptions): LaneProfile =>
  laneProfile({ ...place, now: () => new Date(), log: (line) => console.log(line) })

const profileArgsOf = ({ profileFile, bundleFile, trustFile }: LaneOptions): string[] => [
  ...(profileFile === null ? [] : ['--profile', profileFile]),
  ...(bundleFile === undefined ? [] : ['--bundle', bundleFile]),
  ...(trustFile === undefined ? [] : ['--trust', trustFile]),
]

/** How the shell exits: at once, until a program runs that must be stopped first; then this function is replaced. */
let exitCode = 0
let exitShell = (): void => app.exit(exitCode)
let windows: OpenWindows | null = null

async function run(): Promise<void> {
  const unwanted = refusedSwitch({
    packaged: app.isPackaged,
    asRoot: process.getuid?.() === 0,
    hasSwitch: (name) => app.commandLine.hasSwitch(name),
  })
  if (unwanted !== null) throw new TerminalRefused(unwanted, 2)
  const options = readShellOptions(process.argv.slice(app.isPackaged ? 1 : 2), app.isPackaged)
  const store = laneOf(options)
  // Chromium's own files of this lane get a subfolder that no other program uses.
  app.setPath('userData', path.join(store.dataFolder, 'shell'))
  // Without a menu: its shortcuts would reload the page, zoom it, or close the kiosk.
  if (options.kiosk) Menu.setApplicationMenu(null)
  await app.whenReady()
  const texts = await textsIn(store.locale)
  const place: LaneOptions = { ...store, ...(texts === undefined ? {} : { messages: texts }) }

  if (options.provision !== null) {
    app.exit(
      await provision(options.provision, {
        ...place,
        profileFile: () => profileOf(place).file(),
        keyStore: safeStorage,
        platform: process.platform,
        provisionMain: path.join(code, 'backend', 'operations', 'provision.js'),
        supportMain: path.join(code, 'backend', 'operations', 'support', 'support-file.js'),
        doctorMain: path.join(code, 'backend', 'operations', 'restore', 'doctor.js'),
        profileArgs: profileArgsOf(place),
        launch: launchUtility,
        input: process.stdin,
        environment: process.env,
        log: (line) => console.log(line),
        complain: (line) => console.error(line),
      }),
    )
    return
  }
  const others = await runPendingVersion(code, place)
  if (others !== null) {
    startAgainFor(others, code, place)
    app.exit(others)
    return
  }
  const { terminal, socketPath } = await start(place)
  report('ready')
  if (!('launchToken' in terminal.backend)) {
    throw new TerminalRefused('The backend listens on a port inside Electron.', 1)
  }
  const shellSession = createShellSession((request) => forward(request, { socketPath }, NO_SESSION))
  const calls = createOpenCalls()
  await shellSession.open(terminal.backend.launchToken)
  protocol.handle(SHELL_SCHEME, (request) => forward(request, { socketPath }, shellSession, calls))
  lockSession(session.defaultSession)
  answerShellCalls(ipcMain, shellCalls)
  app.on('window-all-closed', () => app.quit())
  windows = openWindows(options.kiosk, calls)
  void windows.shown.then(() => report('shown'))
  void windows.gaveUp.then((reason) => {
    void fail(new TerminalRefused([['screenGone', { reason }], ['nothingLost']], 1), 1)
  })
}

interface Started {
  readonly terminal: RunningTerminal
  readonly socketPath: string
}

async function start(place: LaneOptions): Promise<Started> {
  const { outline, lane, dataFolder } = place
  const isReal = outline.mode === 'production'
  const problem = isReal ? await keyStoreProblem(safeStorage, process.platform) : null
  if (problem !== null && !keyIsInFile(dataFolder)) throw new TerminalRefused(problem, 2)
  const socketFolder = process.platform === 'win32' ? null : mkdtempSync(path.join(tmpdir(), 'milepost-'))
  const removeFolder = (): void => {
    if (socketFolder !== null) rmSync(socketFolder, { recursive: true, force: true })
  }
  const socketPath =
    socketFolder === null ? `\\\\.\\pipe\\milepost-${process.pid}` : path.join(socketFolder, 'backend.sock')
  try {
    const profile = profileOf(place)
    const terminal = await startTerminal({
      mode: outline.mode,
      profileFile: profile.file,
      onProfileUp: profile.onUp,
      otherProfileAfter: profile.otherAfter,
      dataFolder,
      lane,
      listen: { kind: 'socket', path: socketPath },
      backendMain: path.join(code, 'backend', 'main.js'),
      centralMain: path.join(code, 'central', 'main.js'),
      staticFolder: app.isPackaged ? path.join(code, 'renderer') : path.join(code, '..', 'renderer'),
      launch: launchUtility,
      messages: place.messages,
      // Training stores its keys in the data folder: they protect nothing, and a training machine may have no system
      // key store.
      secrets: isReal ? await readSecrets(problem === null ? safeStorage : null, dataFolder) : {},
      window: { isOpen: () => windows?.isOpen() ?? true, bringToFront: () => windows?.bringToFront() },
      log: (line) => console.log(line),
    })
    exitShell = () => app.quit()
    app.on('will-quit', (event) => {
      event.preventDefault()
      void terminal.stop().finally(() => {
        removeFolder()
        app.exit(exitCode)
      })
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => app.quit())
    void terminal.failed.then((failure) => {
      const ended = failure.exit?.code ?? 1
      if (!startAgainFor(ended, code, place)) void fail(failure, ended)
      else {
        exitCode = ended
        exitShell()
      }
    })
    return { terminal, socketPath }
  } catch (error) {
    removeFolder()
    throw error
  }
}

async function fail(error: Error, withCode: number, box = app.isReady()): Promise<void> {
  exitCode = withCode === 0 ? 1 : withCode
  console.error(error.message)
  if (box) dialog.showErrorBox('Milepost', await textOf(error))
  exitShell()
}

/** Returns the message of a refusal in every language, because before a window exists no person has chosen one. */
async function textOf(error: Error): Promise<string> {
  if (!(error instanceof TerminalRefused) || error.refusal === null) return error.message
  const { CATALOGS } = await import('../contracts/i18n/catalogs.ts')
  return formatRefusalIn(error.refusal, CATALOGS, null)
}

run().catch((error: unknown) => {
  if (error instanceof TerminalRefused) report('refused')
  const code = error instanceof TerminalRefused ? error.exitCode : 1
  const why = error instanceof Error ? error : new Error(String(error))
  void fail(why, code, app.isReady() && !(error instanceof AlreadyOpen))
})
