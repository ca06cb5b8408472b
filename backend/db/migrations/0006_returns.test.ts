import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { TaxCategory } from '../../../contracts/regions.ts'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase, type Database } from '../open.ts'

const PRINT = 'print_job (id, sale_id, copy, document, open_drawer, state, started_at, created_at, detail)'
const LINE =
  'return_line (return_id, number, sale_line_number, sku, name_en, name_fr, quantity, unit_price_cents, tax_category, department_id)'
const REFUND = 'refund (return_id, number, kind, amount_cents, rounding_cents, operation_id, store_credit_code)'
const ENTRY = 'store_credit_entry (id, code, at, kind, amount_cents, return_id, operation_id, sale_id)'
const CODE = 'ABCDEFGHJKMNPQRT'

/**
 * A database of the schema before with a completed sale (line 1: three pieces; line 2: void; 12.59 in cash rounded to
 * 12.60, 10.00 in miles) and its receipt; then migrated, with a return of one piece that took 5.00 in cash back.
 */
async function migrated(): Promise<Database> {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  await migrate(db, readMigrations().slice(0, 5))
  db.exec(`
    INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'manager', 'en-CA');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at) VALUES ('S1', 1, 1, 'completed', '01', 'alex', 0, 1);
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at) VALUES ('S2', 2, 1, 'open', '01', 'alex', 0);
    INSERT INTO sale_line (sale_id, number, sku, name_en, name_fr, quantity, unit_price_cents, tax_category, department_id, voided)
      VALUES ('S1', 1, 'K', 'a', 'b', 3, 753, 'standard', 'd', 0), ('S1', 2, 'L', 'a', 'b', 1, 100, 'standard', 'd', 1), ('S2', 1, 'K', 'a', 'b', 3, 753, 'standard', 'd', 0);
    INSERT INTO operation (id, kind, intention, sale_id, collector_hash, state, created_at, changed_at) VALUES ('R1', 'redemption', 'redeem', 'S1', x'0a', 'approved', 1, 2);
    INSERT INTO tender (sale_id, number, kind, amount_cents, rounding_cents, tendered_cents, change_cents, at) VALUES ('S1', 1, 'cash', 1259, 1, 1300, 40, 1);
    INSERT INTO tender (sale_id, number, kind, amount_cents, tendered_cents, operation_id, at) VALUES ('S1', 2, 'miles', 1000, 1000, 'R1', 1);
    INSERT INTO ${PRINT} VALUES ('P2', 'S1', 0, '{"n":1}', 1, 'sent', 5, 4, 'x'), ('P1', 'S1', 1, '{}', 0, 'queued', NULL, 6, NULL);
  `)
  await migrate(db, readMigrations().slice(0, 6))
  db.exec(`
    INSERT INTO sale_return (id, sequence, sale_id, lane, cashier_id, at, subtotal_cents, taxes, total_cents) VALUES ('B1', 3, 'S1', '01', 'alex', 9, 753, '[]', 753);
    INSERT INTO sale_return (id, sequence, sale_id, lane, cashier_id, at, subtotal_cents, taxes, total_cents) VALUES ('B2', 4, 'S1', '01', 'alex', 9, 753, '[]', 753);
    INSERT INTO sale_return (id, sequence, lane, cashier_id, approved_by, reason, at, subtotal_cents, taxes, total_cents) VALUES ('B3', 5, '01', 'alex', 'alex', 'no receipt', 9, 753, '[]', 753);
    INSERT INTO ${LINE} VALUES ('B1', 1, 1, 'K', 'a', 'b', 1, 753, 'standard', 'd');
    INSERT INTO ${REFUND} VALUES ('B1', 1, 'cash', 500, 0, NULL, NULL);
    INSERT INTO store_credit (code, issued_at) VALUES ('${CODE}', 9);
    INSERT INTO ${ENTRY} VALUES (1, '${CODE}', 9, 'issued', 753, 'B3', NULL, NULL);
    INSERT INTO ${REFUND} VALUES ('B3', 1, 'store-credit', 753, 0, NULL, '${CODE}');
  `)
  return db
}

test('what was sold and printed before is there as it was', async () => {
  const db = await migrated()
  expect(
    db
      .prepare(
        `SELECT id, sale_id, copy, document, open_drawer, state, started_at, created_at, detail, return_id, store_credit_code FROM print_job ORDER BY rowid`,
      )
      .raw()
      .all(),
  ).toEqual([
    ['P2', 'S1', 0, '{"n":1}', 1, 'sent', 5, 4, 'x', null, null],
    ['P1', 'S1', 1, '{}', 0, 'queued', null, 6, null, null, null],
  ])
  expect(db.prepare('SELECT partner_rules_id, taxes FROM sale').raw().all()).toEqual([
    [null, null],
    [null, null],
  ])
  expect(db.pragma('foreign_key_check')).toEqual([])
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
})

