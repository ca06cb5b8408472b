import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase, type Database } from '../open.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { temporaryFolder } from '../../http/testing.ts'

async function migrated(): Promise<Database> {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  await migrate(db, readMigrations().slice(0, 1))
  return db
}

test('an empty file gets the tables of people, windows, audit, catalog, offers and echo', async () => {
  const db = await migrated()
  expect(db.pragma('user_version', { simple: true })).toBe(1)
  const tables = db
    .prepare<[], { name: string; strict: number; type: string }>(
      "SELECT name, strict, type FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all()
  expect(tables.map((table) => table.name)).toEqual([
    'audit_entry',
    'catalog_import',
    'echo_result',
    'item',
    'item_barcodes',
    'item_words',
    'offer_list',
    'staff',
    'window_session',
  ])
  expect(tables.filter((table) => table.type === 'table' && !table.strict)).toEqual([])
})

test.each([
  ['a role that is none', "INSERT INTO staff (id, name, role, locale) VALUES ('x', 'X', 'owner', 'en-CA')"],
  [
    'a language that the screens do not have',
    "INSERT INTO staff (id, name, role, locale) VALUES ('x', 'X', 'cashier', 'en-US')",
  ],
  [
    'a window of somebody unknown',
    "INSERT INTO window_session (secret_hash, opened_at, staff_id) VALUES ('h', 0, 'nobody')",
  ],
  [
    'an audit entry by somebody unknown',
    "INSERT INTO audit_entry (at, kind, actor_id) VALUES (0, 'sign-in', 'nobody')",
  ],
  ['an audit detail that is not JSON', "INSERT INTO audit_entry (at, kind, detail) VALUES (0, 'x', '{')"],
  [
    'a price in dollars',
    "INSERT INTO item (sku, name_en, name_fr, price_cents, tax_category, department_id) VALUES ('1', 'a', 'b', 6.99, 'standard', 'd')",
  ],
  [
    'a price below nothing',
    "INSERT INTO item (sku, name_en, name_fr, price_cents, tax_category, department_id) VALUES ('1', 'a', 'b', -1, 'standard', 'd')",
  ],
  [
    'an unknown tax category',
    "INSERT INTO item (sku, name_en, name_fr, price_cents, tax_category, department_id) VALUES ('1', 'a', 'b', 1, 'food', 'd')",
  ],
])('the database refuses %s', async (_what, sql) => {
  const db = await migrated()
  expect(() => db.exec(sql)).toThrow(/constraint failed|cannot store/)
})

test('people are listed and lists are read by an index or a handful of rows', async () => {
  const db = await migrated()
  const plan = (sql: string): string =>
    db
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((step) => step.detail)
      .join('; ')
  expect(plan("SELECT secret_hash FROM window_session WHERE secret_hash = 'x'")).toContain('USING COVERING INDEX')
  expect(plan('SELECT at, kind FROM audit_entry ORDER BY id DESC LIMIT 10')).toBe('SCAN audit_entry')
  expect(plan('SELECT kind FROM audit_entry WHERE at >= 0 ORDER BY at')).toContain('USING INDEX audit_entry_at')
  expect(plan('SELECT result FROM echo_result ORDER BY id DESC LIMIT 50')).toBe('SCAN echo_result')
})
