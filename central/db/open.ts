import Database from 'better-sqlite3'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Db = Database.Database

/** Raised when the schema in schema.sql changes in a way that an older file does not have. */
const SCHEMA_VERSION = 1

/**
 * Opens the services' one database file, `central.db` in the folder, and lays its schema when it is new.
 * Throws when the file was written by a newer version: its ledger must not be read by half.
 */
export function openDatabase(folder: string): Db {
  mkdirSync(folder, { recursive: true })
  const db = new Database(join(folder, 'central.db'))
  db.pragma('journal_mode = WAL')
  // The library's build defaults to NORMAL in WAL, which may lose acknowledged commits in a power cut.
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  const found = Number(db.pragma('user_version', { simple: true }))
  if (found > SCHEMA_VERSION) {
    db.close()
    throw new Error(`the data folder was written by a newer version (schema ${found}, this program knows ${SCHEMA_VERSION})`)
  }
  if (found === 0) {
    db.transaction(() => {
      db.exec(readFileSync(new URL('./schema.sql', import.meta.url), 'utf8'))
      db.pragma(`user_version = ${SCHEMA_VERSION}`)
    })()
  }
  return db
}
