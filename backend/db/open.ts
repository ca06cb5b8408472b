import Database from 'better-sqlite3'

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
