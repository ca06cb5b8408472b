import { writeSync } from 'node:fs'
import { z } from 'zod'

/**
 * What the shell tells the `npm start` that opened it, a line each on standard output. `refused`: the words are its
 * own, and so is the exit code.
 */
export type ShellReport = 'ready' | 'shown' | 'refused'
const ASKED_BY = 'MILEPOST_SHELL_REPORTS'
export const REPORTS_WANTED: Readonly<Record<string, string>> = { [ASKED_BY]: '1' }

export function report(what: ShellReport): void {
  if (process.env[ASKED_BY] === '1') write({ milepost: what })
}

function write(line: object): void {
  try {
    // At once: the next thing may be the end of the process.
    writeSync(1, `${JSON.stringify(line)}\n`)
  } catch {
    // Whoever wanted to know is gone.
  }
}

const Opened = z.strictObject({ milepost: z.literal('open'), address: z.url() })

/** A lane without a window can be opened at this address. Written where reports are wanted. */
export function reportOpen(address: string): void {
  if (process.env[ASKED_BY] === '1') write({ milepost: 'open', address })
}

/** The address in a line of output, whatever the language of the program's other lines; null: the line is no report. */
export function readOpenAddress(line: string): string | null {
  if (!line.startsWith('{"milepost":"open"')) return null
  try {
    return Opened.parse(JSON.parse(line)).address
  } catch {
    return null
  }
}

/** The report in a line of output, or null. */
export function readReport(line: string): ShellReport | null {
  const what = /^\{"milepost":"(ready|shown|refused)"\}$/.exec(line)?.[1]
  return what === 'ready' || what === 'shown' || what === 'refused' ? what : null
}
