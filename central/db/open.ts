import Database from 'better-sqlite3'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

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
