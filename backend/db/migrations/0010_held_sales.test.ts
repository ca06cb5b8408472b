import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase, type Database } from '../open.ts'

async function migrated(): Promise<Database> {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  const before = readMigrations().findIndex((migration) => migration.name === 'held_sales')
  await migrate(db, readMigrations().slice(0, before))
  db.exec(`
    INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at) VALUES ('DONE', 1, 3, 'completed', '01', 'alex', 0, 5);
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at) VALUES ('OPEN', 2, 1, 'open', '01', 'alex', 0);
  `)
  await migrate(db, readMigrations().slice(0, before + 1))
  return db
}
const open = (id: string, sequence: number): string =>
  `INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at) VALUES ('${id}', ${sequence}, 1, 'open', '01', 'alex', 0)`
const hold = (id: string): string => `UPDATE sale SET held_at = 9, held_as = '1' WHERE id = '${id}'`

test('sales of the schema before it are as they were, and none is on hold', async () => {
  const db = await migrated()
  expect(db.prepare('SELECT id, state, held_at, held_as FROM sale ORDER BY sequence').raw().all()).toEqual([
    ['DONE', 'completed', null, null],
    ['OPEN', 'open', null, null],
  ])
})

test('a lane rings one sale at a time, beside those that are on hold', async () => {
  const db = await migrated()
  expect(() => db.exec(open('SECOND', 3))).toThrow(/UNIQUE/)
  db.exec(hold('OPEN'))
  db.exec(open('SECOND', 3))
  expect(() => db.exec("UPDATE sale SET held_at = NULL, held_as = NULL WHERE id = 'OPEN'")).toThrow(/UNIQUE/)
})

test('what is closed, nameless or paid on cannot be on hold, and what is on hold takes no payment', async () => {
  const db = await migrated()
  expect(() => db.exec(hold('DONE'))).toThrow(/CHECK/)
  expect(() => db.exec("UPDATE sale SET held_at = 9 WHERE id = 'OPEN'")).toThrow(/CHECK/)
  const tender =
    "INSERT INTO tender (sale_id, number, kind, amount_cents, tendered_cents, at) VALUES ('OPEN', 1, 'cash', 100, 100, 1)"
  db.exec(hold('OPEN'))
  expect(() => db.exec(tender)).toThrow('a sale on hold takes no payment')
  expect(() => db.exec("UPDATE sale SET state = 'cancelled', closed_at = 9 WHERE id = 'OPEN'")).toThrow(/CHECK/)
  db.exec("UPDATE sale SET held_at = NULL, held_as = NULL WHERE id = 'OPEN'")
  db.exec(
    "INSERT INTO operation (id, kind, intention, sale_id, collector_hash, state, created_at, changed_at) VALUES ('R1', 'redemption', 'redeem', 'OPEN', x'0a', 'declined', 1, 2)",
  )
  db.exec(hold('OPEN'))
  db.exec("UPDATE sale SET held_at = NULL, held_as = NULL WHERE id = 'OPEN'")
  for (const [state, isOpen] of [
    ['intent', 1],
    ['retry', 1],
    ['approved', 0],
    ['escalated', 0],
  ] as const) {
    db.exec(`UPDATE operation SET state = '${state}', open = ${isOpen} WHERE id = 'R1'`)
    expect(() => db.exec(hold('OPEN')), state).toThrow('a sale that was paid on is not put on hold')
  }
  db.exec("DELETE FROM operation WHERE id = 'R1'")
  db.exec(tender)
  expect(() => db.exec(hold('OPEN'))).toThrow('a sale that was paid on is not put on hold')
})
