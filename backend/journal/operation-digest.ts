import type { Database } from '../db/open.ts'
import { encoded, type Value } from '../integrity/digests.ts'
import type { Seal } from './seal.ts'

export type Fields = Readonly<Record<string, string>>

/**
 * The keyed digest of an operation, kept in its row: it names the newest entry of the journal, so that neither a changed
 * row nor an older one of the same operation passes. What is null is left out: a column that comes later changes no digest.
 */
export function operationDigests<Name extends string>(seal: Pick<Seal, 'authenticator'>, columns: Readonly<Record<Name, string>>) {
  const authenticate = seal.authenticator('digest of operations')
  const fields = Object.entries<string>(columns).toSorted(([, one], [, other]) => (one < other ? -1 : 1)) as [Name, string][]
  return (operation: Readonly<Record<Name, Value>>): Buffer => {
    const values: Value[] = []
    for (const [name, column] of fields) if (operation[name] !== null) values.push(column, operation[name])
    return authenticate(encoded('operation', values))
  }
}

type Row = Record<string, Value> & { digest: Buffer | null; rowid: number }

/** Every operation whose newest entry comes after `since`, with the digest that it should have. */
export function* digestsOfOperations(db: Database, seal: Pick<Seal, 'authenticator'>, columns: Fields, since = 0): Generator<{ id: string; rowid: number; kept: Buffer | null; made: Buffer }> {
  const there = new Set(db.prepare<[], string>("SELECT name FROM pragma_table_info('operation')").pluck().all())
  // A database of an earlier schema lacks the newest columns; what it lacks is null.
  const known = Object.fromEntries(Object.entries(columns).filter(([, column]) => there.has(column)))
  const digestOf = operationDigests(seal, known)
  const selected = Object.entries(known).map(([name, column]) => `${column === 'collector_hash' ? 'lower(hex(collector_hash))' : column} AS ${name}`)
  for (const row of db.prepare<[number], Row>(`SELECT rowid, digest, ${selected.join(', ')} FROM operation WHERE newest_entry > ?`).iterate(since)) {
    yield { id: String(row['id']), rowid: row.rowid, kept: row.digest, made: digestOf(row) }
  }
}
