import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase, type Database } from '../open.ts'

const CODE = 'ABCDEFGHJKMNPQRT'
const NEW = 'A'.repeat(32)
const ENTRY = 'voucher_entry (voucher_id, at, kind, amount_cents, return_id, sale_id, sale_line_number)'
const REFUND = 'refund (return_id, number, kind, paid_by, amount_cents, rounding_cents, operation_id, voucher_id)'

/** A database of the schema before: a sale for $22.59 in cash and $10.00 in miles, a return of it with store credit, and their papers; then migrated. */
async function migrated(): Promise<Database> {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  await migrate(db, readMigrations().slice(0, 8))
  db.exec(`
    INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'manager', 'en-CA');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at) VALUES ('S1', 1, 1, 'completed', '01', 'alex', 0, 1);
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at) VALUES ('S2', 2, 1, 'open', '01', 'alex', 0);
    INSERT INTO sale_line (sale_id, number, sku, name_en, name_fr, quantity, unit_price_cents, tax_category, department_id) VALUES ('S1', 1, 'K', 'a', 'b', 9, 500, 'standard', 'd'), ('S2', 1, 'G', 'a', 'b', 1, 500, 'zero-rated', 'd');
    INSERT INTO operation (id, kind, intention, sale_id, collector_hash, state, created_at, changed_at) VALUES ('R1', 'redemption', 'redeem', 'S1', x'0a', 'approved', 1, 2);
    INSERT INTO tender (sale_id, number, kind, amount_cents, rounding_cents, tendered_cents, change_cents, at) VALUES ('S1', 1, 'cash', 2259, 1, 2300, 40, 1);
    INSERT INTO tender (sale_id, number, kind, amount_cents, tendered_cents, reference, operation_id, at) VALUES ('S1', 2, 'miles', 1000, 1000, 'C1', 'R1', 1);
    INSERT INTO sale_return (id, sequence, sale_id, lane, cashier_id, at, subtotal_cents, taxes, total_cents) VALUES ('B1', 3, 'S1', '01', 'alex', 9, 1500, '[]', 1500), ('B2', 4, 'S1', '01', 'alex', 9, 500, '[]', 500);
    INSERT INTO store_credit (code, issued_at) VALUES ('${CODE}', 9);
    INSERT INTO store_credit_entry (id, code, at, kind, amount_cents, return_id) VALUES (1, '${CODE}', 9, 'issued', 500, 'B1');
    INSERT INTO refund (return_id, number, kind, amount_cents, reference, store_credit_code) VALUES ('B1', 1, 'cash', 1000, NULL, NULL), ('B1', 2, 'store-credit', 500, '${CODE}', '${CODE}');
    INSERT INTO print_job (id, sale_id, return_id, store_credit_code, copy, document, open_drawer, state, created_at) VALUES
      ('P1', 'S1', NULL, NULL, 0, '{"n":1}', 1, 'sent', 4), ('P2', NULL, 'B1', NULL, 0, '{"code":"${CODE}"}', 1, 'sent', 5), ('P3', NULL, NULL, '${CODE}', 0, '{"code":"${CODE}"}', 0, 'failed', 6);
  `)
  await migrate(db, readMigrations().slice(0, 9))
  db.exec(`
    INSERT INTO voucher (id, kind, code_hash, code_sealed, last4, issued_at) VALUES ('${NEW}', 'gift-card', x'01', x'02', 'QRST', 9);
    INSERT INTO ${ENTRY} VALUES ('${NEW}', 9, 'issued', 500, NULL, 'S2', 1);
    INSERT INTO ${ENTRY} VALUES ('${NEW}', 9, 'redeemed', 300, NULL, 'S1', NULL);
  `)
  return db
}

