import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { programVersion } from '../program/process.ts'
import type { Database } from './database.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  /** The oldest schema whose program may open and write a database that went through this migration. */
  readonly readableFrom: number
}

export class SchemaTooNewError extends Error {
  override name = 'SchemaTooNewError'
}

/** The first line of a migration. */
const READABLE_FROM = /^-- readable from: (\d+)\n/

/**
 * Reads `NNNN_name.sql` files. They are numbered from 1 without a gap, and each stays as it was first run:
 * `migrations/sha256sums.txt`. Each says on its first line which programs may still open what it leaves
 * (docs/releases.md). Throws for one that does not, or not in its bounds.
 */
export function readMigrations(folder: string = join(import.meta.dirname, 'migrations')): Migration[] {
  const migrations = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const match = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file)
      if (!match) throw new Error(`a migration is named NNNN_name.sql, not ${file}`)
      const sql = readFileSync(join(folder, file), 'utf8')
      const readableFrom = Number(READABLE_FROM.exec(sql)?.[1] ?? 0)
      return { number: Number(match[1]), name: match[2] ?? '', sql, readableFrom }
    })
  migrations.forEach((migration, index) => {
    if (migration.number !== index + 1)
      throw new Error(`migration ${index + 1} is missing before ${migration.number}_${migration.name}`)
    const least = migrations[index - 1]?.readableFrom ?? 1
    if (migration.readableFrom < least || migration.readableFrom > migration.number)
      throw new Error(
        `migration ${migration.number}_${migration.name} begins with a line \`-- readable from: N\`, where N is from ` +
          `${least} (what the one before it says) to ${migration.number} (its own number)`,
      )
  })
  return migrations
}

/**
 * Brings the schema up to the newest migration in one transaction, together with what `finish` does: no other schema is
 * ever found on the disk than those that a program was made for.
 * Takes an online backup to `backupFile(version)` first when there is data to protect.
 * A database that a newer program wrote, and that says that this one may open it, stays as it is.
 * Throws SchemaTooNewError for any other of a newer program.
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
    const readableFrom = Math.max(...migrations.map((migration) => migration.readableFrom))
    writeSchemaMark(db, { schema: migrations.length, readableFrom, program: programVersion() })
    finish?.()
  }).immediate()
}

/**
 * The schema of the database: at most the newest of this program's migrations, or above it where its mark says that
 * this program may open it all the same. Throws SchemaTooNewError when it may not.
 */
export function schemaOf(db: Database, migrations: readonly Migration[]): number {
  const found = readSchema(db)
  const refusal = tooNew(found, migrations.length)
  if (refusal !== null) throw new SchemaTooNewError(`this database has ${refusal}. Nothing was changed.`)
  return found.schema
}

/**
 * Which programs may open a database: one row, written with every migration. It is read before anything is proved, and
 * by programs older than the schema: its table never changes its form.
 */
export interface SchemaMark {
  /** Number of the newest migration that it went through. */
  readonly schema: number
  /** The oldest schema whose program may open and write it. */
  readonly readableFrom: number
  /** Version of the program that brought it here. */
  readonly program: string
}

/** Null in a database without one: an empty one, or none of a terminal. */
export function readSchemaMark(db: Database): SchemaMark | null {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_mark'").get()
  if (table === undefined) return null
  return (
    db
      .prepare<[], SchemaMark>('SELECT schema, readable_from AS readableFrom, program FROM schema_mark WHERE id = 1')
      .get() ?? null
  )
}

/** Call in the transaction of the migration, before the database is taken into the key's care. */
export function writeSchemaMark(db: Database, mark: SchemaMark): void {
  db.prepare(`INSERT INTO schema_mark (id, schema, readable_from, program)
    VALUES (1, @schema, @readableFrom, @program) ON CONFLICT (id) DO UPDATE
    SET schema = excluded.schema, readable_from = max(readable_from, excluded.readable_from),
      program = excluded.program`).run(mark)
}

/** The schema of a database, with its mark. */
export interface SchemaFound {
  /** `PRAGMA user_version`; 0 of an empty database. */
  readonly schema: number
  readonly mark: SchemaMark | null
}

export const readSchema = (db: Database): SchemaFound => ({
  schema: Number(db.pragma('user_version', { simple: true })),
  mark: readSchemaMark(db),
})

/**
 * Why a program that knows schemas up to `known` may not open a database, as the end of a sentence that begins with “it
 * has”; null when it may.
 */
export function tooNew({ schema, mark }: SchemaFound, known: number): string | null {
  if (schema <= known || (mark !== null && mark.readableFrom <= known)) return null
  const needed =
    mark === null
      ? ''
      : `, Milepost ${mark.program} or a later one (no program older than schema ${mark.readableFrom} may open it)`
  return `schema ${schema} and this program knows ${known}; install the newer program${needed}`
}
