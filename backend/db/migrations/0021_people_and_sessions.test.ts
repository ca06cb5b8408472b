import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase } from '../open.ts'

test('wrong PINs that were counted and locks that stand go on at the sign-in screen, and every PIN so far is the installer’s', async () => {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  const upTo = readMigrations().findIndex(({ name }) => name === 'people_and_sessions')
  await migrate(db, readMigrations().slice(0, upTo))
  db.prepare(`INSERT INTO staff (id, name, role, locale, pin_hash, failed_attempts, lockouts, locked_until) VALUES
    ('alex', 'Alex', 'cashier', 'en-CA', 'x', 3, 0, NULL), ('marie', 'Marie', 'cashier', 'fr-CA', 'x', 0, 2, @later), ('noor', 'Noor', 'cashier', 'en-CA', NULL, 0, 0, NULL), ('sam', 'Sam', 'manager', 'en-CA', 'x', 0, 1, 5)`).run(
    { later: Date.now() + 40 * 86_400_000 },
  )
  await migrate(db, readMigrations())
  expect(
    db
      .prepare(
        'SELECT door, staff_id AS id, failed, lockouts, locked_ms AS ms, written_at_uptime_ms AS at FROM pin_door',
      )
      .all(),
  ).toEqual([
    { door: 'sign-in', id: 'alex', failed: 3, lockouts: 0, ms: null, at: null },
    // A clock that was set never locked anybody for longer than an hour.
    { door: 'sign-in', id: 'marie', failed: 0, lockouts: 2, ms: 3_600_000, at: null },
    { door: 'sign-in', id: 'sam', failed: 0, lockouts: 1, ms: null, at: null },
  ])
  expect(db.prepare('SELECT id FROM staff WHERE pin_temporary = 1 ORDER BY id').pluck().all()).toEqual([
    'alex',
    'marie',
    'sam',
  ])
  expect(() => db.prepare("INSERT INTO pin_door (door, staff_id) VALUES ('window', 'alex')").run()).toThrow(/CHECK/)
})
