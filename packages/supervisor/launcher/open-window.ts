import { spawn } from 'node:child_process'
import path from 'node:path'
import type { Readable } from 'node:stream'
import type { Exit } from '../service.ts'
import { type Browser, browserArguments, displayMissing, findBrowser } from './browser.ts'
import type { Translate } from './translators.ts'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const PARENT_GUARD = path.join(import.meta.dirname, `parent-guard${path.extname(import.meta.filename)}`)

export interface OpenWindow {
  readonly closed: Promise<Exit>
  close(): Promise<void>
}
export interface GuardedProgram extends OpenWindow {
  readonly stdout: Readable | null
  readonly stderr: Readable | null
}

interface GuardOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly endsGracefully?: boolean
}

/** Runs a program with a parent guard, which ends the program when this process ends for any reason. */
export function runGuarded(
  program: string,
  args: readonly string[],
  output: 'pipe' | 'ignore',
  more: GuardOptions = {},
): GuardedProgram {
  const parentGuard = [PARENT_GUARD, ...(more.endsGracefully === true ? ['--in-order'] : [])]
  const child = spawn(process.execPath, [...parentGuard, program, ...args], {
    stdio: ['pipe', output, output],
    detached: process.platform !== 'win32',
    windowsHide: true,
    env: more.env ?? process.env,
  })
  child.stdin?.on('error', () => {})
  const closed = new Promise<Exit>((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }))
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

/**
 * Opens the terminal in an app window of a browser. The launch token is in the file of a launch page and on no command
 * line.
 */
export function openBrowserWindow(browser: Browser, launchUrl: string, options: BrowserWindowOptions): OpenWindow {
  const { window, page } = startBrowser(browser, launchUrl, options)
  void window.closed.then(page.remove)
  return window
}

/**
 * Opens another window of a running browser: the started process passes the address to the running browser and ends.
 * The launch page is removed when the first window closes.
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

export type LaneWindow =
  | { readonly kind: 'browser'; readonly name: string; readonly program: string; readonly why: string }
  | { readonly kind: 'none'; readonly why: string }

/** Returns why no window can be opened with any browser; null if a browser should be looked for. */
export function noWindow(requested: boolean, translate: Translate): string | null {
  if (requested) return translate('window.noneAsked')
  return displayMissing() === null ? null : translate('window.noDisplay')
}

export function browserWindow(why: string, translate: Translate): LaneWindow {
  const browser = findBrowser()
  return browser === null
    ? { kind: 'none', why: translate('window.noBrowser', { why }) }
    : { kind: 'browser', ...browser, why }
}

/**
 * A page that redirects to the terminal, with the launch token in the fragment of the terminal’s URL. Only the file’s
 * owner can read it; a command line would be visible to every user of the machine.
 */
export interface LaunchPage {
  readonly address: string
  remove(): void
}

export function writeLaunchPage(folder: string, launchUrl: string): LaunchPage {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, 'open.html')
  // Remove an existing file first, because it would keep its access rights.
  rmSync(file, { force: true })
  const target = JSON.stringify(launchUrl).replaceAll('<', '\\u003c')
  const script = `<script>location.replace(${target})</script>`
  const page = `<!doctype html><meta charset="utf-8"><title>Milepost</title>${script}\n`
  writeFileSync(file, page, { mode: 0o600, flag: 'wx' })
  return { address: pathToFileURL(file).href, remove: () => rmSync(file, { force: true }) }
}
