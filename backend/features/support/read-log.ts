import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { SupportFile } from '../../../contracts/api/support.ts'
import { createLogReading } from './log-lines.ts'

/** The file before, and the one that is being written: see `electron/log-files.ts`. */
export const LOG_FILES = ['backend.log.1', 'backend.log']
/** So much of the end of each is read. */
const MOST_BYTES = 1_000_000
/** Between so many lines the lane goes on. */
const LINES_AT_ONCE = 200

/** What the newest lines of the lane's own log say, by their structure. `folder`: the data folder's `logs`. */
export async function readLog(folder: string): Promise<Pick<SupportFile, 'log' | 'errors'>> {
  const reading = createLogReading()
  for (const name of LOG_FILES) {
    const lines = await endOf(join(folder, name))
    for (const [index, line] of lines.entries()) {
      reading.take(line)
      if (index % LINES_AT_ONCE === 0) await setImmediate()
    }
  }
  return reading.end()
}

/** The last whole lines of a file; none of one that is not there. */
async function endOf(file: string): Promise<string[]> {
  const handle = await open(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  })
  if (handle === null) return []
  try {
    const { size } = await handle.stat()
    const from = Math.max(0, size - MOST_BYTES)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from)
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
    return lines.slice(from > 0 ? 1 : 0).filter((line) => line !== '')
  } finally {
    await handle.close()
  }
}
