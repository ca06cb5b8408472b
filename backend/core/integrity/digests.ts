import type { Database } from '../db/database.ts'
import type { Authenticate, Seal } from './seal.ts'

export type Value = string | number | bigint | null | Uint8Array

/**
 * The only tables without a digest of their rows; a new table gets one by default. Each table listed here needs a
 * reason in docs/reliability.md. The database also records the list of the program that last migrated it. See
 * docs/decisions/0020-tamper-evidence.md.
 */
export const WITHOUT_DIGEST: ReadonlySet<string> = new Set([
  // The journal's chain and the operations' own digests cover the first three.
  'journal_entry',
  'operation',
  'operation_call',
  'tamper_evidence',
  'command',
  // These tables hold data that is fetched, imported or rebuilt.
  'catalog_source',
  'offer_list',
  'search_waiting',
  'search_entry',
  'store_catalog_part',
  // Figures and preferences, which affect no money; changing them hides no other change.
  'echo_result',
  'echo_hour',
  'echo_outage',
  'lane_sound',
])

export interface CoveredTable {
  readonly name: string
  readonly columns: readonly string[]
}

export function coveredTables(db: Database, without: ReadonlySet<string>): CoveredTable[] {
  const tables = db
    .prepare<[], { name: string; type: string }>(
      "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name",
    )
    .all()
  return tables
    .filter(({ name }) => !name.startsWith('sqlite_') && !without.has(name))
    .map(({ name }) => ({ name, columns: columnsOf(db, name) }))
}

const columnsOf = (db: Database, table: string): string[] =>
  db.prepare<[string], string>('SELECT name FROM pragma_table_info(?) ORDER BY cid').pluck().all(table)

export const DIGEST_BYTES = 32

export interface TableDigest {
  readonly rows: number
  readonly sum: Buffer
}

export type RowDigest = (table: string, values: readonly Value[]) => Buffer

export const rowDigests = (seal: Pick<Seal, 'authenticator'>): RowDigest => {
  const authenticate: Authenticate = seal.authenticator('digest of rows')
  return (table, values) => authenticate(encoded(table, values))
}

/** Encodes a row unambiguously: every value is preceded by its type, and a text by its length. */
export function encoded(name: string, values: readonly Value[]): string {
  let text = name
  for (const value of values) {
    if (value === null) text += '|n'
    else if (typeof value === 'string') text += `|s${value.length}:${value}`
    else if (value instanceof Uint8Array)
      text += `|b${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
    else text += `|i${value}`
  }
  return text
}

/** Adds a row digest to the sum in place, or removes it: XOR does both. */
export function fold(sum: Buffer, digest: Buffer, at = 0): void {
  for (let index = 0; index < DIGEST_BYTES; index += 1) sum[at + index] = (sum[at + index] ?? 0) ^ (digest[index] ?? 0)
}

/**
 * Computes the digest of a table. Stops at row `most` + 1: if the result has more than `most` rows, the table is longer
 * and the digest is incomplete.
 */
export function digestOf(
  db: Database,
  { name, columns }: CoveredTable,
  digest: RowDigest,
  most = Number.MAX_SAFE_INTEGER,
): TableDigest {
  const sum = Buffer.alloc(DIGEST_BYTES)
  let rows = 0
  for (const row of db
    .prepare<[], Value[]>(`SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(name)}`)
    .raw()
    .iterate()) {
    rows += 1
    if (rows > most) break
    fold(sum, digest(name, row))
  }
  return { rows, sum }
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
