import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Exit } from '../../electron/service.ts'
import { browserArguments } from './browser.ts'
import type { Browser } from './browser.ts'

const LEASH = fileURLToPath(new URL('./leash.ts', import.meta.url))

export interface OpenWindow {
  readonly closed: Promise<Exit>
  close(): Promise<void>
}

/** Runs a program under a leash: it ends with this process, however this process ends. */
export function runLeashed(program: string, args: readonly string[], output: 'inherit' | 'ignore'): OpenWindow {
  const child = spawn(process.execPath, [LEASH, program, ...args], { stdio: ['pipe', output, output], detached: process.platform !== 'win32', windowsHide: true })
  child.stdin.on('error', () => {})
  const closed = new Promise<Exit>((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  return { closed, close: async () => { child.stdin.end(); await closed } }
}

/** Opens the terminal's address in an app window of a browser. The address carries the one-time launch token. */
export function openBrowserWindow(browser: Browser, address: string, userDataFolder: string): OpenWindow {
  return runLeashed(browser.program, browserArguments(address, userDataFolder, process.getuid?.() === 0), 'ignore')
}
