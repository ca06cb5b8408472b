import { appendFileSync, existsSync, renameSync, statSync } from 'node:fs'

const LARGEST_BYTES = 5_000_000

/**
 * Appends lines to a log file that only its owner can read. At 5 MB the file becomes `<name>.1` and a new one begins,
 * so that a lane that runs for years keeps two files of bounded size. A log that cannot be written never stops a sale.
 */
export function openLog(file: string): (line: string) => void {
  let size = existsSync(file) ? statSync(file).size : 0
  return (line) => {
    try {
      if (size > LARGEST_BYTES) {
        renameSync(file, `${file}.1`)
        size = 0
      }
      const entry = `${line}\n`
      appendFileSync(file, entry, { mode: 0o600 })
      size += Buffer.byteLength(entry)
    } catch {
      // A full or missing disk is reported by the database, which cannot go on without it.
    }
  }
}
