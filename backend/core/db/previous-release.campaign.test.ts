import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readMigrations } from './migrate.ts'
import type { Database } from './database.ts'
import { incompatibilities } from './previous-release.fixture.ts'

const MIGRATIONS = readMigrations()
const BACKEND = join(import.meta.dirname, '../..')

const deleted = new Set(
  readdirSync(BACKEND, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$|testing|simulation/.test(file))
    .flatMap((file) => [...readFileSync(join(BACKEND, file), 'utf8').matchAll(/DELETE FROM (?:main\.)?(\w+)/g)])
    .map(([, table = '']) => table),
)

function schema(upTo: number, more = ''): Database {
  const db = new Sqlite(':memory:')
  onTestFinished(() => {
    db.close()
  })
  for (const { sql } of MIGRATIONS.slice(0, upTo)) db.exec(sql)
  db.exec(more)
  return db
}

test('the previous release can work with the database after every migration that declares it compatible', () => {
  for (const { number, readableFrom } of MIGRATIONS)
    for (let known = readableFrom; known < number; known += 1)
      expect(incompatibilities(schema(known), schema(number), deleted), `${known} on ${number}`).toEqual([])
})

test('the check finds the tables from which the source code deletes rows', () => {
  expect([...deleted]).toEqual(expect.arrayContaining(['command', 'window_session', 'pin_door', 'echo_result']))
  expect(deleted.has('sale')).toBe(false)
})

const NOTES_SALE = `CREATE TABLE next (id TEXT) STRICT;
  CREATE TRIGGER next AFTER INSERT ON sale BEGIN INSERT INTO next VALUES (NEW.id); END`
const REFUSES_SALE = "CREATE TRIGGER next BEFORE INSERT ON sale BEGIN SELECT RAISE(ABORT, 'no'); END"

const found = (sql: string): string[] =>
  incompatibilities(schema(MIGRATIONS.length), schema(MIGRATIONS.length, sql), deleted)

describe('the check of a migration against the previous release', () => {
  test.each([
    ['nothing new', ''],
    ['a table', 'CREATE TABLE next (a TEXT NOT NULL) STRICT'],
    ['a column that may be empty', 'ALTER TABLE sale ADD COLUMN channel TEXT'],
    ['a column with a default', "ALTER TABLE tender ADD COLUMN wallet TEXT NOT NULL DEFAULT 'none'"],
    ['a column with a condition of its own', 'ALTER TABLE sale ADD COLUMN boxes INTEGER CHECK (boxes > 0)'],
    ['a column that references another row', 'ALTER TABLE sale ADD COLUMN of_sale TEXT REFERENCES sale (id)'],
    ['an index', 'CREATE INDEX next ON sale (cashier_id)'],
    ['a trigger that fills a new table', NOTES_SALE],
    ['a table that references rows that are never deleted', 'CREATE TABLE next (id TEXT REFERENCES sale (id)) STRICT'],
    [
      'a table whose rows are deleted with a window',
      'CREATE TABLE next (id TEXT REFERENCES window_session ON DELETE CASCADE) STRICT',
    ],
  ])('accepts a migration that adds %s', (_case, sql) => {
    expect(found(sql)).toEqual([])
  })
})

describe('the check of a migration that would break the previous release', () => {
  const BREAKS: readonly (readonly [string, string, string])[] = [
    ['a dropped table', 'DROP TABLE lane_sound', 'table lane_sound is gone'],
    ['a renamed table', 'ALTER TABLE lane_sound RENAME TO sound', 'table lane_sound is gone'],
    ['a dropped column', 'ALTER TABLE staff DROP COLUMN profile_entry', 'staff.profile_entry is another, or gone'],
    ['a renamed column', 'ALTER TABLE staff RENAME COLUMN name TO called', 'staff.name is another, or gone'],
    ['a column of another type', rebuilt("'volume INTEGER'", "'volume TEXT'"), 'lane_sound.volume is another, or gone'],
    ['a changed condition', rebuilt("'0 AND 10'", "'0 AND 9'"), 'lane_sound lacks “volume INTEGER NOT NULL CHECK'],
    [
      'a new condition of the whole table',
      rebuilt("') STRICT'", "', CHECK (lane <> '''')) STRICT'"),
      'lane_sound has a new constraint or column “CHECK',
    ],
    [
      'a required column without a default',
      rebuilt("') STRICT'", "', of_whom TEXT NOT NULL) STRICT'"),
      'lane_sound.of_whom is required and has no default',
    ],
    [
      'a column that depends on another column',
      'ALTER TABLE sale ADD COLUMN boxes INTEGER CHECK (boxes > 0 OR cashier_id IS NOT NULL)',
      'sale.boxes depends on another column',
    ],
    ['a new column of a hashed table', 'ALTER TABLE operation ADD COLUMN tier TEXT', 'operation has another column'],
    [
      'a new column of the audit trail',
      'ALTER TABLE audit_entry ADD COLUMN place TEXT',
      'audit_entry has another column',
    ],
    ['a dropped index', 'DROP INDEX command_at', 'index command_at is gone'],
    ['a new unique index', 'CREATE UNIQUE INDEX next ON sale (opened_at)', 'index next refuses rows of sale'],
    ['a dropped trigger', 'DROP TRIGGER voucher_covers', 'trigger voucher_covers is gone'],
    ['a trigger that refuses rows', REFUSES_SALE, 'trigger next refuses changes of sale'],
    [
      'a changed trigger',
      `DROP TRIGGER voucher_stays; CREATE TRIGGER voucher_stays BEFORE DELETE ON voucher BEGIN SELECT 1; END`,
      'trigger voucher_stays is another',
    ],
    [
      'a table that references rows that the previous release deletes',
      'CREATE TABLE next (id TEXT REFERENCES window_session (secret_hash)) STRICT',
      'next.id holds rows of window_session, which are deleted',
    ],
    ['a table that is no longer strict', rebuilt("'STRICT, '", "''"), 'lane_sound is no longer “STRICT'],
  ]
  test.each(BREAKS)('reports %s', (_case, sql, message) => {
    expect(found(sql).join('\n')).toContain(message)
  })
})

function rebuilt(that: string, by: string): string {
  const db = new Sqlite(':memory:')
  try {
    for (const { sql } of MIGRATIONS) db.exec(sql)
    const made = db
      .prepare<[], string>(`SELECT replace(sql, ${that}, ${by}) FROM sqlite_schema WHERE name = 'lane_sound'`)
      .pluck()
      .get()
    return `DROP TABLE lane_sound; ${made ?? ''}`
  } finally {
    db.close()
  }
}
