import { describe, expect, test } from 'vitest'
import { ISSUANCE, openSchema, type Refusal, type Row, type Schema } from './schema.fixture.ts'

/**
 * Fills a database with a sale, its redemption R1 with the call and first journal entry, and its queued issuance I1.
 */
async function withJournal(): Promise<Schema> {
  const schema = await openSchema()
  schema.insert('sale')
  schema.insert('operation')
  schema.insert('operation_call')
  schema.insert('journal_entry')
  schema.insert('operation', { id: 'I1', ...ISSUANCE })
  return schema
}

const call = (values: Row) => (schema: Schema) => {
  schema.insert('operation_call', { operation_id: 'I1', purpose: 'issue', idempotency_key: 'K2', ...values })
}
const operation = (values: Row) => (schema: Schema) => {
  schema.insert('operation', { id: 'I2', ...ISSUANCE, ...values })
}
const sql = (text: string) => (schema: Schema) => {
  schema.db.exec(text)
}

const RESOLVED = "INSERT INTO operation_resolution VALUES ('R1', 1, 'sam', 'nothing-to-do', '')"
const DRAFTED = "INSERT INTO operation_draft VALUES ('I1', '/r', 't', 'd', x'01', x'02')"
const exported = (id: number, copy: number): string =>
  `INSERT INTO reconciliation_export (id, business_day, at, staff_id, copy, rows, amount_cents, miles, sha256,
    report) VALUES (${id}, '2026-11-20', 1, 'sam', ${copy}, 1, 1, 1, x'00', ${copy === 0 ? "'{}'" : 'NULL'})`
const notice = (ended: string): string =>
  `INSERT INTO issuance_notice (code, subject, first_at, last_at, times, newest_operation_id, ended_at, ended_by,
    note) VALUES ('230', 'N101', 1, 1, 1, 'I1', ${ended})`

const REFUSED: readonly Refusal[] = [
  ['the update of an entry', sql('UPDATE journal_entry SET at = 1'), 'append-only'],
  ['the deletion of an entry', sql('DELETE FROM journal_entry'), 'append-only'],
  ['the replacement of an entry', ({ replace }) => replace('journal_entry', { at: 9 }), 'append-only'],
  [
    'the upsert of an entry',
    sql(
      `INSERT INTO journal_entry (seq, operation_id, at, to_state, detail, previous_hash, hash)
        VALUES (1, 'R1', 9, 'intent', '{}', x'00', x'00') ON CONFLICT (seq) DO UPDATE SET at = 9`,
    ),
    'append-only',
  ],
  ['an entry before the first', ({ insert }) => insert('journal_entry', { seq: 0 }), 'append-only'],
  [
    'an entry without its operation',
    ({ insert }) => insert('journal_entry', { seq: 2, operation_id: 'R9' }),
    'FOREIGN KEY',
  ],

  ['other bytes of a call', sql("UPDATE operation_call SET request_sealed = x'09'"), 'never changes'],
  ['another key of a call', sql("UPDATE operation_call SET idempotency_key = 'K9'"), 'never changes'],
  ['any update of a call', sql('UPDATE operation_call SET trace_id = trace_id'), 'never changes'],
  ['the deletion of a call', sql('DELETE FROM operation_call'), 'never deleted'],
  ['the replacement of a call', ({ replace }) => replace('operation_call', { idempotency_key: 'K9' }), 'stored once'],
  [
    'another call under its key',
    ({ replace }) => replace('operation_call', { operation_id: 'I1', purpose: 'issue' }),
    'stored once',
  ],
  ['a call without a key', call({ idempotency_key: null }), 'CHECK'],
  ['a key for RECORD, which has no key', call({ purpose: 'record' }), 'CHECK'],
  ['a changed request of a draft', sql(`${DRAFTED}; UPDATE operation_draft SET path = '/x'`), 'never changes'],
  ['the deletion of a draft', sql(`${DRAFTED}; DELETE FROM operation_draft`), 'never deleted'],

  ['a redemption in a state of issuances', sql("UPDATE operation SET state = 'sent' WHERE id = 'R1'"), 'CHECK'],
  ['an unknown state', sql("UPDATE operation SET state = 'lost'"), 'CHECK'],
  ['an unknown type', sql("UPDATE operation SET type = 'gift'"), 'CHECK'],
  ['an operation of an unknown sale', operation({ sale_id: 'S9' }), 'FOREIGN KEY'],
  ['an operation without its digest', operation({ digest: null }), 'NOT NULL'],
  ['a new operation that is not marked open', operation({ open: 0 }), 'CHECK'],
  ['a final state that is marked open', sql("UPDATE operation SET state = 'declined' WHERE id = 'R1'"), 'CHECK'],
  ['an open state that is marked final', sql("UPDATE operation SET open = 0 WHERE id = 'R1'"), 'CHECK'],
  [
    'a second correction of a refused operation',
    (schema) => {
      operation({ corrects_id: 'I1' })(schema)
      operation({ id: 'I3', corrects_id: 'I1' })(schema)
    },
    'UNIQUE',
  ],

  ['the update of a resolution', sql(`${RESOLVED}; UPDATE operation_resolution SET note = 'x'`), 'written once'],
  ['the deletion of a resolution', sql(`${RESOLVED}; DELETE FROM operation_resolution`), 'written once'],
  ['two originals of one business day', sql(`${exported(1, 0)}; ${exported(2, 0)}`), 'UNIQUE'],
  ['the deletion of an export', sql(`${exported(1, 0)}; DELETE FROM reconciliation_export`), 'written once'],
  ['a copy without a person', sql(exported(1, 1).replace("'sam'", 'NULL')), 'CHECK'],
  [
    'a second send of an original',
    sql(`${exported(1, 0)}; INSERT INTO reconciliation_sent VALUES (1, 1, 'sam', 'sent');
      INSERT INTO reconciliation_sent VALUES (1, 2, 'sam', 'sent')`),
    'UNIQUE',
  ],
  [
    'the update of an epoch',
    sql("INSERT INTO lane_epoch VALUES (2, 1, 'b', 1, 1, 1, 1); UPDATE lane_epoch SET first_z = 1"),
    'written once',
  ],
  [
    'an epoch with a lower number',
    sql("INSERT INTO lane_epoch VALUES (3, 1, 'b', 1, 1, 1, 1); INSERT INTO lane_epoch VALUES (2, 1, 'b', 1, 1, 1, 1)"),
    'written once',
  ],
  ['the update of an export', sql(`${exported(1, 0)}; UPDATE reconciliation_export SET rows = 2`), 'written once'],
  [
    'a second report of an approval',
    sql(`${exported(1, 0)}; ${exported(2, 1)}; INSERT INTO reconciliation_row VALUES ('R1', 1), ('R1', 2)`),
    'UNIQUE',
  ],
  [
    'two active notices of one subject',
    sql(`${notice('NULL, NULL, NULL')}; ${notice('NULL, NULL, NULL')}`),
    'UNIQUE constraint failed',
  ],
  ['an active notice with a settlement', sql(notice("NULL, 'sam', 'mended'")), 'CHECK'],
  ['a settlement without a note', sql(notice("2, 'sam', NULL")), 'CHECK'],
]

