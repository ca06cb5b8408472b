import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase, type Database } from '../open.ts'

/** The schema after this migration, with a sale, an operation on it, its call and its first entry. */
async function migrated(): Promise<Database> {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  await migrate(db, readMigrations().slice(0, 2))
  db.exec(`
    INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA');
    INSERT INTO audit_entry (id, at, kind) VALUES (1, 0, 'sign-in');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at) VALUES ('S1', 1, 1, 'open', '01', 'alex', 0);
    INSERT INTO sale_line (sale_id, number, sku, name_en, name_fr, quantity, unit_price_cents, tax_category, department_id) VALUES ('S1', 1, 'K', 'a', 'b', 1, 100, 'standard', 'd');
    INSERT INTO operation (id, kind, sale_id, collector_hash, state, created_at, changed_at) VALUES ('O1', 'redemption', 'S1', x'00', 'intent', 0, 0);
    INSERT INTO operation_call (operation_id, purpose, path, idempotency_key, trace_id, date_time, request_sealed, request_sha256) VALUES ('O1', 'redeem', '/p', 'K1', 't', 'd', x'00', x'00');
    INSERT INTO journal_entry (seq, operation_id, at, to_state, detail, previous_hash, hash) VALUES (1, 'O1', 0, 'intent', '{}', x'00', x'00');
  `)
  return db
}

test('the tables of sales, tenders, prints and the journal join those of the first, all of them strict', async () => {
  const db = await migrated()
  expect(db.pragma('user_version', { simple: true })).toBe(2)
  const added = db
    .prepare<[], { name: string; strict: number }>(
      "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .all()
  expect(added.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'sale',
      'sale_line',
      'operation',
      'operation_call',
      'journal_entry',
      'tender',
      'print_job',
    ]),
  )
  expect(added.filter(({ strict }) => !strict)).toEqual([])
  expect(db.pragma('foreign_key_check')).toEqual([])
})

const ENTRY = 'journal_entry (seq, operation_id, at, to_state, detail, previous_hash, hash)'
const CALL =
  'operation_call (operation_id, purpose, path, idempotency_key, trace_id, date_time, request_sealed, request_sha256)'

describe('what only grows', () => {
  test.each([
    ['an entry is changed', 'UPDATE journal_entry SET at = 1'],
    ['an entry is deleted', 'DELETE FROM journal_entry'],
    ['an entry is replaced', `INSERT OR REPLACE INTO ${ENTRY} VALUES (1, 'O1', 9, 'intent', '{}', x'00', x'00')`],
    [
      'an entry is upserted',
      `INSERT INTO ${ENTRY} VALUES (1, 'O1', 9, 'intent', '{}', x'00', x'00') ON CONFLICT (seq) DO UPDATE SET at = 9`,
    ],
    ['an entry is put before others', `INSERT INTO ${ENTRY} VALUES (0, 'O1', 9, 'intent', '{}', x'00', x'00')`],
    ['the bytes of a call are changed', "UPDATE operation_call SET request_sealed = x'01'"],
    ['the hash of a call is changed', "UPDATE operation_call SET request_sha256 = x'01'"],
    ['the key of a call is changed', "UPDATE operation_call SET idempotency_key = 'K2'"],
    ['the path of a call is changed', "UPDATE operation_call SET path = '/q'"],
    ['a call is deleted', 'DELETE FROM operation_call'],
    [
      'a call is replaced by its operation',
      `INSERT OR REPLACE INTO ${CALL} VALUES ('O1', 'redeem', '/p', 'K2', 't', 'd', x'01', x'01')`,
    ],
    [
      'a call is replaced by its key',
      `INSERT OR REPLACE INTO ${CALL} VALUES ('O1', 'reverse', '/p', 'K1', 't', 'd', x'01', x'01')`,
    ],
    ['an audit entry is changed', "UPDATE audit_entry SET kind = 'x'"],
    ['an audit entry is deleted', 'DELETE FROM audit_entry'],
    ['an audit entry is replaced', "INSERT OR REPLACE INTO audit_entry (id, at, kind) VALUES (1, 9, 'x')"],
  ])('refuses that %s', async (_what, sql) => {
    const db = await migrated()
    const kept = (): unknown =>
      ['journal_entry', 'operation_call', 'audit_entry'].map((table) => db.prepare(`SELECT * FROM ${table}`).all())
    const before = kept()
    expect(() => db.exec(sql)).toThrow(/append-only|never|stored once/)
    expect(kept()).toEqual(before)
  })

  test('but counts the sends of a call', async () => {
    const db = await migrated()
    db.exec('UPDATE operation_call SET sends = sends + 1, first_sent_at = 5')
    expect(db.prepare('SELECT sends, first_sent_at FROM operation_call').get()).toEqual({ sends: 1, first_sent_at: 5 })
  })
})

