import { describe, expect, test } from 'vitest'
import { TaxCategory } from '../../../contracts/core/regions.ts'
import { SETTING_QUERIES } from '../../staff/settings/settings.sql.ts'
import { EDITION_QUERIES } from '../../catalog/editions/editions.sql.ts'
import { COMPLETED, openSchema, type Refusal } from './schema.fixture.ts'

describe('every table', () => {
  test('is strict about the types of its columns', async () => {
    const { all } = await openSchema()
    const tables = all(
      `SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
        AND name NOT LIKE 'sqlite_%'`,
    ) as [string, number][]
    expect(tables.length).toBeGreaterThan(20)
    expect(tables.filter(([, strict]) => strict === 0)).toEqual([])
  })

  test('references rows by the primary key of existing tables', async () => {
    const { all } = await openSchema()
    const dangling = `SELECT tables.name, key."from" FROM pragma_table_list AS tables
      JOIN pragma_foreign_key_list(tables.name) AS key
      WHERE NOT EXISTS (SELECT 1 FROM pragma_table_info(key."table") AS parent WHERE parent.name = key."to"
      AND parent.pk > 0)`
    expect(all(dangling)).toEqual([])
    expect(all('SELECT count(*) FROM pragma_table_list AS t JOIN pragma_foreign_key_list(t.name)')).not.toEqual([[0]])
    expect(all('PRAGMA integrity_check')).toEqual([['ok']])
  })
})

const REFUSED: readonly Refusal[] = [
  [
    'a key of a command twice',
    ({ insert }) => {
      insert('command')
      insert('command')
    },
    'UNIQUE',
  ],
  ['a command with a short fingerprint', ({ insert }) => insert('command', { fingerprint: Buffer.alloc(3) }), 'CHECK'],
  ['an unknown role', ({ insert }) => insert('staff', { role: 'owner' }), 'CHECK'],
  ['an unknown language', ({ insert }) => insert('staff', { locale: 'english' }), 'CHECK'],
  [
    'a window of an unknown person',
    ({ db }) =>
      db.exec(
        "INSERT INTO window_session (secret_hash, window_id, opened_at, staff_id) VALUES ('h', 'w', 0, 'nobody')",
      ),
    'FOREIGN KEY',
  ],
  [
    'wrong PINs at an unknown kind of check',
    ({ db }) => db.exec("INSERT INTO pin_door (door, staff_id) VALUES ('window', 'alex')"),
    'CHECK',
  ],
  ['a volume above the scale', ({ db }) => db.exec("INSERT INTO lane_sound VALUES ('01', 11)"), 'CHECK'],
  ['a negative volume', ({ db }) => db.exec("INSERT INTO lane_sound VALUES ('01', -1)"), 'CHECK'],
  ['a setting without a name', ({ insert }) => insert('setting', { name: '' }), 'CHECK'],
  ['a setting that is not JSON', ({ insert }) => insert('setting', { value: '{' }), 'CHECK'],
  ['a setting that holds before it was entered', ({ insert }) => insert('setting', { at: 6 }), 'CHECK'],
  ['a setting of an unknown person', ({ insert }) => insert('setting', { staff_id: 'nobody' }), 'FOREIGN KEY'],
  [
    'a badge of two people',
    ({ db }) => db.exec(`UPDATE staff SET badge_hash = x'${'ab'.repeat(32)}' WHERE id IN ('alex', 'sam')`),
    'UNIQUE',
  ],
  ['a badge with a short hash', ({ db }) => db.exec("UPDATE staff SET badge_hash = x'01'"), 'CHECK'],
  ['an audit entry by an unknown person', ({ insert }) => insert('audit_entry', { actor_id: 'nobody' }), 'FOREIGN KEY'],
  ['an audit entry with a short hash', ({ insert }) => insert('audit_entry', { hash: Buffer.alloc(3) }), 'CHECK'],
  ['an audit entry that skips a number', ({ insert }) => insert('audit_entry', { id: 2 }), 'append-only'],
  ['an audit detail that is not JSON', ({ insert }) => insert('audit_entry', { detail: '{' }), 'CHECK'],
  ['an edition of the catalog without items', ({ insert }) => insert('catalog_edition', { items: 0 }), 'CHECK'],
  [
    'an edition with a short hash',
    ({ insert }) => insert('catalog_edition', { source_hash: Buffer.alloc(3) }),
    'CHECK',
  ],
  [
    'a change of an unknown edition',
    ({ db }) => db.exec("INSERT INTO catalog_change (edition_id, at, by_id, change) VALUES ('x', 0, 'sam', '{}')"),
    'FOREIGN KEY',
  ],
  [
    'a change by an unknown person',
    ({ insert, db }) => {
      insert('catalog_edition')
      db.exec("INSERT INTO catalog_change (edition_id, at, by_id, change) VALUES ('e', 0, 'nobody', '{}')")
    },
    'FOREIGN KEY',
  ],
  [
    'an edition that comes before itself',
    ({ insert, db }) => {
      insert('catalog_edition')
      db.exec("INSERT INTO catalog_in_use (id, current_id, previous_id) VALUES (1, 'e', 'e')")
    },
    'CHECK',
  ],
]

