import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase, type Database } from '../open.ts'

const CALL =
  'operation_call (operation_id, purpose, path, idempotency_key, trace_id, date_time, request_sealed, request_sha256, sends, first_sent_at)'

/** A database of the schema before, with a redemption that is being reversed and an issuance that waits; then migrated. */
async function migrated(): Promise<Database> {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  await migrate(db, readMigrations().slice(0, 2))
  db.exec(`
    INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'manager', 'en-CA');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at) VALUES ('S1', 1, 1, 'open', '01', 'alex', 0);
    INSERT INTO operation (id, kind, sale_id, collector_hash, state, created_at, changed_at, units) VALUES ('R1', 'redemption', 'S1', x'0a', 'reversing', 1, 2, 3);
    INSERT INTO operation (id, kind, sale_id, collector_hash, state, created_at, changed_at) VALUES ('I1', 'issuance', 'S1', x'0b', 'queued', 3, 3);
    INSERT INTO ${CALL} VALUES ('R1', 'redeem', '/r', 'K1', 't1', 'd1', x'01', x'a1', 1, 10), ('R1', 'reverse', '/v', 'K2', 't2', 'd2', x'02', x'a2', 4, 11), ('I1', 'issue', '/i', 'K3', 't3', 'd3', x'03', x'a3', 0, NULL);
    INSERT INTO journal_entry (seq, operation_id, at, to_state, detail, previous_hash, hash) VALUES (1, 'R1', 0, 'intent', '{}', x'00', x'00');
  `)
  await migrate(db, readMigrations().slice(0, 3))
  return db
}

test('what waited keeps its bytes, its key and its count of sends', async () => {
  const db = await migrated()
  expect(
    db
      .prepare(
        `SELECT operation_id, purpose, path, idempotency_key, trace_id, date_time, hex(request_sealed) AS bytes, hex(request_sha256) AS hash, sends, first_sent_at FROM operation_call ORDER BY idempotency_key`,
      )
      .raw()
      .all(),
  ).toEqual([
    ['R1', 'redeem', '/r', 'K1', 't1', 'd1', '01', 'A1', 1, 10],
    ['R1', 'reverse', '/v', 'K2', 't2', 'd2', '02', 'A2', 4, 11],
    ['I1', 'issue', '/i', 'K3', 't3', 'd3', '03', 'A3', 0, null],
  ])
  expect(
    db
      .prepare('SELECT id, intention, state, units, after_operation_id, corrects_id FROM operation ORDER BY id')
      .raw()
      .all(),
  ).toEqual([
    ['I1', 'issue', 'queued', null, null, null],
    ['R1', 'redeem', 'reversing', 3, null, null],
  ])
  expect(db.pragma('foreign_key_check')).toEqual([])
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
})

describe('what the database refuses', () => {
  test.each([
    [
      'the bytes of a call are changed',
      "UPDATE operation_call SET request_sealed = x'09' WHERE idempotency_key = 'K3'",
      'never change',
    ],
    ['a call is deleted', 'DELETE FROM operation_call', 'never deleted'],
    [
      'a call is stored twice',
      `INSERT OR REPLACE INTO ${CALL} VALUES ('I1', 'issue', '/i', 'K9', 't', 'd', x'03', x'a3', 0, NULL)`,
      'stored once',
    ],
    [
      'a key is used twice',
      `INSERT OR REPLACE INTO ${CALL} VALUES ('I1', 'return', '/i', 'K1', 't', 'd', x'03', x'a3', 0, NULL)`,
      'stored once',
    ],
    [
      'a call that has a key comes without',
      `INSERT INTO ${CALL} VALUES ('I1', 'return', '/i', NULL, 't', 'd', x'03', x'a3', 0, NULL)`,
      'CHECK',
    ],
    [
      'RECORD, which knows no key, comes with one',
      `INSERT INTO ${CALL} VALUES ('I1', 'record', '/i', 'K9', 't', 'd', x'03', x'a3', 0, NULL)`,
      'CHECK',
    ],
    [
      'a refused operation is corrected twice',
      "INSERT INTO operation (id, kind, intention, sale_id, collector_hash, state, created_at, changed_at, corrects_id) VALUES ('I2', 'issuance', 'issue', 'S1', x'0b', 'queued', 3, 3, 'I1'), ('I3', 'issuance', 'issue', 'S1', x'0b', 'queued', 3, 3, 'I1')",
      'UNIQUE',
    ],
    ['an operation means something unknown', "UPDATE operation SET intention = 'gift' WHERE id = 'I1'", 'CHECK'],
    [
      'a resolution is changed',
      "INSERT INTO operation_resolution VALUES ('R1', 1, 'alex', 'nothing-to-do', ''); UPDATE operation_resolution SET note = 'x'",
      'written once',
    ],
    [
      'a resolution is deleted',
      "INSERT INTO operation_resolution VALUES ('R1', 1, 'alex', 'nothing-to-do', ''); DELETE FROM operation_resolution",
      'written once',
    ],
    [
      'an approval is reported in two exports',
      "INSERT INTO reconciliation_export (id, business_day, at, staff_id, copy, rows, amount_cents, miles, sha256) VALUES (1, '2026-11-20', 1, 'alex', 0, 1, 1, 1, x'00'); INSERT INTO reconciliation_row VALUES ('R1', 1), ('R1', 1)",
      'UNIQUE',
    ],
    [
      'a business day has two originals',
      "INSERT INTO reconciliation_export (business_day, at, staff_id, copy, rows, amount_cents, miles, sha256) VALUES ('2026-11-20', 1, 'alex', 0, 1, 1, 1, x'00'), ('2026-11-20', 1, 'alex', 0, 1, 1, 1, x'00')",
      'UNIQUE',
    ],
  ])('%s', async (_what, sql, words) => {
    const db = await migrated()
    expect(() => db.exec(sql)).toThrow(words)
  })
})

test('two RECORDs without a key stand beside each other', async () => {
  const db = await migrated()
  db.exec(
    "INSERT INTO operation (id, kind, intention, sale_id, collector_hash, state, created_at, changed_at) VALUES ('C1', 'issuance', 'record', 'S1', x'0c', 'queued', 3, 3), ('C2', 'issuance', 'record', 'S1', x'0d', 'queued', 3, 3)",
  )
  db.exec(
    `INSERT INTO ${CALL} VALUES ('C1', 'record', '/i', NULL, 't', 'd', x'03', x'a3', 0, NULL), ('C2', 'record', '/i', NULL, 't', 'd', x'03', x'a3', 0, NULL)`,
  )
  expect(db.prepare("SELECT count(*) FROM operation_call WHERE purpose = 'record'").pluck().get()).toBe(2)
})
