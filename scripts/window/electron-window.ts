import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { withoutNodeMode } from '../../packages/supervisor/shell/shell-options.ts'
import { readReport, REPORTS_WANTED } from '../../packages/supervisor/reports.ts'
import { runGuarded } from '../../packages/supervisor/launcher/open-window.ts'

/** How the window of Electron ended: as it should or by a refusal of our own, or without ever having been seen. */
export type ElectronEnd =
  | { readonly kind: 'ended'; readonly code: number }
  | { readonly kind: 'not-shown'; readonly why: string; readonly lastLine: string }

export interface ElectronStart {
  readonly program: string
  readonly args: readonly string[]
  /** How long it may say nothing of itself before its window is shown. */
  readonly patienceMs: number
  readonly askedToEnd: Promise<unknown>
  readonly log: (line: string) => void
  readonly complain: (line: string) => void
}

/** Exit codes of the terminal that no other window would change: arguments, folder in use, data missing. */
const OWN_REFUSALS: ReadonlySet<number> = new Set([2, 3, 4])
const SIGNAL_BASE = 128

/**
 * Opens the shell and watches until its window is shown. One that ends before, but for our own reasons, or that shows
 * nothing for as long as it may, is ended, and something else can show the terminal instead.
 */
export async function openElectron(start: ElectronStart): Promise<ElectronEnd> {
  const { program, args, patienceMs, askedToEnd, log, complain } = start
  const env = { ...withoutNodeMode(process.env), ...REPORTS_WANTED }
  const shell = runGuarded(program, args, 'pipe', { env, inOrder: true })
  let shown = false
  let refused = false
  let ready = false
  let lastLine = ''
  const impatience = Promise.withResolvers<'impatient'>()
  let timer = setTimeout(impatience.resolve, patienceMs, 'impatient')
  const hear =
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
      // It lives and is on its way: the window has its own time after a backend that took long.
      ready = true
      timer = setTimeout(impatience.resolve, patienceMs, 'impatient')
    }
  if (shell.stdout !== null) createInterface({ input: shell.stdout }).on('line', hear(log))
  if (shell.stderr !== null) createInterface({ input: shell.stderr }).on('line', hear(complain))

  const end = await Promise.race([shell.closed, impatience.promise, askedToEnd.then(() => 'asked' as const)])
  clearTimeout(timer)
  if (end === 'asked' || end === 'impatient') await shell.close()
  if (end === 'asked') return { kind: 'ended', code: 0 }
  if (end === 'impatient') return { kind: 'not-shown', why: `it showed nothing for ${patienceMs / 1000} s`, lastLine }
  const code = end.code ?? 1
  // A window that is there before its page can be closed; before there is one, 0 is a window that nobody saw.
  if (shown || refused || (ready && code === 0) || OWN_REFUSALS.has(code)) return { kind: 'ended', code }
  const why = code > SIGNAL_BASE ? `signal ${code - SIGNAL_BASE} ended it` : `it ended with exit code ${code}`
  return { kind: 'not-shown', why, lastLine }
}

/** Where a lane remembers that a version of Electron never showed its window here. */
const memoryOf = (dataFolder: string): string => path.join(dataFolder, 'electron-failed.json')

export function rememberFailure(dataFolder: string, version: string, why: string): void {
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
    writeFileSync(memoryOf(dataFolder), JSON.stringify({ version, why }))
  } catch {
    // A folder that cannot be written is refused in words a moment later.
  }
}

/** Why this version failed here before, or null. */
export function rememberedFailure(dataFolder: string, version: string): string | null {
  try {
    const memory = JSON.parse(readFileSync(memoryOf(dataFolder), 'utf8')) as { version?: unknown; why?: unknown }
    return memory.version === version && typeof memory.why === 'string' ? memory.why : null
  } catch {
    return null
  }
}
