import type { Database } from './open.ts'

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
