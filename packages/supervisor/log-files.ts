import { appendFileSync, existsSync, renameSync, statSync } from 'node:fs'
import { isLogLine, logLine, LOG_TEXTS } from '../../contracts/core/log-fields.ts'

const LARGEST_BYTES = 5_000_000

const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0)

const asLogLine = (line: string, now: Date): string =>
  isLogLine(line) ? line : logLine('warn', LOG_TEXTS.unlogged, now, { output: line })

/**
 * Opens a log file that only its owner can read, and appends lines of one JSON object each. At 5 MB the file becomes
 * `<name>.1` and a new one begins, which reports how much was deleted, so that there are two files of bounded size. A
 * failed write never stops a sale: the next successful line reports the number of lost lines.
 */
export function openLog(
  file: string,
  { largestBytes = LARGEST_BYTES, now = () => new Date() } = {},
): (line: string) => void {
  let size = sizeOf(file)
  let lost = 0

  function append(line: string): void {
    const entry = `${line}\n`
    appendFileSync(file, entry, { mode: 0o600 })
    size += Buffer.byteLength(entry)
  }

  function rotate(): void {
    const bytes = sizeOf(`${file}.1`)
    renameSync(file, `${file}.1`)
    size = 0
    if (bytes > 0) append(logLine('info', LOG_TEXTS.older, now(), { bytes }))
  }

  return (line) => {
    if (line.trim() === '') return
    try {
      if (size > largestBytes) rotate()
      if (lost > 0) append(logLine('warn', LOG_TEXTS.lost, now(), { lines: lost }))
      lost = 0
      append(asLogLine(line, now()))
    } catch {
      // The write error is ignored: the database reports a full or missing disk, without which it cannot continue.
      lost += 1
    }
  }
}
