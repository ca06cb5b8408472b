import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Database } from '../db/database.ts'
import { type Seal, placeOf } from './seal.ts'
import {
  type CoveredTable,
  DIGEST_BYTES,
  type TableDigest,
  WITHOUT_DIGEST,
  coveredTables,
  digestOf,
  fold,
  rowDigests,
} from './digests.ts'
import { DIGESTED, pagesOfDigests } from '../outbox/operation.ts'

const ROWS_BYTES = 8
const ENTRY_BYTES = ROWS_BYTES + DIGEST_BYTES

/** The one row of `tamper_evidence`. */
export interface EvidenceRow {
  /** Raised by every change of a covered row. */
  readonly counter: number
  /** 1: the mark outside the database has been written, and is missed when it is gone. */
  readonly marked: number
  readonly state: Buffer
}

/** Says that the database is not as this program left it. Its message is for the person who starts the terminal. */
export class TamperedError extends Error {
  override name = 'TamperedError'
}

/**
 * The digests of all covered tables in one sealed value: what the tables add up to is secret, so that nobody who
 * watches the file learns the digest of a row, and authentic. Bound to the counter, so that no older value fits a newer
 * counter.
 */
export function createStateCodec(seal: Seal, tables: readonly CoveredTable[], schema: Buffer) {
  const positions = new Map(tables.map(({ name }, index) => [name, DIGEST_BYTES + index * ENTRY_BYTES]))
  const length = DIGEST_BYTES + tables.length * ENTRY_BYTES
  let newest: { sealed: Buffer; plain: Buffer } | null = null

  const placeOfState = ({ counter, marked }: Omit<EvidenceRow, 'state'>): string =>
    placeOf('tamper_evidence', 'state', counter, marked)

  /** A copy that the caller may change. Throws TamperedError. */
  function open(row: EvidenceRow): Buffer {
    if (newest?.sealed.equals(row.state)) return Buffer.from(newest.plain)
    let plain: Buffer
    try {
      plain = seal.open(row.state, placeOfState(row))
    } catch {
      throw new TamperedError(
        'the record of what the tables add up to was changed, or was made with another sealing key',
      )
    }
    if (plain.length !== length || !plain.subarray(0, DIGEST_BYTES).equals(schema))
      throw new TamperedError('the tables or triggers of the database were changed')
    return plain
  }

  function close(plain: Buffer, row: Omit<EvidenceRow, 'state'>): Buffer {
    const sealed = seal.seal(plain, placeOfState(row))
    newest = { sealed, plain }
    return sealed
  }

  const positionOf = (table: string): number => {
    const position = positions.get(table)
    if (position === undefined) throw new TamperedError(`the table ${table} is not among those that are covered`)
    return position
  }

  return {
    open,
    close,
    /** The digests of all tables, as they are sealed for the first time or after a migration. */
    compose(digests: ReadonlyMap<string, TableDigest>, row: Omit<EvidenceRow, 'state'>): Buffer {
      const plain = Buffer.alloc(length)
      schema.copy(plain)
      for (const [name, { rows, sum }] of digests) {
        plain.writeBigUInt64LE(BigInt(rows), positionOf(name))
        sum.copy(plain, positionOf(name) + ROWS_BYTES)
      }
      return close(plain, row)
    },
    change(plain: Buffer, table: string, digests: readonly Buffer[], rows: -1 | 0 | 1): void {
      const at = positionOf(table)
      for (const digest of digests) fold(plain, digest, at + ROWS_BYTES)
      if (rows !== 0) plain.writeBigUInt64LE(plain.readBigUInt64LE(at) + BigInt(rows), at)
    },
    digestOf(plain: Buffer, table: string): TableDigest {
      const at = positionOf(table)
      return { rows: Number(plain.readBigUInt64LE(at)), sum: plain.subarray(at + ROWS_BYTES, at + ENTRY_BYTES) }
    },
  }
}

