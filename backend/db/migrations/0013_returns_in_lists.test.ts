import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase } from '../open.ts'

test('returns of the schema before it are listed by lane and found by the end of their number', async () => {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  const upTo = readMigrations().findIndex(({ name }) => name === 'returns_in_lists')
  await migrate(db, readMigrations().slice(0, upTo))
  db.exec(`INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA');
    INSERT INTO sale_return (id, sequence, sale_id, lane, cashier_id, approved_by, reason, at, subtotal_cents, taxes, total_cents)
      VALUES ('N1010100000001K7QZ', 1, NULL, '01', 'alex', 'alex', 'receipt lost', 1, 100, '[]', 100);`)
  await migrate(db, readMigrations().slice(0, upTo + 1))
  expect(
    db
      .prepare(
        "SELECT id FROM sale_return INDEXED BY sale_return_newest WHERE lane = '01' ORDER BY at DESC, sequence DESC",
      )
      .pluck()
      .all(),
  ).toEqual(['N1010100000001K7QZ'])
  expect(
    db
      .prepare("SELECT id FROM sale_return INDEXED BY sale_return_by_end_of_id WHERE substr(id, -4) = 'K7QZ'")
      .pluck()
      .all(),
  ).toEqual(['N1010100000001K7QZ'])
})