const line = (returnId: string, saleLine: number | null, quantity: number, number = 1): string =>
  `INSERT INTO ${LINE} VALUES ('${returnId}', ${number}, ${saleLine}, 'K', 'a', 'b', ${quantity}, 753, 'standard', 'd')`
const refund = (
  returnId: string,
  kind: string,
  amount: number,
  rounding = 0,
  operation = 'NULL',
  code = 'NULL',
): string => `INSERT INTO ${REFUND} VALUES ('${returnId}', 2, '${kind}', ${amount}, ${rounding}, ${operation}, ${code})`

describe('what the database refuses', () => {
  test.each([
    ['more pieces than were sold', line('B2', 1, 3), 'more is returned than was sold'],
    [
      'more pieces than were sold, over two lines of one return',
      `${line('B2', 1, 1)}; ${line('B2', 1, 2, 2)}`,
      'more is returned than was sold',
    ],
    ['a void line', line('B2', 2, 1), 'more is returned than was sold'],
    ['a line that was never there', line('B2', 7, 1), 'more is returned than was sold'],
    ['goods of a known sale without naming its line', line('B2', null, 1), 'more is returned than was sold'],
    ['nothing at all', line('B2', 1, 0), 'CHECK'],
    [
      'goods of an open sale',
      `INSERT INTO sale_return (id, sequence, sale_id, lane, cashier_id, at, subtotal_cents, taxes, total_cents) VALUES ('B9', 9, 'S2', '01', 'alex', 9, 1, '[]', 1); ${line('B9', 1, 1)}`,
      'more is returned than was sold',
    ],
    [
      'a return without a record that nobody approved',
      "INSERT INTO sale_return (id, sequence, lane, cashier_id, at, subtotal_cents, taxes, total_cents) VALUES ('B9', 9, '01', 'alex', 9, 1, '[]', 1)",
      'CHECK',
    ],
    ['more cash than came in', refund('B2', 'cash', 765), 'more goes back than was paid'],
    ['more cash than came in, by rounding', refund('B2', 'cash', 760, 5), 'more goes back than was paid'],
    ['rounding of more than two roundings can be', refund('B2', 'cash', 5, 5), 'CHECK'],
    ['cash that coins cannot make', refund('B2', 'cash', 753), 'CHECK'],
    ['a card that paid nothing', refund('B2', 'card', 1), 'more goes back than was paid'],
    ['more miles than were redeemed', refund('B2', 'miles', 1001, 0, "'R1'"), 'more goes back than was paid'],
    [
      'more in all than was paid',
      `INSERT INTO store_credit VALUES ('BBBBBBBBBBBBBBBB', 9); ${refund('B2', 'store-credit', 1760, 0, 'NULL', "'BBBBBBBBBBBBBBBB'")}`,
      'more goes back than was paid',
    ],
    ['cash without a record', refund('B3', 'cash', 5), 'without a record only store credit'],
    ['miles without their redemption', refund('B2', 'miles', 100), 'CHECK'],
    [
      'one redemption reversed for two returns',
      `${refund('B2', 'miles', 500, 0, "'R1'")}; INSERT OR REPLACE INTO ${REFUND} VALUES ('B1', 3, 'miles', 500, 0, 'R1', NULL)`,
      'written once',
    ],
    ['a return is changed', "UPDATE sale_return SET total_cents = 0 WHERE id = 'B1'", 'written once'],
    ['a return is deleted', "DELETE FROM sale_return WHERE id = 'B2'", 'written once'],
    [
      'a return is replaced',
      "INSERT OR REPLACE INTO sale_return (id, sequence, sale_id, lane, cashier_id, at, subtotal_cents, taxes, total_cents) VALUES ('B2', 4, 'S1', '01', 'alex', 9, 0, '[]', 0)",
      'written once',
    ],
    ['a returned line is changed', 'UPDATE return_line SET quantity = 2', 'written once'],
    ['a returned line is deleted', 'DELETE FROM return_line', 'written once'],
    ['a returned line is replaced', line('B1', 1, 1).replace('INSERT', 'INSERT OR REPLACE'), 'written once'],
    ['a refund is changed', 'UPDATE refund SET amount_cents = 1', 'written once'],
    ['a refund is deleted', 'DELETE FROM refund', 'written once'],
    [
      'more credit is redeemed than there is',
      `INSERT INTO ${ENTRY} VALUES (2, '${CODE}', 9, 'redeemed', 700, NULL, NULL, 'S2'), (3, '${CODE}', 9, 'redeemed', 54, NULL, NULL, 'S2')`,
      'more than the store credit holds',
    ],
    [
      'credit that is not there is redeemed',
      `INSERT INTO store_credit VALUES ('BBBBBBBBBBBBBBBB', 9); INSERT INTO ${ENTRY} VALUES (2, 'BBBBBBBBBBBBBBBB', 9, 'redeemed', 1, NULL, NULL, 'S2')`,
      'more than the store credit holds',
    ],
    ['a credit entry is changed', 'UPDATE store_credit_entry SET amount_cents = 999', 'append-only'],
    ['a credit entry is deleted', 'DELETE FROM store_credit_entry', 'append-only'],
    [
      'a credit entry is replaced',
      `INSERT OR REPLACE INTO ${ENTRY} VALUES (1, '${CODE}', 9, 'issued', 999, 'B3', NULL, NULL)`,
      'append-only',
    ],
    [
      'a reversal that failed is credited twice',
      `INSERT INTO ${ENTRY} VALUES (2, '${CODE}', 9, 'issued', 5, 'B1', 'R1', NULL), (3, '${CODE}', 9, 'issued', 5, 'B1', 'R1', NULL)`,
      'append-only',
    ],
    [
      'a paper of nothing',
      "INSERT INTO print_job (id, copy, document, open_drawer, state, created_at) VALUES ('P9', 0, '{}', 0, 'queued', 1)",
      'CHECK',
    ],
    [
      'a paper of two things',
      "INSERT INTO print_job (id, sale_id, return_id, copy, document, open_drawer, state, created_at) VALUES ('P9', 'S1', 'B1', 0, '{}', 0, 'queued', 1)",
      'CHECK',
    ],
  ])('%s', async (_what, sql, words) => {
    const db = await migrated()
    expect(() => db.exec(sql)).toThrow(words)
  })
})