/**
 * What SQLite itself adds to a schema: the counters of AUTOINCREMENT, the statistics of ANALYZE, and the indexes of
 * constraints, which have no SQL of their own. A reserved name alone exempts nothing: a trigger, a view or an index
 * with SQL runs or refuses something, whatever its name is.
 */
const MADE_BY_SQLITE = `(type = 'table' AND (lower(name) = 'sqlite_sequence' OR name LIKE 'sqlite\\_stat%' ESCAPE '\\'))
  OR (type = 'index' AND name LIKE 'sqlite\\_autoindex\\_%' ESCAPE '\\' AND sql IS NULL)`

/** Digest of every other row of the schema, and of the names of the tables without a digest. */
function schemaDigest(db: Database, uncovered: readonly string[]): Buffer {
  const rows = db
    .prepare<[], { type: string; name: string; sql: string | null }>(
      `SELECT type, name, sql FROM main.sqlite_schema WHERE NOT (${MADE_BY_SQLITE}) ORDER BY type, name`,
    )
    .all()
  return createHash('sha256')
    .update(JSON.stringify([uncovered, ...rows.map(({ type, name, sql }) => [type, name, sql])]))
    .digest()
}

/** Undefined in an empty database, and where somebody took the record or its table away. */
export function readEvidenceRow(db: Database): EvidenceRow | undefined {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'tamper_evidence'").get()
  if (table === undefined) return undefined
  return db.prepare<[], EvidenceRow>('SELECT counter, marked, state FROM tamper_evidence').get()
}

/** The covered tables of a database and the codec of their digests. Throws TamperedError. */
export const codecOf = (db: Database, seal: Seal, uncovered: readonly string[] = uncoveredOf(db)) => {
  const tables = coveredTables(db, new Set(uncovered))
  return { tables, codec: createStateCodec(seal, tables, schemaDigest(db, uncovered)) }
}

const Names = z.array(z.string())

/**
 * As the database says it, and not as this program knows it: one release back must sum up the same tables. Somebody who
 * changes it changes what the sealed digests are bound to.
 */
function uncoveredOf(db: Database): string[] {
  const text = db.prepare<[], string>('SELECT uncovered FROM tamper_evidence').pluck().get()
  const names = Names.safeParse(text === undefined ? undefined : JSON.parse(text))
  if (!names.success) throw new TamperedError('the record of what the tables add up to was changed')
  return names.data
}

/** A year of operations is more than a lane has memory for: so many rows are read and written at a time. */
const ROWS_A_PAGE = 1_000

/**
 * Takes the database into care as it stands: writes the digest of each operation, and seals what the tables add up to.
 * Call in the transaction that brings the schema to its newest; what came before has been proved. Of the tables
 * `without` a digest it notes which they are.
 */
export function adopt(db: Database, seal: Seal, without: ReadonlySet<string> = WITHOUT_DIGEST): void {
  const before = readEvidenceRow(db)
  const setDigest = db.prepare('UPDATE operation SET digest = ? WHERE rowid = ?')
  for (const page of pagesOfDigests(db, seal, DIGESTED, ROWS_A_PAGE))
    for (const { rowid, made } of page) setDigest.run(made, rowid)

  const uncovered = [...without].toSorted()
  const { tables, codec } = codecOf(db, seal, uncovered)
  const digest = rowDigests(seal)
  const row = before ? { counter: before.counter + 1, marked: before.marked } : { counter: 1, marked: 0 }
  const state = codec.compose(new Map(tables.map((table) => [table.name, digestOf(db, table, digest)])), row)
  db.prepare(`INSERT INTO tamper_evidence (id, counter, marked, uncovered, state)
    VALUES (1, @counter, @marked, @uncovered, @state) ON CONFLICT (id) DO UPDATE
    SET counter = excluded.counter, marked = excluded.marked, uncovered = excluded.uncovered,
      state = excluded.state`).run({
    ...row,
    uncovered: JSON.stringify(uncovered),
    state,
  })
}
