import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase } from '../open.ts'

test('a database of the schema before it keeps its sales and print jobs, and gets the indexes of the list', async () => {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  await migrate(db, readMigrations().slice(0, 3))
  db.exec(`
    INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at) VALUES ('N1010100000001K7QZ', 1, 2, 'completed', '01', 'alex', 0, 5);
    INSERT INTO print_job (id, sale_id, copy, document, open_drawer, state, created_at) VALUES ('J1', 'N1010100000001K7QZ', 0, '{}', 0, 'failed', 5);
  `)
  const kept = (): unknown => [db.prepare('SELECT * FROM sale').all(), db.prepare('SELECT * FROM print_job').all()]
  const before = kept()
  await migrate(db, readMigrations().slice(0, 4))
  expect(db.pragma('user_version', { simple: true })).toBe(4)
  expect(kept()).toEqual(before)
  const indexes = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND name IN ('sale_closed', 'sale_by_end_of_id', 'print_job_in_doubt')",
    )
    .pluck()
    .all()
  expect(indexes).toHaveLength(3)
})
