import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase } from '../open.ts'

test('of the schema before it only what can still be taken back stays', async () => {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  const upTo = readMigrations().findIndex(({ name }) => name === 'what_was_undone')
  await migrate(db, readMigrations().slice(0, upTo))
  db.exec(`INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at, held_at, held_as) VALUES
      ('OPEN', 1, 3, 'open', '01', 'alex', 0, NULL, NULL, NULL), ('PAID', 2, 3, 'completed', '01', 'alex', 0, 1, NULL, NULL),
      ('HELD', 3, 3, 'open', '01', 'alex', 0, NULL, 1, '1'), ('CHANGED', 4, 4, 'open', '02', 'alex', 0, NULL, NULL, NULL);
    INSERT INTO sale_undo (sale_id, version, change) VALUES ('OPEN', 3, '{}'), ('PAID', 3, '{}'), ('HELD', 3, '{}'), ('CHANGED', 3, '{}');`)
  await migrate(db, readMigrations().slice(0, upTo + 1))
  expect(db.prepare('SELECT sale_id FROM sale_undo').pluck().all()).toEqual(['OPEN'])
})
