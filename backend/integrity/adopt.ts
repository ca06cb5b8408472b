import type { Database } from '../db/open.ts'
import { DIGESTED, placeOfCall, type NewCall } from '../journal/store.ts'
import { digestsOfOperations } from '../journal/operation-digest.ts'
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
  // All are read before one is written: a statement that is still being stepped through lets nothing be written.
  for (const { rowid, made } of Array.from(digestsOfOperations(db, seal, DIGESTED))) setDigest.run(made, rowid)

  const { tables, codec } = codecOf(db, seal)
  const digest = rowDigests(seal)
  const row = before
    ? { counter: before.counter + 1, keyedFrom: before.keyedFrom, marked: before.marked }
    : { counter: 1, keyedFrom: db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM journal_entry').pluck().get() ?? 0, marked: 0 }
  const state = codec.compose(new Map(tables.map((table) => [table.name, digestOf(db, table, digest)])), row)
  db.prepare(`INSERT INTO tamper_evidence (id, counter, keyed_from, marked, state) VALUES (1, @counter, @keyedFrom, @marked, @state)
    ON CONFLICT (id) DO UPDATE SET counter = excluded.counter, marked = excluded.marked, state = excluded.state`).run({ ...row, state })
}

function bindSealedValues(db: Database, seal: Seal): void {
  // What could be taken back before the update cannot be afterwards: it may hold a number that is bound to no row.
  db.exec('DELETE FROM sale_undo')
  withoutTriggers(db, 'sale', () => {
    rebind(db, 'SELECT id, member_sealed AS sealed FROM sale WHERE member_sealed IS NOT NULL', 'UPDATE sale SET member_sealed = @bound WHERE id = @id', seal, ({ id }) => placeOf('sale', 'member_sealed', String(id)))
  })
  withoutTriggers(db, 'voucher', () => {
    rebind(db, 'SELECT id, code_sealed AS sealed FROM voucher WHERE code_sealed IS NOT NULL', 'UPDATE voucher SET code_sealed = @bound WHERE id = @id', seal, ({ id }) => placeOf('voucher', 'code_sealed', String(id)))
  })
  withoutTriggers(db, 'sale_gift_card', () => {
    rebind(db, 'SELECT sale_id AS id, line_number AS line, code_sealed AS sealed FROM sale_gift_card WHERE code_sealed IS NOT NULL', 'UPDATE sale_gift_card SET code_sealed = @bound WHERE sale_id = @id AND line_number = @line', seal,
      ({ id, line }) => placeOf('sale_gift_card', 'code_sealed', String(id), Number(line)))
  })
  withoutTriggers(db, 'operation_call', () => {
    rebind(db, `SELECT operation_id AS id, purpose, path, idempotency_key AS idempotencyKey, trace_id AS traceId, date_time AS dateTime, request_sealed AS sealed FROM operation_call`,
      'UPDATE operation_call SET request_sealed = @bound WHERE operation_id = @id AND purpose = @purpose', seal, (row) => placeOfCall(String(row['id']), row as unknown as NewCall))
  })
}

type SealedRow = Record<string, unknown> & { sealed: Buffer }

function rebind(db: Database, select: string, update: string, seal: Seal, placeOfRow: (row: SealedRow) => string): void {
  const write = db.prepare(update)
  for (const row of db.prepare<[], SealedRow>(select).all()) write.run({ ...row, bound: seal.seal(seal.openUnbound(row.sealed), placeOfRow(row)) })
}

/** The triggers that keep a row as it was written keep a program from binding it too; they stand again when this returns. */
function withoutTriggers(db: Database, table: string, work: () => void): void {
  const triggers = db.prepare<[string], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?").all(table)
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${quoted(name)}`)
  work()
  for (const { sql } of triggers) db.exec(sql)
}
