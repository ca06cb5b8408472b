import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { withoutNodeMode } from '../../packages/supervisor/shell/shell-options.ts'
import { readReport, REPORTS_ENABLED } from '../../packages/supervisor/reports.ts'
import { runGuarded } from '../../packages/supervisor/launcher/open-window.ts'

/** How Electron’s window ended: a normal end or a refusal of the terminal, or `not-shown`. */
export type ElectronEnd =
  | { readonly kind: 'ended'; readonly code: number }
  | { readonly kind: 'not-shown'; readonly why: string; readonly lastLine: string }

export interface ElectronStart {
  readonly program: string
  readonly args: readonly string[]
  readonly timeoutMs: number
  readonly stopRequested: Promise<unknown>
  readonly log: (line: string) => void
  readonly logError: (line: string) => void
}

/** Exit codes that would be the same with any window: invalid arguments, data folder in use, data missing. */
const OWN_REFUSALS: ReadonlySet<number> = new Set([2, 3, 4])
const SIGNAL_BASE = 128

/**
 * Opens the Electron shell and waits for its window. If the shell fails before, or times out, it is ended and the
 * caller can open a browser.
 */
export async function openElectron(start: ElectronStart): Promise<ElectronEnd> {
  const { program, args, timeoutMs, stopRequested, log, logError } = start
  const env = { ...withoutNodeMode(process.env), ...REPORTS_ENABLED }
  const shell = runGuarded(program, args, 'pipe', { env, endsGracefully: true })
  let shown = false
  let refused = false
  let ready = false
  let lastLine = ''
  const timeout = Promise.withResolvers<'impatient'>()
  let timer = setTimeout(timeout.resolve, timeoutMs, 'impatient')
  const onOutput =
    (pass: (line: string) => void) =>
    (line: string): void => {
      const report = readReport(line)
      if (report === null) {
        if (line.trim() !== '') lastLine = line.trim()
        return pass(line)
      }
      clearTimeout(timer)
      if (report === 'shown') shown = true
      if (report === 'refused') refused = true
      if (report !== 'ready') return
      // The backend is ready, so the window gets the full timeout again after a slow start.
      ready = true
      timer = setTimeout(timeout.resolve, timeoutMs, 'impatient')
    }
  if (shell.stdout !== null) createInterface({ input: shell.stdout }).on('line', onOutput(log))
  if (shell.stderr !== null) createInterface({ input: shell.stderr }).on('line', onOutput(logError))

  const end = await Promise.race([shell.closed, timeout.promise, stopRequested.then(() => 'asked' as const)])
  clearTimeout(timer)
  if (end === 'asked' || end === 'impatient') await shell.close()
  if (end === 'asked') return { kind: 'ended', code: 0 }
  if (end === 'impatient') return { kind: 'not-shown', why: `it showed no window for ${timeoutMs / 1000} s`, lastLine }
  const code = end.code ?? 1
  // The window can be closed before its page is loaded. An exit code 0 before the window exists is a failure.
  if (shown || refused || (ready && code === 0) || OWN_REFUSALS.has(code)) return { kind: 'ended', code }
  const why = code > SIGNAL_BASE ? `signal ${code - SIGNAL_BASE} ended it` : `it ended with exit code ${code}`
  return { kind: 'not-shown', why, lastLine }
}

const memoryOf = (dataFolder: string): string => path.join(dataFolder, 'electron-failed.json')

export function rememberFailure(dataFolder: string, version: string, why: string): void {
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
    writeFileSync(memoryOf(dataFolder), JSON.stringify({ version, why }))
  } catch {
    // An error is ignored here, because the data folder is checked later, with a message.
  }
}

export function rememberedFailure(dataFolder: string, version: string): string | null {
  try {
    const memory = JSON.parse(readFileSync(memoryOf(dataFolder), 'utf8')) as { version?: unknown; why?: unknown }
    return memory.version === version && typeof memory.why === 'string' ? memory.why : null
  } catch {
    return null
  }
}
