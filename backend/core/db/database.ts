import Database from 'better-sqlite3'
import { Names } from '../../../contracts/core/locales.ts'
import { closeSync, fsyncSync, openSync, statSync } from 'node:fs'

export type { Database } from 'better-sqlite3'

/**
 * Pages in the write-ahead log that trigger a checkpoint within a commit: four times SQLite's default. Pages changed by
 * many commits are written back once, and fewer sales wait for a checkpoint. After a crash its 16 MB are read within
 * 0.1 s.
 */
const CHECKPOINT_PAGES = 4_000

/**
 * Page cache of SQLite in KB; the default of this build is eight times as large. The upper pages of all indexes fit,
 * even with a million items, and the operating system caches the file as well.
 */
const CACHE_KB = 2_000

/**
 * Opens the terminal's database file for its only writer. WAL with synchronous=FULL: a commit that returned is on disk.
 * The library's build defaults to NORMAL in WAL, which may lose acknowledged commits in a power cut, so FULL is set and
 * read back after the first access. Throws when the file cannot be opened or a pragma did not apply.
 *
 * Write `column = +?` in statements that select by a parameter with an order or a maximum: this build of SQLite plans
 * by the parameter's value and therefore recompiles the statement at every use, which takes longer than the query. The
 * plus hides the value from the planner and changes nothing else.
 */
export function openDatabase(file: string): Database.Database {
  const db = new Database(file)
  try {
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma('foreign_keys = ON')
    db.pragma(`cache_size = -${CACHE_KB}`)
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    db.pragma('trusted_schema = OFF')
    db.pragma('busy_timeout = 2000')
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    expectPragma(db, 'journal_mode', 'wal')
    expectPragma(db, 'synchronous', 2)
    expectPragma(db, 'foreign_keys', 1)
    expectPragma(db, 'wal_autocheckpoint', CHECKPOINT_PAGES)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function expectPragma(db: Database.Database, name: string, expected: string | number): void {
  const actual = db.pragma(name, { simple: true })
  if (actual !== expected)
    throw new Error(`the database did not apply ${name}: ${String(actual)} instead of ${expected}`)
}

export const namesOf = (json: string): Names => Names.parse(JSON.parse(json))

/** Flushes a file or folder to disk. Windows cannot flush a folder. */
export function syncPath(path: string): void {
  const onWindows = process.platform === 'win32'
  if (onWindows && statSync(path).isDirectory()) return
  const fd = openSync(path, onWindows ? 'r+' : 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** First numbers of the sales and returns, Z reports, shifts and cash movements of an epoch. */
export interface EpochStart {
  readonly firstSequence: number
  readonly firstZ: number
  readonly firstShift: number
  readonly firstMovement: number
}

export interface NewEpoch extends EpochStart {
  readonly number: number
  readonly at: number
  readonly backup: string
}

/**
 * Epoch of the lane's numbers: 1 after its installation, and one more with each restore, so that no number is used
 * twice.
 */
export const epochOf = (db: Database.Database): number =>
  db.prepare<[], number>('SELECT coalesce(max(number), 1) FROM lane_epoch').pluck().get() ?? 1

/** Returns first numbers for a new epoch, above all those used in this database and in earlier epochs. */
export function numbersAfter(db: Database.Database): EpochStart {
  const row = db
    .prepare<[], EpochStart>(
      `SELECT
      max((SELECT coalesce(max(sequence), 0) FROM sale), (SELECT coalesce(max(sequence), 0) FROM sale_return),
        (SELECT coalesce(max(first_sequence), 1) - 1 FROM lane_epoch)) + 1 AS firstSequence,
      max((SELECT coalesce(max(number), 0) FROM z_report),
        (SELECT coalesce(max(first_z), 1) - 1 FROM lane_epoch)) + 1 AS firstZ,
      max((SELECT coalesce(max(id), 0) FROM shift),
        (SELECT coalesce(max(first_shift), 1) - 1 FROM lane_epoch)) + 1 AS firstShift,
      max((SELECT coalesce(max(id), 0) FROM cash_movement),
        (SELECT coalesce(max(first_movement), 1) - 1 FROM lane_epoch)) + 1 AS firstMovement`,
    )
    .get()
  if (!row) throw new Error('a SELECT without FROM answers a row')
  return row
}
