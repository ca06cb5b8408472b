import { join } from 'node:path'
import type { Statement } from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { migrate, readMigrations } from '../db/migrate.ts'
import { openDatabase } from '../db/database.ts'
import { temporaryFolder } from '../http/testing.ts'
import { DIGESTED, digestsOfOperations } from '../outbox/operation.ts'
import { describeForeignChanges } from '../outbox/integrity-check.ts'
import { createSeal } from './seal.ts'
import { sampleOperation, openJournalWithSale } from '../../../packages/lab/testing/sample-operations.ts'
import { adopt, readEvidenceRow } from './state.ts'
import { WITHOUT_DIGEST } from './digests.ts'
import { followChanges } from './evidence.ts'

async function booksBeforeUpdate(issuances: number, followed = true) {
  const here = await openJournalWithSale({ followed })
  here.transact(() => {
    for (let made = 0; made < issuances; made += 1)
      here.transact((tx) => here.journal.open(tx, sampleOperation(here, 'issuance')))
  })
  return here
}

const SEAL = createSeal(Buffer.alloc(32, 1))

/** Creates a database with the digests of a program that also excludes this table from them. */
async function openDatabaseWithout(table: string) {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => void db.close())
  await migrate(db, readMigrations(), undefined, () => {
    adopt(db, SEAL, new Set([...WITHOUT_DIGEST, table]))
  })
  return db
}

const update = (sql: string) => [
  ...readMigrations(),
  { number: readMigrations().length + 1, name: 'next', sql, readableFrom: 1 },
]

test('a migration’s changes of rows are adopted as the program’s own, with a higher change counter', async () => {
  const { db, seal } = await booksBeforeUpdate(2, false)
  const before = readEvidenceRow(db)?.counter ?? 0
  const next = update('ALTER TABLE staff ADD COLUMN badge TEXT; UPDATE operation SET outcome = 1')
  await migrate(db, next, undefined, () => {
    adopt(db, seal)
  })
  expect(describeForeignChanges(db, seal)).toBeNull()
  expect(readEvidenceRow(db)?.counter).toBeGreaterThan(before)
})

test('2,500 operations are digested in pages of 1,000, so that memory use stays bounded', async () => {
  const { db, seal } = await booksBeforeUpdate(2_500)
  db.exec("UPDATE operation SET outcome = 'x'")
  expect(describeForeignChanges(db, seal)).toContain('was changed')
  const all = vi.spyOn(Object.getPrototypeOf(db.prepare('SELECT 1')) as Statement, 'all')
  onTestFinished(() => {
    all.mockRestore()
  })
  adopt(db, seal)
  expect(Math.max(...all.mock.results.map(({ value }) => (value as unknown[]).length))).toBe(1_000)
  expect(describeForeignChanges(db, seal), 'every call and every operation').toBeNull()
})

test('rows of the previous program still match their digests after an update that adds a column', async () => {
  const { db, seal } = await booksBeforeUpdate(1)
  const later = { ...DIGESTED, extra: 'a_later_column' }
  for (const { stored, computed } of digestsOfOperations(db, seal, later)) expect(computed).toEqual(stored)
  expect([...digestsOfOperations(db, seal, later)]).toHaveLength(1)
})

test('the list of tables without a digest is stored for other releases, and its changes are detected', async () => {
  const { db, seal } = await booksBeforeUpdate(1, false)
  await migrate(db, update('CREATE TABLE next_cache (a TEXT) STRICT'), undefined, () => {
    adopt(db, seal, new Set([...WITHOUT_DIGEST, 'next_cache']))
  })
  followChanges(db, seal)
  db.exec("INSERT INTO next_cache VALUES ('fetched'); UPDATE staff SET name = 'Alexandra'")
  expect(describeForeignChanges(db, seal)).toBeNull()
  db.exec(`UPDATE tamper_evidence SET uncovered = json_insert(uncovered, '$[#]', 'staff')`)
  expect(describeForeignChanges(db, seal)).toBe('the tables or triggers of the database were changed')
})

test('after an update, digests also cover tables that the previous release excluded', async () => {
  const db = await openDatabaseWithout('store_cursor')
  const insert = db.prepare("INSERT INTO store_cursor VALUES ('other', 7)")
  insert.run()
  expect(describeForeignChanges(db, SEAL)).toBeNull()
  await migrate(db, update(''), undefined, () => {
    adopt(db, SEAL)
  })
  expect(describeForeignChanges(db, SEAL), 'its rows remain').toBeNull()
  db.exec("UPDATE store_cursor SET seq = 8 WHERE stream = 'other'")
  expect(describeForeignChanges(db, SEAL)).toContain('table store_cursor')
})
