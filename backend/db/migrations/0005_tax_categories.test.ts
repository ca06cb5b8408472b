import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { TaxCategory } from '../../../contracts/regions.ts'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase, type Database } from '../open.ts'

const ITEM =
  'INSERT INTO item (id, sku, barcode, barcode_key, name_en, name_fr, price_cents, tax_category, department_id, category_id) VALUES'
const LINE =
  'INSERT INTO sale_line (sale_id, number, sku, name_en, name_fr, quantity, unit_price_cents, tax_category, department_id, category_id, voided) VALUES'

/** A lane of the schema before, with a catalog and a sale. */
async function before(): Promise<Database> {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  await migrate(db, readMigrations().slice(0, 4))
  db.exec(`
    INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA');
    ${ITEM} (7, '1029', '0628451105763', '00628451105763', 'Novel', 'Roman', 1899, 'federal-only', 'books', NULL), (9, '1013', NULL, NULL, 'Chocolate', 'Chocolat', 449, 'standard', 'snacks', 'sweet');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at) VALUES ('S1', 1, 1, 'open', '01', 'alex', 0);
    ${LINE} ('S1', 1, '1029', 'Novel', 'Roman', 2, 1899, 'federal-only', 'books', NULL, 0), ('S1', 2, '1013', 'Chocolate', 'Chocolat', 1, 449, 'standard', 'snacks', 'sweet', 1);
  `)
  return db
}
const rows = (db: Database): unknown => [
  db.prepare('SELECT * FROM item ORDER BY id').all(),
  db.prepare('SELECT * FROM sale_line ORDER BY sale_id, number').all(),
]

test('every item and every line of a sale stays as it was', async () => {
  const db = await before()
  const kept = rows(db)
  await migrate(db, readMigrations().slice(0, 5))
  expect(db.pragma('user_version', { simple: true })).toBe(5)
  expect(rows(db)).toEqual(kept)
  expect(db.pragma('foreign_key_check')).toEqual([])
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
})

test('every category of the contract is taken and no other, and what was forbidden before still is', async () => {
  const db = await before()
  await migrate(db, readMigrations().slice(0, 5))
  for (const [index, category] of TaxCategory.options.entries()) {
    db.prepare(`${ITEM} (?, ?, NULL, NULL, 'a', 'b', 100, ?, 'd', NULL)`).run(100 + index, `K${index}`, category)
    db.prepare(`${LINE} ('S1', ?, 'K', 'a', 'b', 1, 100, ?, 'd', NULL, 0)`).run(100 + index, category)
  }
  expect(() => db.exec(`${ITEM} (1, 'X', NULL, NULL, 'a', 'b', 100, 'food', 'd', NULL)`)).toThrow('CHECK')
  expect(() => db.exec(`${ITEM} (1, '1029', NULL, NULL, 'a', 'b', 100, 'standard', 'd', NULL)`)).toThrow('UNIQUE')
  expect(() => db.exec(`${LINE} ('S1', 50, 'K', 'a', 'b', 1, 100, 'food', 'd', NULL, 0)`)).toThrow('CHECK')
  expect(() => db.exec(`${LINE} ('S1', 50, 'K', 'a', 'b', 1000, 100, 'standard', 'd', NULL, 0)`)).toThrow('CHECK')
  expect(() => db.exec(`${LINE} ('nowhere', 1, 'K', 'a', 'b', 1, 100, 'standard', 'd', NULL, 0)`)).toThrow(
    'FOREIGN KEY',
  )
  expect(() => db.exec(`${LINE} ('S1', 1, 'K', 'a', 'b', 1, 100, 'standard', 'd', NULL, 0)`)).toThrow('UNIQUE')
})
