import { spawn } from 'node:child_process'
import path from 'node:path'
import type { Readable } from 'node:stream'
import type { Exit } from '../service.ts'
import { type Browser, browserArguments, displayMissing, findBrowser } from './browser.ts'
import type { Say } from './words.ts'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

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

/** What shows the terminal where no shell does, and why that. */
export type LaneWindow =
  | { readonly kind: 'browser'; readonly name: string; readonly program: string; readonly why: string }
  | { readonly kind: 'none'; readonly why: string }

/** Why no window is opened although nobody has looked for a program yet, or null. */
export function noWindow(asked: boolean, say: Say): string | null {
  if (asked) return say('window.noneAsked')
  return displayMissing() === null ? null : say('window.noDisplay')
}

/** An app window of an installed browser where there is one. */
export function browserWindow(why: string, say: Say): LaneWindow {
  const browser = findBrowser()
  return browser === null
    ? { kind: 'none', why: say('window.noBrowser', { why }) }
    : { kind: 'browser', ...browser, why }
}

/**
 * A page that sends its window on to the terminal, with the launch token in the fragment. It lies in a file that only
 * its owner can read: what stands on a command line is in the list of processes, for everybody on the machine.
 */
export interface LaunchPage {
  readonly address: string
  remove(): void
}

export function writeLaunchPage(folder: string, launchUrl: string): LaunchPage {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, 'open.html')
  // Anew: a file that was there keeps the rights that it had.
  rmSync(file, { force: true })
  const target = JSON.stringify(launchUrl).replaceAll('<', '\\u003c')
  const script = `<script>location.replace(${target})</script>`
  const page = `<!doctype html><meta charset="utf-8"><title>Milepost</title>${script}\n`
  writeFileSync(file, page, { mode: 0o600, flag: 'wx' })
  return { address: pathToFileURL(file).href, remove: () => rmSync(file, { force: true }) }
}
