import path from 'node:path'
import { keyIsInKeyStore } from '../key-store.ts'
import type { LaneProfile } from '../lane-profile.ts'
import type { ProfileOutline } from '../profile-outline.ts'
import { TerminalRefused } from '../terminal-refused.ts'
import { reportOpen } from '../reports.ts'
import { launchNode } from '../service.ts'
import { ServiceFailure, UPDATE_EXIT_CODE } from '../supervise.ts'
import { startTerminal, type TerminalOptions } from '../terminal.ts'
import { type LaneWindow, type OpenWindow, openAnotherWindow, openBrowserWindow } from './open-window.ts'
import type { Translate } from './translators.ts'

export const KEY_NEEDS_ELECTRON = 'The key of this lane is in the system’s key store, which only Electron can open,'
/**
 * Minimum duration of an opened browser window. A browser that fails sooner never showed the page, so the launch link
 * is still valid.
 */
const NEVER_OPENED_MS = 10_000

export interface LanePlace {
  readonly outline: ProfileOutline
  readonly dataFolder: string
  readonly lane: string
}

/** Returns the given lane, else the first of the store. Throws TerminalRefused if the store does not have it. */
export function chooseLane(outline: ProfileOutline, requested: string | null): string {
  const lane = requested ?? outline.lanes[0]
  if (!outline.lanes.includes(lane))
    throw new TerminalRefused([['noLane', { lane, lanes: outline.lanes.join(', ') }]], 2)
  return lane
}

/**
 * Whether only Electron can open the lane’s data, because the seal key is in the key store. Without the key, the
 * backend would fail with a less helpful message.
 */
export const needsKeyStore = ({ outline, dataFolder }: LanePlace): boolean =>
  outline.mode === 'production' && !process.env['MILEPOST_SEAL_KEY'] && keyIsInKeyStore(dataFolder)

export interface RunOptions extends LanePlace, Pick<TerminalOptions, 'backendMain' | 'centralMain' | 'messages'> {
  readonly profile: LaneProfile
  readonly staticFolder: string
  readonly port: number
  readonly window: LaneWindow
  readonly kiosk?: boolean
  readonly stopRequested: Promise<unknown>
  readonly log: (line: string) => void
  readonly translate: Translate
  readonly background?: (signal: AbortSignal) => void
}

/** Runs a lane outside Electron until it is asked to end, its window is closed or it fails. Returns the exit code. */
export async function runTerminal(options: RunOptions): Promise<number> {
  const { outline, dataFolder, window, stopRequested, log, translate } = options
  let address = ''
  const openAnother = (launchUrl: string): void => {
    if (window.kind === 'none') log(translate('terminal.link', { address: launchUrl }))
    else openAnotherWindow(window, launchUrl, browserOptions(options))
  }
  const terminal = await startTerminal({
    mode: outline.mode,
    profileFile: options.profile.file,
    onProfileUp: options.profile.onUp,
    otherProfileAfter: options.profile.otherAfter,
    dataFolder,
    lane: options.lane,
    listen: { kind: 'port', port: options.port },
    backendMain: options.backendMain,
    centralMain: options.centralMain,
    staticFolder: options.staticFolder,
    launch: launchNode,
    // Outside training mode, the backend reads the client secret from its environment or its data folder.
    secrets: {},
    log,
    messages: options.messages,
    onFreshLink: (ready) => {
      if ('launchUrl' in ready) openAnother(ready.launchUrl)
    },
    onBackendAgain: (ready) => {
      if (!('launchUrl' in ready)) return
      if (window.kind === 'none') log(translate('terminal.back', { address: ready.launchUrl }))
      // The terminal has a new address, because another program uses the former one: open a window with the new
      // address.
      else if (!ready.launchUrl.startsWith(address)) openAnother(ready.launchUrl)
      address = new URL(ready.launchUrl).origin
    },
  })
  const ended = new AbortController()
  try {
    if (!('launchUrl' in terminal.backend)) throw new TerminalRefused(translate('terminal.noAddress'), 1)
    const training = outline.mode === 'training' ? [translate('terminal.training')] : []
    log([...training, translate('terminal.data', { folder: dataFolder })].join(' '))
    const { url, launchUrl } = terminal.backend
    address = url
    const browser = showWindow(window, launchUrl, url, options)
    options.background?.(ended.signal)
    const windowClosed =
      browser === null ? new Promise<never>(() => {}) : untilWindowClosed(browser, launchUrl, options)
    const end = await Promise.race([stopRequested.then(() => 'asked' as const), terminal.failed, windowClosed])
    await browser?.close()
    if (typeof end === 'string') return 0
    if (end.exit?.code !== UPDATE_EXIT_CODE) console.error(end.message)
    return end.exit?.code ?? 1
  } finally {
    ended.abort()
    await terminal.stop()
  }
}

/**
 * Resolves when the window was closed or failed. If the window never opened, the terminal keeps running with its
 * printed link.
 */
async function untilWindowClosed(
  browser: OpenWindow,
  launchUrl: string,
  { log, translate }: Pick<RunOptions, 'log' | 'translate'>,
): Promise<'window-closed' | ServiceFailure> {
  const opened = performance.now()
  const exit = await browser.closed
  if (exit.code === 0) return 'window-closed'
  if (performance.now() - opened >= NEVER_OPENED_MS)
    return new ServiceFailure(translate('terminal.windowEnded'), exit, [])
  log(translate('terminal.notOpened', { code: String(exit.code), address: launchUrl }))
  return new Promise<never>(() => {})
}

function showWindow(
  window: LaneWindow,
  launchUrl: string,
  url: string,
  options: Pick<RunOptions, 'dataFolder' | 'kiosk' | 'log' | 'translate'>,
): OpenWindow | null {
  const { log, translate } = options
  if (window.kind === 'none') {
    log(translate('terminal.ready', { address: launchUrl, why: window.why }))
    reportOpen(launchUrl)
    return null
  }
  log(translate('terminal.open', { browser: window.name, address: url, why: window.why }))
  return openBrowserWindow(window, launchUrl, browserOptions(options))
}

const browserOptions = ({ dataFolder, kiosk = false }: Pick<RunOptions, 'dataFolder' | 'kiosk'>) => ({
  userDataFolder: path.join(dataFolder, 'browser'),
  kiosk,
})

/** Resolves once, at the first Ctrl-C or termination signal. Must be called before anything is started. */
export const untilStopRequested = (): Promise<'asked'> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve('asked'))
  })
