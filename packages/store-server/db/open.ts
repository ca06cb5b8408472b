import Database from 'better-sqlite3'
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { tablesNewer } from './migrate.ts'

export type Db = Database.Database

/** Another process (the command that makes codes) may be writing: it is waited for as long as this. */
const PATIENCE_MS = 10_000

/** Opens the server's one database file, `store.db` in the folder, which must be there. Its owner's alone. */
export function openDatabase(folder: string): Db {
  const file = join(folder, 'store.db')
  // SQLite gives its log and index the mode of the file itself.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  if (process.platform !== 'win32') chmodSync(file, 0o600)
  const db = new Database(file, { timeout: PATIENCE_MS })
  db.pragma('journal_mode = WAL')
  // The library's build defaults to NORMAL in WAL, which may lose acknowledged commits in a power cut.
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  // What is deleted is gone from the file too.
  db.pragma('secure_delete = ON')
  db.exec('CREATE TABLE IF NOT EXISTS schema_versions (feature TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT')
  return db
}

/**
 * Brings the tables of one feature up to date: its scripts in order, each once; a script that was released never
 * changes. Throws when a newer program wrote them.
 */
export function migrate(db: Db, feature: string, scripts: readonly string[]): void {
  db.transaction(() => {
    const found = db.prepare<[string], { version: number }>('SELECT version FROM schema_versions WHERE feature = ?')
    const version = found.get(feature)?.version ?? 0
    if (version > scripts.length) throw tablesNewer(feature, version, scripts.length)
    for (const script of scripts.slice(version)) db.exec(script)
    db.prepare(
      `INSERT INTO schema_versions (feature, version) VALUES (?, ?)
       ON CONFLICT (feature) DO UPDATE SET version = excluded.version`,
    ).run(feature, scripts.length)
  }).immediate()
}
