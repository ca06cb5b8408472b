import type { Database } from '../db/open.ts'
import { encoded, type Value } from '../integrity/digests.ts'
import type { Seal } from './seal.ts'

export type Fields = Readonly<Record<string, string>>

/**
 * The keyed digest of an operation, kept in its row: it names the newest entry of the journal, so that neither a
 * changed row nor an older one of the same operation passes. What is null is left out: a column that comes later
 * changes no digest.
 */
export function operationDigests<Name extends string>(
  seal: Pick<Seal, 'authenticator'>,
  columns: Readonly<Record<Name, string>>,
) {
  const authenticate = seal.authenticator('digest of operations')
  const fields = Object.entries<string>(columns).toSorted(([, one], [, other]) => (one < other ? -1 : 1)) as [
    Name,
    string,
  ][]
  return (operation: Readonly<Record<Name, Value>>): Buffer => {
    const values: Value[] = []
    for (const [name, column] of fields) if (operation[name] !== null) values.push(column, operation[name])
    return authenticate(encoded('operation', values))
  }
}

type Row = Record<string, Value> & { digest: Buffer; rowid: number }

interface Digested {
  readonly id: string
  readonly rowid: number
  readonly kept: Buffer
  readonly made: Buffer
}

/** Every operation whose newest entry comes after `since`, with the digest that it should have. */
export function* digestsOfOperations(
  db: Database,
  seal: Pick<Seal, 'authenticator'>,
  columns: Fields,
  since = 0,
): Generator<Digested> {
  const { select, digested } = readingOf(db, seal, columns)
  for (const row of db.prepare<[number], Row>(`${select} WHERE newest_entry > ?`).iterate(since)) yield digested(row)
}

/**
 * The same of all of them, a page at a time: between two pages their rows may be written, and no more than one is in
 * memory.
 */
export function* pagesOfDigests(
  db: Database,
  seal: Pick<Seal, 'authenticator'>,
  columns: Fields,
  rows: number,
): Generator<Digested[]> {
  const { select, digested } = readingOf(db, seal, columns)
  const page = db.prepare<[number, number], Row>(`${select} WHERE rowid > ? ORDER BY rowid LIMIT ?`)
  for (let found = page.all(0, rows); found.length > 0; found = page.all(found.at(-1)?.rowid ?? 0, rows))
    yield found.map(digested)
}

function readingOf(db: Database, seal: Pick<Seal, 'authenticator'>, columns: Fields) {
  const there = new Set(db.prepare<[], string>("SELECT name FROM pragma_table_info('operation')").pluck().all())
  // A database of the release before may lack the newest columns; what it lacks is null.
  const known = Object.fromEntries(Object.entries(columns).filter(([, column]) => there.has(column)))
  const digestOf = operationDigests(seal, known)
  const selected = Object.entries(known).map(
    ([name, column]) => `${column === 'collector_hash' ? 'lower(hex(collector_hash))' : column} AS ${name}`,
  )
  return {
    select: `SELECT rowid, digest, ${selected.join(', ')} FROM operation`,
    digested: (row: Row): Digested => ({
      id: String(row['id']),
      rowid: row.rowid,
      kept: row.digest,
      made: digestOf(row),
    }),
  }
}
