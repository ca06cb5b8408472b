import type { Database } from '../db/database.ts'
import type { Seal } from './seal.ts'
import { quoted, rowDigests, type CoveredTable, type Value } from './digests.ts'
import { codecOf, readEvidenceRow, TamperedError, type EvidenceRow } from './state.ts'

/**
 * Maintains the tamper record of a database, which counts its changes. `takeChanged`: whether this connection has
 * changed a covered row or the record itself since the last call.
 */
export interface Evidence {
  counter(): number
  takeChanged(): boolean
  /** Records that the mark outside the database was written, so that from now on a missing mark is detected. */
  confirmMark(): void
  /**
   * Raises the change counter above the counter of another database, so that the other database is recognised as older.
   */
  raiseCounter(counter: number): void
}

const UPDATE = (call: string): string => `UPDATE tamper_evidence SET counter = counter + 1, state = ${call}`

/**
 * Updates the table digests in each transaction of this connection: temporary triggers pass every changed row to this
 * program, and rolling back a savepoint rolls back the digest. The triggers are not in the file, so a row changed by
 * another program has no matching digest and is detected. Throws TamperedError when the tamper record itself was not
 * written by this program.
 */
export function followChanges(db: Database, seal: Seal): Evidence {
  const row = readEvidenceRow(db)
  if (!row) throw new TamperedError('the record of the table digests is missing')
  const { tables, codec } = codecOf(db, seal)
  codec.open(row)
  const digest = rowDigests(seal)
  let changed = false

  function changing(
    counter: number,
    marked: number,
    state: Buffer,
    table: string,
    rows: -1 | 0 | 1,
    digests: readonly Buffer[],
  ): Buffer {
    const plain = codec.open({ counter, marked, state })
    codec.change(plain, table, digests, rows)
    changed = true
    return codec.close(plain, { counter: counter + 1, marked })
  }
  // A trigger passes the tamper record, the table name, and the values of the new row, or of the old and the new row.
  const whole =
    (rows: -1 | 1) =>
    (counter: number, marked: number, state: Buffer, table: string, ...values: Value[]): Buffer =>
      changing(counter, marked, state, table, rows, [digest(table, values)])
  const options = { varargs: true, deterministic: false } as const
  db.function('evidence_added', options, whole(1))
  db.function('evidence_removed', options, whole(-1))
  db.function(
    'evidence_changed',
    options,
    (counter: number, marked: number, state: Buffer, table: string, ...values: Value[]) =>
      changing(counter, marked, state, table, 0, [
        digest(table, values.slice(0, values.length / 2)),
        digest(table, values.slice(values.length / 2)),
      ]),
  )
  // Without this pragma REPLACE deletes rows without running delete triggers.
  db.pragma('recursive_triggers = ON')
  for (const table of tables) db.exec(triggersOf(table))

  const select = db.prepare<[], number>('SELECT counter FROM tamper_evidence').pluck()
  const rewrite = db.prepare('UPDATE tamper_evidence SET counter = @counter, marked = @marked, state = @state')
  function set(change: (row: EvidenceRow) => { counter: number; marked: number }): void {
    db.transaction(() => {
      const now = readEvidenceRow(db)
      if (!now) throw new TamperedError('the record of the table digests is missing')
      const next = { ...now, ...change(now) }
      rewrite.run({ counter: next.counter, marked: next.marked, state: codec.close(codec.open(now), next) })
    }).immediate()
    changed = true
  }
  return {
    counter: () => select.get() ?? 0,
    takeChanged() {
      const was = changed
      changed = false
      return was
    },
    confirmMark: () => {
      if (readEvidenceRow(db)?.marked === 0) set(({ counter }) => ({ counter: counter + 1, marked: 1 }))
    },
    raiseCounter: (other) => {
      set(({ counter, marked }) => ({ counter: Math.max(counter, other) + 1, marked }))
    },
  }
}

function triggersOf({ name, columns }: CoveredTable): string {
  const record = `counter, marked, state, '${name.replaceAll("'", "''")}'`
  const values = (which: 'OLD' | 'NEW'): string => columns.map((column) => `${which}.${quoted(column)}`).join(', ')
  const trigger = (when: string, call: string): string =>
    `CREATE TEMP TRIGGER ${quoted(`evidence_${when}_${name}`)} AFTER ${when} ON main.${quoted(name)}
      BEGIN ${UPDATE(call)}; END;`
  return [
    trigger('INSERT', `evidence_added(${record}, ${values('NEW')})`),
    trigger('DELETE', `evidence_removed(${record}, ${values('OLD')})`),
    trigger('UPDATE', `evidence_changed(${record}, ${values('OLD')}, ${values('NEW')})`),
  ].join('\n')
}
