import type { Database } from '../db/open.ts'
import { DIGESTED, placeOfCall, type NewCall } from '../journal/store.ts'
import { pagesOfDigests } from '../journal/operation-digest.ts'
import { placeOf, type Seal } from '../journal/seal.ts'
import { digestOf, quoted, rowDigests } from './digests.ts'
import { codecOf, readEvidenceRow } from './state.ts'

/**
 * Takes the database into care as it stands: binds sealed values to their rows, writes the digest of each operation, and
 * seals what the tables add up to. From here on the journal is chained under the key, with the old chain's end inside its
 * first keyed entry. Call in the transaction that brings the schema to its newest; what came before has been proved.
 */
export function adopt(db: Database, seal: Seal): void {
  const before = readEvidenceRow(db)
  if (!before) bindSealedValues(db, seal)
  const setDigest = db.prepare('UPDATE operation SET digest = ? WHERE rowid = ?')
  for (const page of pagesOfDigests(db, seal, DIGESTED, ROWS_A_PAGE))
    for (const { rowid, made } of page) setDigest.run(made, rowid)

  const { tables, codec } = codecOf(db, seal)
  const digest = rowDigests(seal)
  const row = before
    ? { counter: before.counter + 1, keyedFrom: before.keyedFrom, marked: before.marked }
    : {
        counter: 1,
        keyedFrom: db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM journal_entry').pluck().get() ?? 0,
        marked: 0,
      }
  const state = codec.compose(new Map(tables.map((table) => [table.name, digestOf(db, table, digest)])), row)
  db.prepare(`INSERT INTO tamper_evidence (id, counter, keyed_from, marked, state) VALUES (1, @counter, @keyedFrom, @marked, @state)
    ON CONFLICT (id) DO UPDATE SET counter = excluded.counter, marked = excluded.marked, state = excluded.state`).run({
    ...row,
    state,
  })
}

function bindSealedValues(db: Database, seal: Seal): void {
  // What could be taken back before the update cannot be afterwards: it may hold a number that is bound to no row.
  db.exec('DELETE FROM sale_undo')
  rebind(db, seal, { table: 'sale', sealed: 'member_sealed', key: ['id'] }, ({ id }) =>
    placeOf('sale', 'member_sealed', String(id)),
  )
  rebind(db, seal, { table: 'voucher', sealed: 'code_sealed', key: ['id'] }, ({ id }) =>
    placeOf('voucher', 'code_sealed', String(id)),
  )
  rebind(
    db,
    seal,
    { table: 'sale_gift_card', sealed: 'code_sealed', key: ['sale_id', 'line_number'] },
    ({ sale_id: id, line_number: line }) => placeOf('sale_gift_card', 'code_sealed', String(id), Number(line)),
  )
  rebind(
    db,
    seal,
    { table: 'operation_call', sealed: 'request_sealed', key: ['operation_id', 'purpose'], bound: CALL_COLUMNS },
    (row) => placeOfCall(String(row['operation_id']), row as unknown as NewCall),
  )
}

/** What the bytes of a call are bound to besides their row. */
const CALL_COLUMNS = ['path', 'idempotency_key AS idempotencyKey', 'trace_id AS traceId', 'date_time AS dateTime']

/** A year of calls is more than a lane has memory for: so many rows are read and written at a time. */
const ROWS_A_PAGE = 1_000

interface SealedColumn {
  readonly table: string
  readonly sealed: string
  /** The primary key, in its order: the pages follow it, and no row is changed in it. */
  readonly key: readonly string[]
  readonly bound?: readonly string[]
}
type SealedRow = Record<string, unknown> & { readonly sealed: Buffer }

function rebind(
  db: Database,
  seal: Seal,
  { table, sealed, key, bound = [] }: SealedColumn,
  placeOfRow: (row: SealedRow) => string,
): void {
  const places = key.map(() => '?').join(', ')
  const select = `SELECT ${[...key, ...bound].join(', ')}, ${sealed} AS sealed FROM ${table} WHERE ${sealed} IS NOT NULL`
  const page = (after: string): string => `${select} ${after} ORDER BY ${key.join(', ')} LIMIT ${ROWS_A_PAGE}`
  const first = db.prepare<[], SealedRow>(page(''))
  const next = db.prepare<unknown[], SealedRow>(page(`AND (${key.join(', ')}) > (${places})`))
  withoutTriggers(db, table, () => {
    const write = db.prepare(`UPDATE ${table} SET ${sealed} = ? WHERE (${key.join(', ')}) = (${places})`)
    const keyOf = (row: SealedRow): unknown[] => key.map((column) => row[column])
    let rows = first.all()
    for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
      for (const row of rows) write.run(seal.seal(seal.openUnbound(row.sealed), placeOfRow(row)), ...keyOf(row))
      rows = next.all(...keyOf(last))
    }
  })
}

/** The triggers that keep a row as it was written keep a program from binding it too; they stand again when this returns. */
function withoutTriggers(db: Database, table: string, work: () => void): void {
  const triggers = db
    .prepare<[string], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?",
    )
    .all(table)
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${quoted(name)}`)
  work()
  for (const { sql } of triggers) db.exec(sql)
}
