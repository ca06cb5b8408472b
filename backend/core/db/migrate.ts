import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { programVersion } from '../program/process.ts'
import type { Database } from './database.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  /**
   * Oldest schema whose program may open and write a database after this migration.
   * See docs/decisions/0027-one-release-back.md.
   */
  readonly readableFrom: number
}

export class SchemaTooNewError extends Error {
  override name = 'SchemaTooNewError'
}

const READABLE_FROM = /^-- readable from: (\d+)\n/

/**
 * Reads `NNNN_name.sql` files, numbered from 1 without a gap. Statements of released files never change, comments may
 * (`migrations/sha256sums.txt`). The first line of each states the oldest program that can open the result
 * (docs/releases.md). Throws when that line is missing or its number is out of bounds.
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
        `migration ${migration.number}_${migration.name} must begin with a line \`-- readable from: N\`, where ` +
          `N is from ${least} (the value of the previous migration) to ${migration.number} (its own number)`,
      )
  })
  return migrations
}

/**
 * Migrates the schema to the newest version and runs `finish` in one transaction, so that no intermediate schema is
 * ever on disk. Makes an online backup to `backupFile(version)` first when there is data. Leaves a newer database
 * unchanged when this program may open it, and throws SchemaTooNewError otherwise.
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
 * Returns the schema version, which may be newer than this program's. Throws SchemaTooNewError when this program may
 * not open the database.
 */
export function schemaOf(db: Database, migrations: readonly Migration[]): number {
  const found = readSchema(db)
  const refusal = whyTooNew(found, migrations.length)
  if (refusal !== null) throw new SchemaTooNewError(`this database has ${refusal}. Nothing was changed.`)
  return found.schema
}

/**
 * Row that states which programs may open a database, written with every migration. Its table never changes, because
 * older programs read it before they know anything else about the database.
 */
export interface SchemaMark {
  readonly schema: number
  readonly readableFrom: number
  readonly program: string
}

/** Reads the schema mark; null for an empty database or one that is not of a terminal. */
export function readSchemaMark(db: Database): SchemaMark | null {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_mark'").get()
  if (table === undefined) return null
  return (
    db
      .prepare<[], SchemaMark>('SELECT schema, readable_from AS readableFrom, program FROM schema_mark WHERE id = 1')
      .get() ?? null
  )
}

export function writeSchemaMark(db: Database, mark: SchemaMark): void {
  db.prepare(`INSERT INTO schema_mark (id, schema, readable_from, program)
    VALUES (1, @schema, @readableFrom, @program) ON CONFLICT (id) DO UPDATE
    SET schema = excluded.schema, readable_from = max(readable_from, excluded.readable_from),
      program = excluded.program`).run(mark)
}

export interface SchemaFound {
  readonly schema: number
  readonly mark: SchemaMark | null
}

export const readSchema = (db: Database): SchemaFound => ({
  schema: Number(db.pragma('user_version', { simple: true })),
  mark: readSchemaMark(db),
})

/**
 * Returns the reason why a program that knows schemas up to `known` may not open a database, as the end of a sentence
 * that begins with “it has”; null when it may.
 */
export function whyTooNew({ schema, mark }: SchemaFound, known: number): string | null {
  if (schema <= known || (mark !== null && mark.readableFrom <= known)) return null
  const needed =
    mark === null
      ? ''
      : `, Milepost ${mark.program} or a later one (no program older than schema ${mark.readableFrom} may open it)`
  return `schema ${schema} and this program knows ${known}; install the newer program${needed}`
}
