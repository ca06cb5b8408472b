import Database from 'better-sqlite3'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export type Db = Database.Database

/**
 * Applied in order, each once; a file that was released never changes. The file's schema version is how many were
 * applied.
 */
const SCHEMAS = ['./schema.sql', './schema-2.sql', './schema-3.sql', './schema-4.sql'] as const
const SCHEMA_VERSION = SCHEMAS.length

/**
 * Opens the services' one database file, `central.db` in the folder, which must be there, and brings its schema up to
 * date. Throws when the file was written by a newer version: its ledger must not be read by half.
 */
export function openDatabase(folder: string): Db {
  const db = new Database(join(folder, 'central.db'))
  db.pragma('journal_mode = WAL')
  // The library's build defaults to NORMAL in WAL, which may lose acknowledged commits in a power cut.
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  const found = Number(db.pragma('user_version', { simple: true }))
  if (found > SCHEMA_VERSION) {
    db.close()
    throw new Error(
      `the data folder was written by a newer version (schema ${found}, this program knows ${SCHEMA_VERSION})`,
    )
  }
  for (const [index, file] of SCHEMAS.entries()) {
    if (index < found) continue
    db.transaction(() => {
      db.exec(readFileSync(new URL(file, import.meta.url), 'utf8'))
      db.pragma(`user_version = ${index + 1}`)
    })()
  }
  return db
}

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

/** Runs synchronous work that writes, and resolves once it is durable. Work that throws is undone alone. */
export type Commit = <T>(work: () => T) => Promise<T>

interface Job {
  readonly run: () => void
  readonly settle: () => void
  readonly fail: (error: unknown) => void
}

/**
 * Groups the work of one turn of the event loop into one durable transaction, each piece inside its own savepoint:
 * one sync to disk pays for all of them, and a piece that fails takes none of the others with it.
 */
export function createCommitter(db: Db): Commit {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const mark = db.prepare('SAVEPOINT piece')
  const keep = db.prepare('RELEASE piece')
  const undo = db.prepare('ROLLBACK TO piece')
  let waiting: Job[] = []

  const flush = (): void => {
    const jobs = waiting
    waiting = []
    try {
      begin.run()
      for (const job of jobs) job.run()
      commit.run()
    } catch (error) {
      if (db.inTransaction) rollback.run()
      for (const job of jobs) job.fail(error)
      return
    }
    for (const job of jobs) job.settle()
  }

  return <T>(work: () => T) =>
    new Promise<T>((resolve, reject) => {
      let settle: () => void = () => undefined
      const run = (): void => {
        mark.run()
        try {
          const value = work()
          settle = () => resolve(value)
        } catch (error) {
          undo.run()
          settle = () => reject(error)
        }
        keep.run()
      }
      waiting.push({ run, settle: () => settle(), fail: reject })
      if (waiting.length === 1) setImmediate(flush)
    })
}
