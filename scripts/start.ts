import { existsSync, readFileSync, realpathSync, renameSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { lockFolder } from '../electron/folder-lock.ts'
import { defaultDataFolder } from '../electron/places.ts'
import { readProfileOutline } from '../electron/profile-outline.ts'
import type { ProfileOutline } from '../electron/profile-outline.ts'
import { folderRefusal, TerminalRefused } from '../electron/refused.ts'
import { launchNode } from '../electron/service.ts'
import { ServiceFailure } from '../electron/supervise.ts'
import { startTerminal } from '../electron/terminal.ts'
import { laneProfile } from '../electron/lane-profile.ts'
import { keyIsInKeyStore } from '../electron/key-store.ts'
import { checkProfile } from './check-profile.ts'
import { readStartOptions, START_HELP } from './start-options.ts'
import type { StartOptions } from './start-options.ts'
import { chooseWindow, ELECTRON, withoutElectron } from './window/choose-window.ts'
import type { ElectronChoice, OtherWindow } from './window/choose-window.ts'
import { fetchElectron } from './window/electron-runtime.ts'
import { openElectron, rememberFailure } from './window/electron-window.ts'
import { openBrowserWindow } from './window/open-window.ts'
import type { OpenWindow } from './window/open-window.ts'

// What compiles on a thread of its own can keep Node from ending (docs/decisions/0055-memory-of-the-backend.md).
setFlagsFromString('--no-concurrent-sparkplug')

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (...parts: string[]): string => path.join(root, ...parts)
const log = (line: string): void => console.log(line)
const KEY_IS_AWAY = 'The key of this lane is in the care of the system’s key store, which only Electron can open,'
/** A browser that fails sooner than this never showed the page, so that the launch link is still good. */
const NEVER_OPENED_MS = 10_000

function chooseLane(outline: ProfileOutline, asked: string | null): string {
  const lane = asked ?? outline.lanes[0]
  if (!outline.lanes.includes(lane))
    throw new TerminalRefused(`The profile has no lane "${lane}". Its lanes: ${outline.lanes.join(', ')}.`, 2)
  return lane
}

/**
 * The backend marks a folder with whose data it holds; a provisioned secret is a real store's too. What cannot be read
 * is taken for one.
 */
function holdsRealStore(dataFolder: string): boolean {
  const sentinel = path.join(dataFolder, 'terminal.json')
  if (existsSync(path.join(dataFolder, 'client.secret'))) return true
  if (!existsSync(sentinel)) return false
  try {
    const { owner } = JSON.parse(readFileSync(sentinel, 'utf8')) as { owner?: { mode?: string } }
    return owner?.mode !== 'training'
  } catch {
    return true
  }
}

async function setTrainingAside(outline: ProfileOutline, dataFolder: string): Promise<void> {
  if (outline.mode !== 'training')
    throw new TerminalRefused(
      '--reset-training is for training profiles: the data of a real store is never set aside by a command.',
      2,
    )
  if (!existsSync(dataFolder)) return
  if (holdsRealStore(dataFolder))
    throw new TerminalRefused(
      `${dataFolder} holds the data of a real store, which is never set aside by a command. Give the data ` +
        'folder of a training terminal.',
      2,
    )
  const lock = await lockFolder(dataFolder)
  if ('heldBy' in lock)
    throw new TerminalRefused(`A terminal (process ${lock.heldBy}) is running on ${dataFolder}. Close it first.`, 3)
  const aside = `${realpathSync(dataFolder)}.before-${new Date().toISOString().replace(/[:.]/g, '-')}`
  try {
    renameSync(dataFolder, aside)
  } catch (error) {
    throw folderRefusal(dataFolder, error)
  }
  await lock.release()
  log(`Training begins anew. The old data is in ${aside}.`)
}

/** Resolves once, at the first Ctrl-C or request to end. */
const askedToEnd = new Promise<'asked'>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve('asked'))
})

