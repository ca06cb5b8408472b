import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase, type Database } from '../open.ts'

const LINE =
  'sale_line (sale_id, number, sku, name_en, name_fr, quantity, unit_price_cents, tax_category, department_id)'
const DISCOUNT =
  'sale_discount (sale_id, number, reaches, target, off_cents, off_ppm, reason, coupon, name_en, name_fr, approved_by)'

/** A database of the schema before with people, an item, an open and a completed sale and a return; then migrated. */
async function migrated(): Promise<Database> {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  await migrate(db, readMigrations().slice(0, 7))
  db.exec(`
    INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA'), ('sam', 'Sam', 'manager', 'en-CA');
    INSERT INTO item (id, sku, name_en, name_fr, price_cents, tax_category, department_id) VALUES (1, 'K', 'a', 'b', 500, 'standard', 'd');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at) VALUES ('S1', 1, 4, 'open', '01', 'alex', 0);
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at) VALUES ('S2', 2, 1, 'completed', '01', 'alex', 0, 1);
    INSERT INTO ${LINE} VALUES ('S1', 1, 'K', 'a', 'b', 3, 500, 'standard', 'd'), ('S2', 1, 'K', 'a', 'b', 3, 500, 'standard', 'd');
    INSERT INTO sale_return (id, sequence, sale_id, lane, cashier_id, at, subtotal_cents, taxes, total_cents) VALUES ('B1', 3, 'S2', '01', 'alex', 9, 500, '[]', 500);
    INSERT INTO return_line (return_id, number, sale_line_number, sku, name_en, name_fr, quantity, unit_price_cents, tax_category, department_id) VALUES ('B1', 1, 1, 'K', 'a', 'b', 1, 500, 'standard', 'd');
  `)
  await migrate(db, readMigrations().slice(0, 8))
  return db
}
const all = (db: Database, sql: string): unknown => db.prepare(sql).raw().all()
const discount = (sale: string, number: number, rest: string): string =>
  `INSERT INTO ${DISCOUNT} VALUES ('${sale}', ${number}, ${rest})`
const BY_HAND = "'line', '1', 100, NULL, 'damaged', NULL, NULL, NULL, NULL"
const COUPON = "'sale', NULL, NULL, 50000, NULL, 'ALL5', 'a', 'b', NULL"

test('what was there before is as it was, with nothing taken off it', async () => {
  const db = await migrated()
  expect(all(db, 'SELECT role, supervises FROM staff ORDER BY id')).toEqual([
    ['cashier', 0],
    ['manager', 0],
  ])
  expect(all(db, 'SELECT price_cents, open_least_cents, open_most_cents FROM item')).toEqual([[500, null, null]])
  expect(all(db, 'SELECT note, exemption FROM sale')).toEqual([
    [null, null],
    [null, null],
  ])
  expect(all(db, 'SELECT unit_price_cents, regular_price_cents, note FROM sale_line')).toEqual([
    [500, null, null],
    [500, null, null],
  ])
  expect(all(db, 'SELECT unit_price_cents, discount_cents FROM return_line')).toEqual([[500, 0]])
  expect(db.pragma('foreign_key_check')).toEqual([])
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
})

describe('what the database refuses', () => {
  test.each([
    ['an item with one bound', 'UPDATE item SET open_least_cents = 1', 'CHECK'],
    ['bounds upside down', 'UPDATE item SET open_least_cents = 2, open_most_cents = 1', 'CHECK'],
    ['a note of nothing', "UPDATE sale SET note = ''", 'CHECK'],
    ['a note without end', `UPDATE sale_line SET note = '${'x'.repeat(121)}'`, 'CHECK'],
    [
      'a returned piece with more taken off than it cost',
      "INSERT INTO return_line (return_id, number, sale_line_number, sku, name_en, name_fr, quantity, unit_price_cents, tax_category, department_id, discount_cents) VALUES ('B1', 2, 1, 'K', 'a', 'b', 1, 500, 'standard', 'd', 501)",
      'CHECK',
    ],
    [
      'a discount that takes nothing',
      discount('S1', 1, "'line', '1', 0, NULL, 'damaged', NULL, NULL, NULL, NULL"),
      'CHECK',
    ],
    [
      'a discount of an amount and a share',
      discount('S1', 1, "'line', '1', 5, 5, 'damaged', NULL, NULL, NULL, NULL"),
      'CHECK',
    ],
    [
      'a discount by hand of nothing',
      discount('S1', 1, "'line', '1', NULL, NULL, 'damaged', NULL, NULL, NULL, NULL"),
      'CHECK',
    ],
    [
      'more than the whole',
      discount('S1', 1, "'line', '1', NULL, 1000001, 'damaged', NULL, NULL, NULL, NULL"),
      'CHECK',
    ],
    [
      'a discount on a line that says no line',
      discount('S1', 1, "'line', NULL, 5, NULL, 'damaged', NULL, NULL, NULL, NULL"),
      'CHECK',
    ],
    [
      'a discount without a reason or a coupon',
      discount('S1', 1, "'sale', NULL, 5, NULL, NULL, NULL, NULL, NULL, NULL"),
      'CHECK',
    ],
    ['a coupon without a name', discount('S1', 1, "'sale', NULL, 5, NULL, NULL, 'X', NULL, NULL, NULL"), 'CHECK'],
    [
      'an approver who is nobody',
      discount('S1', 1, "'sale', NULL, 5, NULL, 'damaged', NULL, NULL, NULL, 'ghost'"),
      'FOREIGN KEY',
    ],
    ['a discount on a closed sale', discount('S2', 1, BY_HAND), 'open sale'],
  ])('%s', async (_what, sql, refusal) => {
    const db = await migrated()
    expect(() => db.exec(sql)).toThrow(refusal)
  })

  test('a coupon twice on one sale, until it is taken off', async () => {
    const db = await migrated()
    db.exec(discount('S1', 1, COUPON))
    expect(() => db.exec(discount('S1', 2, COUPON))).toThrow('UNIQUE')
    db.exec('UPDATE sale_discount SET removed = 1 WHERE number = 1')
    db.exec(discount('S1', 2, COUPON))
    expect(() => db.exec('UPDATE sale_discount SET removed = 0 WHERE number = 1')).toThrow('UNIQUE')
  })

  test('any change of what was granted, and any change at all once the sale is closed', async () => {
    const db = await migrated()
    db.exec(discount('S1', 1, BY_HAND))
    expect(() => db.exec('UPDATE sale_discount SET off_cents = 1')).toThrow('stays as it was granted')
    expect(() => db.exec('DELETE FROM sale_discount')).toThrow('never deleted')
    expect(() => db.exec(`INSERT OR REPLACE ${discount('S1', 1, BY_HAND).slice(7)}`)).toThrow('granted once')
    db.exec("UPDATE sale SET state = 'completed', closed_at = 1 WHERE id = 'S1'")
    expect(() => db.exec('UPDATE sale_discount SET removed = 1')).toThrow('closed')
  })
})

test('the discounts of a sale are found by an index', async () => {
  const db = await migrated()
  const plan = db
    .prepare<[], { detail: string }>(
      "EXPLAIN QUERY PLAN SELECT number FROM sale_discount WHERE sale_id = +'S1' AND removed = 0 ORDER BY number",
    )
    .all()
    .map(({ detail }) => detail)
    .join('; ')
  expect(plan).toMatch(/^SEARCH sale_discount USING PRIMARY KEY \(sale_id=\?\)$/)
})