describe('the journal tables', () => {
  test.each(REFUSED)('reject rows and changes that break their constraints: %s', async (_case, ask, answer) => {
    const schema = await withJournal()
    const stored = (): unknown[] => [
      schema.all('SELECT seq, at FROM journal_entry'),
      schema.all('SELECT operation_id, purpose, path, idempotency_key, hex(request_sealed) FROM operation_call'),
    ]
    const before = stored()
    expect(() => ask(schema)).toThrow(answer)
    expect(stored()).toEqual(before)
  })
})

describe('the journal tables', () => {
  test('accept operations of a sale and of a return', async () => {
    const { insert, all } = await withJournal()
    insert('sale_return', { sale_id: null, approved_by: 'sam', reason: 'no receipt' })
    insert('operation', { id: 'I2', ...ISSUANCE, type: 'record', sale_id: 'B1' })
    expect(all("SELECT id FROM operation WHERE kind = 'issuance' ORDER BY id")).toEqual([['I1'], ['I2']])
  })

  test('accept two open RECORD calls without an idempotency key', async () => {
    const { insert, all } = await withJournal()
    for (const id of ['C1', 'C2']) {
      insert('operation', { id, ...ISSUANCE, type: 'record' })
      insert('operation_call', { operation_id: id, purpose: 'record', idempotency_key: null })
    }
    expect(all("SELECT count(*) FROM operation_call WHERE purpose = 'record'")).toEqual([[2]])
  })

  test('accept a notice that is raised again after it ended', async () => {
    const { db, all } = await withJournal()
    db.exec(`${notice("2, 'sam', 'mended'")}; ${notice('3, NULL, NULL')}; ${notice('NULL, NULL, NULL')}`)
    expect(all('SELECT count(*) FROM issuance_notice')).toEqual([[3]])
  })
})

test('queries of open, failed and reconciled operations, and of those of a sale, use their own indexes', async () => {
  const { plan } = await openSchema()
  expect(plan("SELECT id FROM operation WHERE collector_hash = x'01' AND open = 1")).toBe(
    'SEARCH operation USING INDEX operation_open (collector_hash=?)',
  )
  expect(
    plan(
      `SELECT id FROM operation
        WHERE state IN ('escalated', 'dead', 'rejected', 'reversal-expired', 'reversal-escalated')
        ORDER BY changed_at DESC LIMIT 9`,
    ),
  ).toBe('SCAN operation USING INDEX operation_attention')
  expect(plan('SELECT id FROM operation WHERE approved_on_attempt > 1 ORDER BY created_at')).toBe(
    'SCAN operation USING INDEX operation_reconciliation',
  )
  expect(plan("SELECT id FROM operation WHERE sale_id = 'S1' AND kind = 'issuance'")).toContain('operation_by_sale')
})
