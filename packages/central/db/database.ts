import Database from 'better-sqlite3'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export type Db = Database.Database

/**
 * Schema scripts, applied in order, each once. The schema version of a database is the number of applied scripts. In a
 * released script, only comments may change.
 */
const SCHEMAS = ['./schema.sql', './schema-2.sql', './schema-3.sql', './schema-4.sql'] as const
const SCHEMA_VERSION = SCHEMAS.length

/**
 * Opens `central.db` in an existing folder and migrates it. Throws when a newer version wrote the file, because this
 * version could misread its ledger.
 */
export function openDatabase(folder: string): Db {
  const db = new Database(privateFile(folder, 'central.db'))
  db.pragma('journal_mode = WAL')
  // The library's default in WAL mode is NORMAL, which may lose acknowledged commits in a power cut.
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

/** Creates a file that only its owner can read, because SQLite would create it readable by others. Returns its path. */
function privateFile(folder: string, name: string): string {
  const file = join(folder, name)
  closeSync(openSync(file, 'a', 0o600))
  return file
}

const LOCK_TIMEOUT_MS = 3_000

/** Holds references to the locks, because garbage collection of a lock would unlock the folder while services run. */
const openLocks = new Set<Database.Database>()

/**
 * Creates and locks the data folder, because two processes on one ledger would overwrite each other's decisions. The
 * lock ends with the process. Returns its release function. Throws a readable error when another process holds the
 * lock.
 */
export function lockFolder(folder: string): () => void {
  makeFolder(resolve(folder))
  const lock = new Database(privateFile(folder, 'central.lock'), { timeout: LOCK_TIMEOUT_MS })
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
  openLocks.add(lock)
  return () => {
    openLocks.delete(lock)
    lock.close()
  }
}

/**
 * Creates a folder and its parents. Node's `recursive` option never returns when the system reports a missing parent
 * that exists, as in /proc.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have created the folder in the meantime; then there is no error.
    if (!existsSync(folder)) throw error
  }
}

/** Runs synchronous writes and resolves once they are durable. A job that throws is rolled back alone. */
export type Commit = <T>(work: () => T) => Promise<T>

interface Job {
  readonly run: () => void
  readonly complete: () => void
  readonly fail: (error: unknown) => void
}

/**
 * Commits all jobs of one event-loop tick in one transaction with a savepoint per job: one sync for all, and failed
 * jobs do not affect others.
 */
export function createCommitter(db: Db): Commit {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const mark = db.prepare('SAVEPOINT piece')
  const release = db.prepare('RELEASE piece')
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
    for (const job of jobs) job.complete()
  }

  return <T>(work: () => T) =>
    new Promise<T>((resolve, reject) => {
      let complete: () => void = () => undefined
      const run = (): void => {
        mark.run()
        try {
          const value = work()
          complete = () => resolve(value)
        } catch (error) {
          undo.run()
          complete = () => reject(error)
        }
        release.run()
      }
      waiting.push({ run, complete: () => complete(), fail: reject })
      if (waiting.length === 1) setImmediate(flush)
    })
}
