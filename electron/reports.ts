import { writeSync } from 'node:fs'

/**
 * What the shell tells the `npm start` that opened it, a line each on standard output. `refused`: the words are its
 * own, and so is the exit code.
 */
export type ShellReport = 'ready' | 'shown' | 'refused'
const ASKED_BY = 'MILEPOST_SHELL_REPORTS'
export const REPORTS_WANTED: Readonly<Record<string, string>> = { [ASKED_BY]: '1' }

export function report(what: ShellReport): void {
  if (process.env[ASKED_BY] !== '1') return
  try {
    // At once: the next thing may be the end of the process.
    writeSync(1, `${JSON.stringify({ milepost: what })}\n`)
  } catch {
    // Whoever wanted to know is gone.
  }
}

/** The report in a line of output, or null. */
export function readReport(line: string): ShellReport | null {
  const what = /^\{"milepost":"(ready|shown|refused)"\}$/.exec(line)?.[1]
  return what === 'ready' || what === 'shown' || what === 'refused' ? what : null
}