test('what was issued, refunded, paid and printed before is there as it was, and no paper or refund names a code any more', async () => {
  const db = await migrated()
  const [credit] = db
    .prepare<[], { id: string; kind: string; last4: string; open_code: string }>(
      "SELECT id, kind, last4, open_code FROM voucher WHERE kind = 'store-credit'",
    )
    .all()
  expect(credit).toMatchObject({ last4: 'PQRT', open_code: CODE })
  expect(db.prepare('SELECT voucher_id, kind, amount_cents, return_id FROM voucher_entry WHERE id = 1').get()).toEqual({
    voucher_id: credit?.id,
    kind: 'issued',
    amount_cents: 500,
    return_id: 'B1',
  })
  expect(
    db
      .prepare('SELECT number, kind, paid_by, amount_cents, reference, voucher_id FROM refund ORDER BY number')
      .raw()
      .all(),
  ).toEqual([
    [1, 'cash', 'cash', 1000, null, null],
    [2, 'store-credit', 'miles', 500, 'PQRT', credit?.id],
  ])
  expect(
    db
      .prepare(
        'SELECT number, kind, amount_cents, rounding_cents, change_cents, reference, operation_id, voucher_id FROM tender',
      )
      .raw()
      .all(),
  ).toEqual([
    [1, 'cash', 2259, 1, 40, null, null, null],
    [2, 'miles', 1000, 0, 0, 'C1', 'R1', null],
  ])
  expect(
    db.prepare('SELECT id, sale_id, return_id, voucher_id, document, state FROM print_job ORDER BY rowid').raw().all(),
  ).toEqual([
    ['P1', 'S1', null, null, '{"n":1}', 'sent'],
    ['P2', null, 'B1', null, '{"code":"************PQRT"}', 'sent'],
    ['P3', null, null, credit?.id, '{"code":"************PQRT"}', 'failed'],
  ])
  expect(db.pragma('foreign_key_check')).toEqual([])
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
})

test('a code from before is sealed once, and nothing else of a voucher ever changes', async () => {
  const db = await migrated()
  db.exec("UPDATE voucher SET code_hash = x'0b', code_sealed = x'0c', open_code = NULL WHERE open_code IS NOT NULL")
  expect(() => db.exec("UPDATE voucher SET code_hash = x'0d' WHERE kind = 'store-credit'")).toThrow('append-only')
})

