import Database from 'better-sqlite3'
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLedger } from '../ledger.ts'
import { createProgramRepository } from '../program.ts'
import { seedProgram } from '../seed/seed.ts'
import { lockFolder, openDatabase } from './database.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'milepost-central-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('the database of the reference services syncs every commit and records its schema version', () => {
  const db = openDatabase(folder)
  expect(
    ['journal_mode', 'synchronous', 'foreign_keys', 'user_version'].map((name) => db.pragma(name, { simple: true })),
  ).toEqual(['wal', 2, 1, 4])
  db.close()
})

it.skipIf(process.platform === 'win32')('only the owner of a data folder can read it and its files', () => {
  const place = join(folder, 'central')
  const release = lockFolder(place)
  const db = openDatabase(place)
  const files = ['', ...readdirSync(place)]
  expect(files).toContain('central.db-wal')
  expect(files.filter((name) => (statSync(join(place, name)).mode & 0o077) !== 0)).toEqual([])
  db.close()
  release()
})

it('a data folder of the first version is migrated with its accounts and gets the new seed data', async () => {
  const old = new Database(join(folder, 'central.db'))
  old.exec(readFileSync(join(import.meta.dirname, 'schema.sql'), 'utf8'))
  old.pragma('user_version = 1')
  old.exec(`
    INSERT INTO setting VALUES ('seed', '3');
    INSERT INTO redemption_offer VALUES ('RGL-95', 'RGL', 95, 1000, 75, 'a', 'b');
    INSERT INTO collector VALUES ('80000000011', 'active', 0, 1, 1, 'RGL-95', 50, 0, 0);
    INSERT INTO account (id, collector_number, name, balance)
    VALUES (1, '80000000011', 'cash', 7), (2, '', 'opening', -7);
    INSERT INTO operation (id, kind, at, collector_number, sponsor_code)
    VALUES (1, 'OPENING', 0, '80000000011', 'NRTH');
    INSERT INTO posting VALUES (1, 1, 7), (1, 2, -7);
    INSERT INTO operation (id, kind, at, collector_number, sponsor_code)
    VALUES (2, 'ISSUE', 900, '80000000011', 'NRTH');
    INSERT INTO posting VALUES (2, 1, 3), (2, 2, -3);
    UPDATE account SET balance = balance + 3 * (CASE id WHEN 1 THEN 1 ELSE -1 END);
    INSERT INTO issuance
    VALUES (1, 'T', 'ISSUE', 500, 'NRTH', '80000000011', 'C', NULL, 'CONFIRMED', '{}', '[]', NULL, 2);`)
  old.close()

  const db = openDatabase(folder)
  const ledger = createLedger(db)
  seedProgram(db, ledger, 7, Date.now())
  expect(ledger.balances('80000000011')).toEqual({ cash: 10, dream: 0 })
  expect(db.prepare('SELECT transacted_at FROM operation WHERE id IN (1, 2) ORDER BY id').pluck().all()).toEqual([
    0, 500,
  ])
  expect(db.prepare('SELECT balance FROM posting WHERE account_id = 1 ORDER BY operation_id').pluck().all()).toEqual([
    7, 10,
  ])
  expect(ledger.balances('80000000156')).toEqual({ cash: 1_900, dream: 500 })
  expect(createProgramRepository(db).findCollector('80000000011')?.preferences).toHaveLength(2)
  expect(db.prepare("SELECT value FROM setting WHERE name = 'seed'").pluck().get()).toBe('3')
  const count = () => db.prepare('SELECT count(*) FROM operation').pluck().get()
  const before = count()
  seedProgram(db, ledger, 7, Date.now())
  expect(count()).toBe(before)
  expect(await ledger.check()).toMatchObject({ ok: true, problems: [] })
  db.close()
})

it('a data folder written by a newer version of the reference services is refused', () => {
  const db = openDatabase(folder)
  db.pragma('user_version = 99')
  db.close()
  expect(() => openDatabase(folder)).toThrow(/newer version/)
})
