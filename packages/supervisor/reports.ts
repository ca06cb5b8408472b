import { writeSync } from 'node:fs'
import { z } from 'zod'

/**
 * Reports from the Electron shell to the parent `npm start`, one line each on standard output. `refused`: the shell has
 * printed the reason, and sets the exit code.
 */
export type ShellReport = 'ready' | 'shown' | 'refused'
const ASKED_BY = 'MILEPOST_SHELL_REPORTS'
export const REPORTS_ENABLED: Readonly<Record<string, string>> = { [ASKED_BY]: '1' }

export function report(what: ShellReport): void {
  if (process.env[ASKED_BY] === '1') write({ milepost: what })
}

function write(line: object): void {
  try {
    // The write is synchronous, because the process may end right after it.
    writeSync(1, `${JSON.stringify(line)}\n`)
  } catch {}
}

const Opened = z.strictObject({ milepost: z.literal('open'), address: z.url() })

/** Reports the address of a lane without a window, if reports are enabled. */
export function reportOpen(address: string): void {
  if (process.env[ASKED_BY] === '1') write({ milepost: 'open', address })
}

/** Reads the address from a line of output, independent of the program’s language; null if the line is no report. */
export function readOpenAddress(line: string): string | null {
  if (!line.startsWith('{"milepost":"open"')) return null
  try {
    return Opened.parse(JSON.parse(line)).address
  } catch {
    return null
  }
}

export function readReport(line: string): ShellReport | null {
  const what = /^\{"milepost":"(ready|shown|refused)"\}$/.exec(line)?.[1]
  return what === 'ready' || what === 'shown' || what === 'refused' ? what : null
}
