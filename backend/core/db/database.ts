import Database from 'better-sqlite3'
import { Names } from '../../../contracts/core/locales.ts'
import { closeSync, fsyncSync, openSync, statSync } from 'node:fs'

export type { Database } from 'better-sqlite3'

/**
 * The log is put into the database file when it holds so many pages, inside the commit that fills it. Four times
 * SQLite's own number: a page that many commits changed is written back once, and fewer sales meet that commit. 16 MB
 * are read again within a tenth of a second after a crash.
 */
const CHECKPOINT_PAGES = 4_000

/**
 * Pages of the database that are held, in kilobytes; the library's build would hold four times as many. The upper pages
 * of every index fit, of a million items too, and the system holds the file beside it.
 */
const CACHE_KB = 2_000

/**
 * Opens the terminal's database file for its only writer.
 * WAL with synchronous=FULL: a commit that returned is on disk. The library's build defaults to NORMAL in WAL,
 * which may lose acknowledged commits in a power cut, so FULL is set and read back after the first access.
 * Throws when the file cannot be opened or a pragma did not take.
 *
 * A statement that looks up by a parameter and gives an order, or the highest, is written `column = +?`: this build of
 * SQLite weighs such a plan by the parameter's value, and so compiles the statement anew at every use, which takes
 * longer than the look-up itself. The plus hides the value from the planner and changes nothing else.
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
    throw new Error(`the database did not take ${name}: ${String(actual)} instead of ${expected}`)
}

/** Reads a column of names by locale. */
export const namesOf = (json: string): Names => Names.parse(JSON.parse(json))

/** Puts on the disk what was written to a file, or the names in a folder. Windows has no way to sync a folder. */
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

/** The numbers with which an epoch begins: of sales and returns, of Z reports, shifts and cash movements. */
export interface EpochStart {
  readonly firstSequence: number
  readonly firstZ: number
  readonly firstShift: number
  readonly firstMovement: number
}

export interface NewEpoch extends EpochStart {
  readonly number: number
  readonly at: number
  /** Name of the backup that was restored. */
  readonly backup: string
}

/** In which epoch a lane is: 1 from its installation on, one more with each restore. */
export const epochOf = (db: Database.Database): number =>
  db.prepare<[], number>('SELECT coalesce(max(number), 1) FROM lane_epoch').pluck().get() ?? 1

/** Behind everything that this database has numbered, or had in the epochs before. */
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
