import { spawn } from 'node:child_process'
import path from 'node:path'
import type { Readable } from 'node:stream'
import type { Exit } from '../../electron/service.ts'
import { browserArguments } from './browser.ts'
import type { Browser } from './browser.ts'
import { writeLaunchPage, type LaunchPage } from './launch-page.ts'

const PARENT_GUARD = path.join(import.meta.dirname, `parent-guard${path.extname(import.meta.filename)}`)

export interface OpenWindow {
  readonly closed: Promise<Exit>
  close(): Promise<void>
}
/** `null` streams where the output goes nowhere. */
export interface GuardedProgram extends OpenWindow {
  readonly stdout: Readable | null
  readonly stderr: Readable | null
}

interface GuardOptions {
  readonly env?: NodeJS.ProcessEnv
  /** The program ends its own processes, and has longer to. */
  readonly inOrder?: boolean
}

/** Runs a program under a parent guard: it ends with this process, however this process ends. */
export function runGuarded(
  program: string,
  args: readonly string[],
  output: 'pipe' | 'ignore',
  more: GuardOptions = {},
): GuardedProgram {
  const parentGuard = [PARENT_GUARD, ...(more.inOrder === true ? ['--in-order'] : [])]
  const child = spawn(process.execPath, [...parentGuard, program, ...args], {
    stdio: ['pipe', output, output],
    detached: process.platform !== 'win32',
    windowsHide: true,
    env: more.env ?? process.env,
  })
  child.stdin?.on('error', () => {})
  const closed = new Promise<Exit>((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }))
    // With its output at its end: the last line is why.
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    closed,
    close: async () => {
      child.stdin?.end()
      await closed
    },
  }
}

interface BrowserWindowOptions {
  readonly userDataFolder: string
  readonly kiosk: boolean
}

/** Opens the terminal in an app window of a browser. The address carries the launch token, and no command line does. */
export function openBrowserWindow(browser: Browser, launchUrl: string, options: BrowserWindowOptions): OpenWindow {
  const { window, page } = startBrowser(browser, launchUrl, options)
  void window.closed.then(page.remove)
  return window
}

/**
 * Opens another window of the browser that is open already: this program passes the address on to it and ends. The page
 * of the address is removed with the first window.
 */
export function openAnotherWindow(browser: Browser, launchUrl: string, options: BrowserWindowOptions): void {
  startBrowser(browser, launchUrl, options)
}

function startBrowser(
  browser: Browser,
  launchUrl: string,
  { userDataFolder, kiosk }: BrowserWindowOptions,
): { readonly window: OpenWindow; readonly page: LaunchPage } {
  const page = writeLaunchPage(path.join(userDataFolder, 'launch'), launchUrl)
  const shown = browserArguments(page.address, userDataFolder, { asRoot: process.getuid?.() === 0, kiosk })
  return { page, window: runGuarded(browser.program, shown, 'ignore') }
}