describe('the tables of staff, windows, settings, audit and catalog', () => {
  test.each(REFUSED)('reject rows and changes that break their constraints: %s', async (_case, ask, answer) => {
    const schema = await openSchema()
    expect(() => ask(schema)).toThrow(answer)
  })
})

describe('the settings table', () => {
  const CHANGES: readonly Refusal[] = [
    ['an update', ({ db }) => db.exec("UPDATE setting SET value = '1'"), 'written once'],
    ['a deletion', ({ db }) => db.exec('DELETE FROM setting'), 'written once'],
    ['a replacement', ({ replace }) => replace('setting', { value: '1' }), 'written once'],
  ]
  test.each(CHANGES)('rejects rows and changes that break its constraints: %s', async (_case, ask, answer) => {
    const schema = await openSchema()
    schema.insert('setting')
    expect(() => ask(schema)).toThrow(answer)
    expect(schema.all('SELECT value FROM setting')).toEqual([['null']])
  })
})

describe('the append-only audit trail', () => {
  const CHANGES: readonly Refusal[] = [
    ['an update', ({ db }) => db.exec("UPDATE audit_entry SET kind = 'x'"), 'append-only'],
    ['a deletion', ({ db }) => db.exec('DELETE FROM audit_entry'), 'append-only'],
    ['a replacement', ({ replace }) => replace('audit_entry', { kind: 'x' }), 'append-only'],
  ]
  test.each(CHANGES)('rejects rows and changes that break its constraints: %s', async (_case, ask, answer) => {
    const schema = await openSchema()
    schema.insert('audit_entry')
    expect(() => ask(schema)).toThrow(answer)
    expect(schema.all('SELECT kind FROM audit_entry')).toEqual([['sign-in']])
  })
})

test('the tables of sold and returned lines accept every tax category of the contract', async () => {
  const { insert } = await openSchema()
  insert('sale', COMPLETED)
  insert('sale_return')
  for (const [index, category] of TaxCategory.options.entries()) {
    const of = { tax_category: category, sku: category }
    insert('sale_line', { ...of, number: index + 1 })
    insert('return_line', { ...of, number: index + 1, sale_line_number: index + 1 })
  }
  for (const table of ['sale_line', 'return_line'] as const)
    expect(() => insert(table, { tax_category: 'food', number: 1 + TaxCategory.options.length }), table).toThrow(
      'CHECK',
    )
})

test('queries of settings and badges use an index', async () => {
  const { plan } = await openSchema()
  expect(plan(SETTING_QUERIES.uncancelled)).toMatch(
    /^SCAN one USING INDEX setting_of\b.*SEARCH setting USING COVERING INDEX/,
  )
  expect(plan("SELECT id FROM staff WHERE badge_hash = x'01'")).toContain('USING INDEX')
})

test('lists of windows, audit entries and health checks use an index or row order', async () => {
  const { plan } = await openSchema()
  expect(plan("SELECT secret_hash FROM window_session WHERE secret_hash = 'x'")).toContain('USING COVERING INDEX')
  expect(plan('SELECT at, kind FROM audit_entry ORDER BY id DESC LIMIT 10')).toBe('SCAN audit_entry')
  expect(plan('SELECT kind FROM audit_entry WHERE at >= 0 ORDER BY at')).toContain('USING INDEX audit_entry_at')
  expect(plan('SELECT result FROM echo_result ORDER BY id DESC LIMIT 50')).toBe('SCAN echo_result')
})

test('the contents of a catalog edition are read in order without sorting', async () => {
  const { plan } = await openSchema()
  expect(plan(EDITION_QUERIES.source.replace('?', "'e'"))).toBe(
    'SEARCH catalog_source USING INDEX sqlite_autoindex_catalog_source_1 (edition_id=?)',
  )
  expect(plan(EDITION_QUERIES.changes.replace('+?', "'e'").replace('+?', '0'))).toBe(
    'SEARCH catalog_change USING INDEX catalog_change_of_edition (edition_id=? AND number>?)',
  )
  expect(plan(EDITION_QUERIES.changeCount.replace('?', "'e'"))).toContain('USING COVERING INDEX')
})

test('the deletion of expired commands uses an index', async () => {
  const { plan } = await openSchema()
  expect(plan('DELETE FROM command WHERE at < 5')).toContain('command_at')
})