describe('what the database refuses by itself', () => {
  const SALE = 'INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at)'
  const TENDER =
    'INSERT INTO tender (sale_id, number, kind, amount_cents, tendered_cents, change_cents, operation_id, at)'
  test.each([
    ['a second open sale on a lane', `${SALE} VALUES ('S2', 2, 1, 'open', '01', 'alex', 0, NULL)`],
    ['a completed sale without an end', `${SALE} VALUES ('S2', 2, 1, 'completed', '01', 'alex', 0, NULL)`],
    ['an open sale with an end', `${SALE} VALUES ('S2', 2, 1, 'open', '02', 'alex', 0, 5)`],
    ['a number given to two sales', `${SALE} VALUES ('S2', 1, 1, 'open', '02', 'alex', 0, NULL)`],
    ['a sale of nobody', `${SALE} VALUES ('S2', 2, 1, 'open', '02', 'nobody', 0, NULL)`],
    ['a member without the sealed number', "UPDATE sale SET member_last4 = '0011'"],
    ['a balance kept that is no JSON', "UPDATE sale SET inquiry = '{'"],
    ['a quantity of nothing', 'UPDATE sale_line SET quantity = 0'],
    ['a price in dollars', 'UPDATE sale_line SET unit_price_cents = 1.5'],
    ['a redemption in a state of issuances', "UPDATE operation SET state = 'confirmed'"],
    ['a state that there is not', "UPDATE operation SET state = 'lost'"],
    [
      'an operation of no sale',
      "INSERT INTO operation (id, kind, sale_id, collector_hash, state, created_at, changed_at) VALUES ('O2', 'issuance', 'S9', x'00', 'queued', 0, 0)",
    ],
    ['an entry of no operation', `INSERT INTO ${ENTRY} VALUES (2, 'O9', 0, 'intent', '{}', x'00', x'00')`],
    ['miles as a tender without their redemption', `${TENDER} VALUES ('S1', 1, 'miles', 1000, 1000, 0, NULL, 0)`],
    ['cash that names a redemption', `${TENDER} VALUES ('S1', 1, 'cash', 1000, 1000, 0, 'O1', 0)`],
    ['change below nothing', `${TENDER} VALUES ('S1', 1, 'cash', 1000, 900, -100, NULL, 0)`],
    ['a sale deleted under its operation', "DELETE FROM sale WHERE id = 'S1'"],
  ])('%s', async (_what, sql) => {
    const db = await migrated()
    expect(() => db.exec(sql)).toThrow(/constraint failed|cannot store/)
  })
})

test('what is open, what needs a person and what goes to the reconciliation report is found by its own small index', async () => {
  const db = await migrated()
  const plan = (sql: string): string =>
    db
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail)
      .join('; ')
  expect(
    plan(
      "SELECT id FROM operation WHERE state IN ('intent', 'retry', 'reversing', 'queued', 'sent') ORDER BY created_at",
    ),
  ).toBe('SCAN operation USING INDEX operation_open')
  expect(
    plan(
      "SELECT id FROM operation WHERE state IN ('escalated', 'dead', 'rejected', 'reversal-expired', 'reversal-escalated') ORDER BY changed_at DESC LIMIT 9",
    ),
  ).toBe('SCAN operation USING INDEX operation_attention')
  expect(plan('SELECT id FROM operation WHERE approved_on_attempt > 1 ORDER BY created_at')).toBe(
    'SCAN operation USING INDEX operation_reconciliation',
  )
  expect(plan("SELECT id FROM print_job WHERE state = 'queued' ORDER BY created_at")).toBe(
    'SCAN print_job USING INDEX print_job_open',
  )
  expect(plan("SELECT id FROM sale WHERE lane = '01' AND state = 'open'")).toBe(
    'SEARCH sale USING INDEX sale_one_open_per_lane (lane=?)',
  )
  expect(plan("SELECT seq FROM journal_entry WHERE operation_id = 'O1' ORDER BY seq")).toBe(
    'SEARCH journal_entry USING COVERING INDEX journal_entry_by_operation (operation_id=?)',
  )
})
