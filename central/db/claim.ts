import Database from 'better-sqlite3'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Services that were told to stop a moment ago still hold the folder: they are waited for as long as this. */
const PATIENCE_MS = 3_000

/**
 * A lock that nobody refers to would be closed by the garbage collector, and the folder would be free under running
 * services.
 */
const held = new Set<Database.Database>()

/**
 * Makes the data folder where it is missing and claims it: two processes on one ledger would each decide by what the
 * other has not written yet. The claim is a lock of the operating system, so that it ends with the process, however
 * that ends. Returns what gives the folder back. Throws in words when others hold it; errors of the file system as they
 * are.
 */
export function claimFolder(folder: string): () => void {
  makeFolder(resolve(folder))
  const lock = new Database(join(folder, 'central.lock'), { timeout: PATIENCE_MS })
  try {
    lock.pragma('locking_mode = EXCLUSIVE')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!(error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))) throw error
    throw new Error(
      `Central services are already running on the data folder ${folder}. Use those, or start these with ` +
        'another --data folder.',
      { cause: error },
    )
  }
  held.add(lock)
  return () => {
    held.delete(lock)
    lock.close()
  }
}

/**
 * Node's own `recursive` never returns where the system says that the parent of a folder is missing although it stands,
 * as in /proc.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Somebody else has made it meanwhile.
    if (!existsSync(folder)) throw error
  }
}
