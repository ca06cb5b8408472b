import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase } from '../open.ts'

test('returns from before it have no key, and of those after it no two have the same', async () => {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  const upTo = readMigrations().findIndex(({ name }) => name === 'returns_once')
  await migrate(db, readMigrations().slice(0, upTo))
  const staff = "INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA')"
  const columns = 'id, sequence, lane, cashier_id, approved_by, reason, at, subtotal_cents, taxes, total_cents'
  const values = (id: string, sequence: number): string =>
    `'${id}', ${sequence}, '01', 'alex', 'alex', 'x', 0, 1, '[]', 1`
  db.exec(`${staff}; INSERT INTO sale_return (${columns}) VALUES (${values('OLD', 1)}), (${values('OLDER', 2)})`)
  await migrate(db, readMigrations())
  expect(db.prepare('SELECT id, idempotency_key AS key FROM sale_return ORDER BY id').all()).toEqual([
    { id: 'OLD', key: null },
    { id: 'OLDER', key: null },
  ])
  const insert = (id: string, sequence: number, how: string): void => {
    db.exec(`${how} INTO sale_return (${columns}, idempotency_key) VALUES (${values(id, sequence)}, 'K')`)
  }
  insert('FIRST', 3, 'INSERT')
  expect(() => {
    insert('SECOND', 4, 'INSERT')
  }).toThrow(/written once/)
  expect(() => {
    insert('SECOND', 4, 'INSERT OR REPLACE')
  }).toThrow(/written once/)
  expect(db.prepare("SELECT id FROM sale_return WHERE idempotency_key = 'K'").all()).toEqual([{ id: 'FIRST' }])
})
