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

export interface EvidenceRow {
  readonly counter: number
  /** 1 after the mark outside the database was written for the first time: from then on a missing mark is an error. */
  readonly marked: number
  readonly state: Buffer
}

/** Thrown when the database is not as this program left it. The message is for the person who starts the terminal. */
export class TamperedError extends Error {
  override name = 'TamperedError'
}

/**
 * Encodes and seals the digests of all tables in one value. Sealing keeps the digests secret and authenticated, and
 * binds them to the counter, so that an older value does not fit a newer counter.
 */
export function createStateCodec(seal: Seal, tables: readonly CoveredTable[], schema: Buffer) {
  const positions = new Map(tables.map(({ name }, index) => [name, DIGEST_BYTES + index * ENTRY_BYTES]))
  const length = DIGEST_BYTES + tables.length * ENTRY_BYTES
  let newest: { sealed: Buffer; plain: Buffer } | null = null

  const placeOfState = ({ counter, marked }: Omit<EvidenceRow, 'state'>): string =>
    placeOf('tamper_evidence', 'state', counter, marked)

  /** Opens the sealed digests, and returns a copy that the caller may change. Throws TamperedError. */
  function open(row: EvidenceRow): Buffer {
    if (newest?.sealed.equals(row.state)) return Buffer.from(newest.plain)
    let plain: Buffer
    try {
      plain = seal.open(row.state, placeOfState(row))
    } catch {
      throw new TamperedError('the record of the table digests was changed, or was made with another sealing key')
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
    if (position === undefined) throw new TamperedError(`the table ${table} is not covered by a digest`)
    return position
  }

  return {
    open,
    close,
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
 * Objects that SQLite itself adds to a schema: the counters of AUTOINCREMENT, the statistics of ANALYZE, and the
 * indexes of constraints, which have no SQL. A reserved name alone is not sufficient: a trigger, a view or an index
 * with SQL has effects under any name.
 */
const MADE_BY_SQLITE = `(type = 'table' AND (lower(name) = 'sqlite_sequence' OR name LIKE 'sqlite\\_stat%' ESCAPE '\\'))
  OR (type = 'index' AND name LIKE 'sqlite\\_autoindex\\_%' ESCAPE '\\' AND sql IS NULL)`

/**
 * Returns the digest of all objects of the schema that SQLite did not add itself, and of the names of the tables whose
 * rows have no digest.
 */
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

export function readEvidenceRow(db: Database): EvidenceRow | undefined {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'tamper_evidence'").get()
  if (table === undefined) return undefined
  return db.prepare<[], EvidenceRow>('SELECT counter, marked, state FROM tamper_evidence').get()
}

/** Returns the covered tables of a database and the codec of their digests. Throws TamperedError. */
export const codecOf = (db: Database, seal: Seal, uncovered: readonly string[] = uncoveredOf(db)) => {
  const tables = coveredTables(db, new Set(uncovered))
  return { tables, codec: createStateCodec(seal, tables, schemaDigest(db, uncovered)) }
}

const Names = z.array(z.string())

/**
 * The list of tables without a digest is read from the database and not from this program, because the previous release
 * must cover the same tables. Changing the list invalidates the sealed digests.
 */
function uncoveredOf(db: Database): string[] {
  const text = db.prepare<[], string>('SELECT uncovered FROM tamper_evidence').pluck().get()
  const names = Names.safeParse(text === undefined ? undefined : JSON.parse(text))
  if (!names.success) throw new TamperedError('the record of the table digests was changed')
  return names.data
}

/** Number of rows read and written at a time, because a year of operations does not fit the memory of a lane. */
const ROWS_A_PAGE = 1_000

/**
 * Adopts the current contents of the database as trusted: writes the digest of each operation, seals the digests of the
 * tables, and records the tables `without` a digest. Call it in the transaction of the migration, after the previous
 * contents were verified.
 */
export function adopt(db: Database, seal: Seal, without: ReadonlySet<string> = WITHOUT_DIGEST): void {
  const before = readEvidenceRow(db)
  const setDigest = db.prepare('UPDATE operation SET digest = ? WHERE rowid = ?')
  for (const page of pagesOfDigests(db, seal, DIGESTED, ROWS_A_PAGE))
    for (const { rowid, computed: made } of page) setDigest.run(made, rowid)

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
