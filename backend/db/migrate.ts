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

/**
 * Reads `NNNN_name.sql` files. They are numbered from 1 without a gap, and each stays as it was first run:
 * `migrations/sha256sums.txt`.
 */
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
    if (migration.number !== index + 1)
      throw new Error(`migration ${index + 1} is missing before ${migration.number}_${migration.name}`)
  })
  return migrations
}

/**
 * Brings the schema up to the newest migration in one transaction, together with what `finish` does: no other schema is
 * ever found on the disk than those that a program was made for.
 * Takes an online backup to `backupFile(version)` first when there is data to protect.
 * Throws SchemaTooNewError for a database that a newer program wrote.
 */
export async function migrate(
  db: Database,
  migrations: readonly Migration[],
  backupFile?: (fromVersion: number) => string,
  finish?: () => void,
): Promise<void> {
  const current = schemaOf(db, migrations)
  if (current > 0 && current < migrations.length && backupFile) await db.backup(backupFile(current))
  migrateAtOnce(db, migrations, finish)
}

/** As `migrate`, without a backup: for a copy. */
export function migrateAtOnce(db: Database, migrations: readonly Migration[], finish?: () => void): void {
  const steps = migrations.slice(schemaOf(db, migrations))
  if (steps.length === 0) return
  db.transaction(() => {
    for (const { sql } of steps) db.exec(sql)
    db.pragma(`user_version = ${migrations.length}`)
    finish?.()
  }).immediate()
}

/** The schema of the database. Throws SchemaTooNewError when a newer program wrote it. */
export function schemaOf(db: Database, migrations: readonly Migration[]): number {
  const current = Number(db.pragma('user_version', { simple: true }))
  if (current > migrations.length)
    throw new SchemaTooNewError(
      `this database has schema ${current}; this program knows ${migrations.length}. Install the newer program.`,
    )
  return current
}
