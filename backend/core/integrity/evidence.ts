import type { Database } from '../db/database.ts'
import type { Seal } from './seal.ts'
import { quoted, rowDigests, type CoveredTable, type Value } from './digests.ts'
import { codecOf, readEvidenceRow, TamperedError, type EvidenceRow } from './state.ts'

/** Follows every change that this connection makes, and knows how far the database has come. */
export interface Evidence {
  /** How many changes of covered rows were committed so far. */
  counter(): number
  /** Whether anything was changed since the last call; what was taken back may count. */
  takeChanged(): boolean
  /** From now on the mark outside the database is missed when it is gone. Call when it is on the disk. */
  markStands(): void
  /** Raises the counter above another's, so that what carries that one is older. */
  outrun(counter: number): void
}

const UPDATE = (call: string): string => `UPDATE tamper_evidence SET counter = counter + 1, state = ${call}`

/**
 * Keeps the digests of the tables true to what is written through this connection, in the transaction that writes it:
 * temporary triggers hand every changed row to this program, and a savepoint that is taken back takes the digest back
 * too. They are no part of the file: whoever writes past the program changes rows and not their digest, which is how it
 * is found. Throws TamperedError when the record itself is not what this program wrote.
 */
export function followChanges(db: Database, seal: Seal): Evidence {
  const row = readEvidenceRow(db)
  if (!row) throw new TamperedError('the record of what the tables add up to is gone')
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
  // The values of the row as it is, or as it was and as it is, behind those of the record and the name of the table.
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
  // REPLACE removes a row without asking the triggers of a removal, unless this is on.
  db.pragma('recursive_triggers = ON')
  for (const table of tables) db.exec(triggersOf(table))

  const select = db.prepare<[], number>('SELECT counter FROM tamper_evidence').pluck()
  const rewrite = db.prepare('UPDATE tamper_evidence SET counter = @counter, marked = @marked, state = @state')
  function set(change: (row: EvidenceRow) => { counter: number; marked: number }): void {
    db.transaction(() => {
      const now = readEvidenceRow(db)
      if (!now) throw new TamperedError('the record of what the tables add up to is gone')
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
    markStands: () => {
      if (readEvidenceRow(db)?.marked === 0) set(({ counter }) => ({ counter: counter + 1, marked: 1 }))
    },
    outrun: (other) => {
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