async function run(options: StartOptions): Promise<number> {
  const profileFile = path.resolve(options.profile)
  const outline = readProfileOutline(profileFile)
  if (outline === null) {
    const complaint = await checkProfile(profileFile)
    throw new TerminalRefused(complaint ?? `The profile ${profileFile} cannot be read.`, 2)
  }
  const lane = chooseLane(outline, options.lane)
  const dataFolder = path.resolve(options.data ?? defaultDataFolder(outline.storeId, lane))
  if (options.resetTraining) await setTrainingAside(outline, dataFolder)
  const place = { outline, profileFile, dataFolder, lane }
  let choice = chooseWindow(options.window, dataFolder)
  if (choice.kind !== 'electron' && choice.fetchElectron && needsKeyStore(place)) {
    // No other window would do: this start waits.
    await fetchRuntime()
    choice = chooseWindow(options.window, dataFolder)
  }
  let window: OtherWindow
  if (choice.kind === 'electron') {
    const end = await runElectron(choice, place, options.electronPatience)
    if (typeof end === 'number') return end
    window = end
  } else {
    window = choice
  }
  if (needsKeyStore(place))
    throw new TerminalRefused(
      `${KEY_IS_AWAY} and there is none (${window.why}). Start the lane’s package, or make Electron start and ` +
        'try again.',
      2,
    )

  const profile = laneProfile({ ...place, now: () => new Date(), log })
  const terminal = await startTerminal({
    mode: outline.mode,
    profileFile: profile.file,
    onProfileUp: profile.onUp,
    otherProfileAfter: profile.otherAfter,
    dataFolder,
    lane,
    listen: { kind: 'port', port: options.port },
    backendMain: at('backend', 'main.ts'),
    centralMain: at('central', 'main.ts'),
    staticFolder: at('build', 'renderer'),
    launch: launchNode,
    // The backend finds the client secret of a real lane by itself: in its environment, or in its data folder.
    secrets: {},
    log,
    onFreshLink: (ready) => {
      if ('launchUrl' in ready) log(`That link had waited too long. Open this one: ${ready.launchUrl}`)
    },
    onBackendAgain: (ready) => {
      if (window.kind === 'none' && 'launchUrl' in ready)
        log(`The terminal is back. Open ${ready.launchUrl} if its page asks for it.`)
    },
  })
  const ended = new AbortController()
  try {
    if (!('launchUrl' in terminal.backend)) throw new TerminalRefused('The backend said no address to open.', 1)
    log(
      `${outline.mode === 'training' ? 'Training mode: nothing counts. ' : ''}Data: ${dataFolder}. Ctrl-C ends ` +
        'the terminal.',
    )
    const { url, launchUrl } = terminal.backend
    const browser = showWindow(window, launchUrl, url, dataFolder)
    // While the terminal is used, so that no start waits for 110 MB.
    if (window.fetchElectron) void fetchRuntime(ended.signal)
    const opened = performance.now()
    const windowGone =
      browser === null
        ? new Promise<never>(() => {})
        : browser.closed.then((exit) => {
            if (exit.code === 0) return 'window-closed' as const
            if (performance.now() - opened >= NEVER_OPENED_MS)
              return new ServiceFailure(
                'The browser window ended unexpectedly. Start the terminal again: nothing is lost.',
                exit,
                [],
              )
            log(`The window could not be opened (exit code ${exit.code}). Open this address instead: ${launchUrl}`)
            return new Promise<never>(() => {})
          })
    const end = await Promise.race([askedToEnd, terminal.failed, windowGone])
    await browser?.close()
    if (typeof end === 'string') return 0
    console.error(end.message)
    return end.exit?.code ?? 1
  } finally {
    ended.abort()
    await terminal.stop()
  }
}

/** The one line that says how the terminal was opened, and why that way. */
function showWindow(window: OtherWindow, launchUrl: string, url: string, dataFolder: string): OpenWindow | null {
  if (window.kind === 'none') {
    log(`Milepost is ready; open ${launchUrl} (no window was opened: ${window.why}).`)
    return null
  }
  log(`Milepost is open in an app window of ${window.name} at ${url} (${window.why}).`)
  return openBrowserWindow({ name: window.name, program: window.program }, launchUrl, path.join(dataFolder, 'browser'))
}

interface Place {
  readonly outline: ProfileOutline
  readonly profileFile: string
  readonly dataFolder: string
  readonly lane: string
}

/**
 * Inside Electron the shell starts the terminal itself: there is no port, and its windows end with it. The exit code,
 * or what shows the terminal instead where Electron never did: in training a browser does, and goes on doing so until
 * another version of Electron is here.
 */
async function runElectron(
  { program, version }: ElectronChoice,
  { outline, profileFile, dataFolder, lane }: Place,
  patience: number,
): Promise<number | OtherWindow> {
  const { APP, buildPrograms } = await import('./build-app.ts')
  await buildPrograms(APP, { onlyWhenStale: true, log })
  const asRoot = process.getuid?.() === 0
  const sandbox = asRoot ? '; as root, which Chromium gives no sandbox' : ''
  log(`Milepost opens in Electron ${version} (its runtime is here${sandbox}). Ctrl-C ends the terminal.`)
  const end = await openElectron({
    program,
    patienceMs: patience * 1000,
    askedToEnd,
    log,
    complain: (line) => console.error(line),
    args: [
      ...(asRoot ? ['--no-sandbox'] : []),
      at('build', 'app'),
      '--profile',
      profileFile,
      '--data',
      dataFolder,
      '--lane',
      lane,
    ],
  })
  if (end.kind === 'ended') return end.code
  const lastLine = end.lastLine === '' ? '' : `. Its last line: ${end.lastLine}`
  const why = `Electron ${version} opened no window: ${end.why}${lastLine}`
  if (outline.mode !== 'training') {
    const remedy = keyIsInKeyStore(dataFolder)
      ? `${KEY_IS_AWAY} so mend Electron and start again.`
      : 'Mend it, or start with --browser.'
    throw new TerminalRefused(`${why}\n${remedy}`, 1)
  }
  rememberFailure(dataFolder, version, end.why)
  log(`${why}\nIt is not tried again before its next version (or with --electron).`)
  return withoutElectron(`Electron ${version} is here, but ${end.why}`, false)
}

/**
 * True where nothing but Electron can open what waits: without the key the backend refuses, in words that help nobody.
 */
const needsKeyStore = ({ outline, dataFolder }: Place): boolean =>
  outline.mode === 'production' && !process.env['MILEPOST_SEAL_KEY'] && keyIsInKeyStore(dataFolder)

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
      ? 'The Electron runtime is here: the next start opens in it.'
      : `The Electron runtime was not fetched: ${runtime.missing}.`,
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