test('what is left may come back to the last piece and the last cent', async () => {
  const db = await migrated()
  db.exec(`${line('B2', 1, 2)}; ${refund('B2', 'cash', 759, 1)}; INSERT INTO ${REFUND} VALUES ('B2', 3, 'miles', 1000, 0, 'R1', NULL);
    INSERT INTO ${ENTRY} VALUES (2, '${CODE}', 9, 'redeemed', 753, NULL, NULL, 'S2')`)
  expect(
    db
      .prepare('SELECT sum(amount_cents), sum(rounding_cents) FROM refund WHERE return_id IN (?, ?)')
      .raw()
      .get('B1', 'B2'),
  ).toEqual([2259, 1])
})

test('goods of every tax category of the contract come back, and of no other', async () => {
  const db = await migrated()
  const back = db.prepare(`INSERT INTO ${LINE} VALUES ('B3', ?, NULL, 'K', 'a', 'b', 1, 100, ?, 'd')`)
  for (const [index, category] of TaxCategory.options.entries()) back.run(10 + index, category)
  expect(() => back.run(50, 'food')).toThrow('CHECK')
})

test('print jobs keep every index that they had', async () => {
  const indexes = (db: Database): unknown[] =>
    db
      .prepare(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'print_job' AND sql IS NOT NULL",
      )
      .raw()
      .all()
  const before = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    before.close()
  })
  await migrate(before, readMigrations().slice(0, 5))
  expect(indexes(before)).toHaveLength(3)
  expect(indexes(await migrated())).toEqual(expect.arrayContaining(indexes(before)))
})

test('the lists that are read often have an index', async () => {
  const db = await migrated()
  const plan = (sql: string): string =>
    db
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail)
      .join('; ')
  expect(plan("SELECT id FROM sale_return WHERE sale_id = 'S1' ORDER BY sequence")).toBe(
    'SEARCH sale_return USING INDEX sale_return_by_sale (sale_id=?)',
  )
  expect(plan("SELECT sum(amount_cents) FROM store_credit_entry WHERE code = 'X'")).toBe(
    'SEARCH store_credit_entry USING INDEX store_credit_entry_by_code (code=?)',
  )
  expect(
    plan("SELECT id FROM print_job WHERE sale_id = 'S' OR return_id = 'S' OR store_credit_code = 'S'"),
  ).not.toContain('SCAN print_job')
  expect(plan("SELECT id FROM print_job WHERE state = 'queued' ORDER BY created_at")).toBe(
    'SCAN print_job USING INDEX print_job_open',
  )
})
