import type { Database } from '../db/open.ts'
import { pagesOfDigests } from '../outbox/operation-digest.ts'
import type { Seal } from '../outbox/seal.ts'
import { DIGESTED } from '../outbox/operation-rows.ts'
import { digestOf, rowDigests, WITHOUT_DIGEST } from './digests.ts'
import { codecOf, readEvidenceRow } from './state.ts'

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