describe('what the database refuses', () => {
  test.each([
    [
      'more than the voucher holds',
      `INSERT INTO ${ENTRY} VALUES ('${NEW}', 9, 'redeemed', 201, NULL, 'S1', NULL)`,
      'more than the voucher holds',
    ],
    [
      'more given back than a sale took',
      `INSERT INTO ${ENTRY} VALUES ('${NEW}', 9, 'given-back', 301, NULL, 'S1', NULL)`,
      'more than the voucher paid',
    ],
    [
      'given back twice',
      `INSERT INTO ${ENTRY} VALUES ('${NEW}', 9, 'given-back', 300, NULL, 'S1', NULL); INSERT INTO ${ENTRY} VALUES ('${NEW}', 9, 'given-back', 1, NULL, 'S1', NULL)`,
      'more than the voucher paid',
    ],
    [
      'given back to a sale that never took it',
      `INSERT INTO ${ENTRY} VALUES ('${NEW}', 9, 'given-back', 1, NULL, 'S2', NULL)`,
      'more than the voucher paid',
    ],
    ['issued twice', `INSERT INTO ${ENTRY} VALUES ('${NEW}', 9, 'issued', 1, 'B2', NULL, NULL)`, 'issued once'],
    [
      'a line that sells two',
      `INSERT INTO voucher (id, kind, code_hash, code_sealed, last4, issued_at) VALUES ('B', 'gift-card', x'05', x'02', 'QRST', 9); INSERT INTO ${ENTRY} VALUES ('B', 9, 'issued', 500, NULL, 'S2', 1)`,
      'UNIQUE',
    ],
    [
      'a second voucher of one code',
      "INSERT INTO voucher (id, kind, code_hash, code_sealed, last4, issued_at) VALUES ('B', 'gift-card', x'01', x'02', 'QRST', 9)",
      'append-only',
    ],
    ['an entry is changed', 'UPDATE voucher_entry SET amount_cents = 999', 'append-only'],
    ['an entry is deleted', 'DELETE FROM voucher_entry', 'append-only'],
    ['a voucher is deleted', 'DELETE FROM voucher', 'append-only'],
    [
      'a voucher without a sealed code',
      "INSERT INTO voucher (id, kind, last4, issued_at) VALUES ('B', 'gift-card', 'QRST', 9)",
      'CHECK',
    ],
    [
      'a tender of a voucher that names none',
      "INSERT INTO tender (sale_id, number, kind, amount_cents, tendered_cents, at) VALUES ('S2', 1, 'gift-card', 1, 1, 1)",
      'CHECK',
    ],
    [
      'cash that takes the place of miles',
      `INSERT INTO ${REFUND} VALUES ('B2', 1, 'cash', 'miles', 5, 0, NULL, NULL)`,
      'CHECK',
    ],
    [
      'store credit for more cash than came in',
      `INSERT INTO ${REFUND} VALUES ('B2', 1, 'store-credit', 'cash', 1261, 0, NULL, '${NEW}')`,
      'more goes back than was paid',
    ],
    [
      'store credit for what a voucher never paid',
      `INSERT INTO ${REFUND} VALUES ('B2', 1, 'store-credit', 'voucher', 1, 0, NULL, '${NEW}')`,
      'more goes back than was paid',
    ],
    [
      'store credit for nothing that is named',
      `INSERT INTO ${REFUND} VALUES ('B2', 1, 'store-credit', NULL, 1, 0, NULL, '${NEW}')`,
      'not said what had paid',
    ],
    [
      'more miles than were redeemed, with what went back as credit',
      `INSERT INTO ${REFUND} VALUES ('B2', 1, 'miles', 'miles', 501, 0, 'R1', NULL)`,
      'more goes back than was paid',
    ],
    ['a refund is changed', 'UPDATE refund SET amount_cents = 1', 'written once'],
    [
      'a gift receipt of a return',
      "INSERT INTO print_job (id, return_id, gift, copy, document, open_drawer, state, created_at) VALUES ('P9', 'B1', 1, 0, '{}', 0, 'queued', 1)",
      'CHECK',
    ],
  ])('%s', async (_what, sql, words) => {
    const db = await migrated()
    expect(() => db.exec(sql)).toThrow(words)
  })
})

test('two connections that want the last of a voucher at the same time: one gets it', async () => {
  const db = await migrated()
  const other = openDatabase(db.name)
  onTestFinished(() => {
    other.close()
  })
  const spend = `INSERT INTO ${ENTRY} VALUES ('${NEW}', 9, 'redeemed', 200, NULL, 'S1', NULL)`
  db.exec('BEGIN IMMEDIATE')
  db.exec(spend)
  other.pragma('busy_timeout = 0')
  expect(() => other.exec(`BEGIN IMMEDIATE; ${spend}; COMMIT`)).toThrow('locked')
  db.exec('COMMIT')
  expect(() => other.exec(spend)).toThrow('more than the voucher holds')
})

test('the lists that are read often have an index', async () => {
  const db = await migrated()
  const plan = (sql: string): string =>
    db
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail)
      .join('; ')
  expect(plan("SELECT sum(amount_cents) FROM voucher_entry WHERE voucher_id = 'X'")).toContain(
    'USING INDEX voucher_entry_by_voucher',
  )
  expect(plan("SELECT id FROM voucher WHERE code_hash = x'01'")).toContain('USING INDEX')
  expect(plan("SELECT id FROM print_job WHERE sale_id = 'S' OR return_id = 'S' OR voucher_id = 'S'")).not.toContain(
    'SCAN print_job',
  )
  expect(plan("SELECT id FROM print_job WHERE state = 'queued' ORDER BY created_at")).toBe(
    'SCAN print_job USING INDEX print_job_open',
  )
})
