import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from './open.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
}

export class SchemaTooNewError extends Error {
  override name = 'SchemaTooNewError'
}

/** Reads `NNNN_name.sql` files. They are numbered from 1 without a gap, and each stays as it was first run: `migrations/sha256sums.txt`. */
export function readMigrations(folder: string = join(import.meta.dirname, 'migrations')): Migration[] {
  const migrations = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const match = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file)
      if (!match) throw new Error(`a migration is named NNNN_name.sql, not ${file}`)
      return { number: Number(match[1]), name: match[2] ?? '', sql: readFileSync(join(folder, file), 'utf8') }
    })
  migrations.forEach((migration, index) => {
    if (migration.number !== index + 1) throw new Error(`migration ${index + 1} is missing before ${migration.number}_${migration.name}`)
  })
  return migrations
}

/**
 * Brings the schema up to the newest migration; each in one transaction together with its `user_version`.
 * Takes an online backup to `backupFile(version)` first when there is data to protect.
 * Throws SchemaTooNewError for a database that a newer program wrote.
 */
export async function migrate(db: Database, migrations: readonly Migration[], backupFile?: (fromVersion: number) => string): Promise<void> {
  const current = Number(db.pragma('user_version', { simple: true }))
  const newest = migrations.at(-1)?.number ?? 0
  if (current > newest) throw new SchemaTooNewError(`this database has schema ${current}; this program knows ${newest}. Install the newer program.`)
  if (current === newest) return
  if (current > 0 && backupFile) await db.backup(backupFile(current))
  for (const migration of migrations.slice(current)) {
    db.transaction(() => {
      db.exec(migration.sql)
      db.pragma(`user_version = ${migration.number}`)
    }).immediate()
  }
}
