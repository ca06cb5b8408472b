import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase } from '../open.ts'

const TENDER = 'tender (sale_id, number, kind, amount_cents, tendered_cents, change_cents, at'

test('payments from before it stand, what could be undone can be, and a payment is given back once and whole', async () => {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  const upTo = readMigrations().findIndex(({ name }) => name === 'tenders_taken_back')
  await migrate(db, readMigrations().slice(0, upTo))
  db.exec(`
    INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at) VALUES ('OPEN', 1, 4, 'open', '01', 'alex', 0), ('STALE', 2, 7, 'open', '02', 'alex', 0);
    INSERT INTO ${TENDER}) VALUES ('OPEN', 1, 'cash', 500, 500, 0, 0), ('STALE', 1, 'card', 500, 500, 0, 0);
    INSERT INTO sale_undo (sale_id, version, change) VALUES ('OPEN', 4, '{"kind":"note","before":{"of":"note","text":null}}'), ('STALE', 6, '{}');
    INSERT INTO print_job (id, sale_id, copy, document, open_drawer, state, created_at) VALUES ('J', 'OPEN', 0, '{}', 0, 'queued', 0);
  `)
  await migrate(db, readMigrations())
  const all = (sql: string): unknown => db.prepare(sql).raw().all()
  expect(all('SELECT sale_id, number, takes_back FROM tender ORDER BY sale_id')).toEqual([
    ['OPEN', 1, null],
    ['STALE', 1, null],
  ])
  expect(all('SELECT sale_id, number, after_tender FROM sale_undo')).toEqual([['OPEN', 1, 1]])
  expect(all('SELECT payment_back FROM print_job')).toEqual([[0]])
  expect(db.pragma('foreign_key_check')).toEqual([])

  const back = (values: string): void => {
    db.exec(`INSERT INTO ${TENDER}, takes_back) VALUES (${values})`)
  }
  for (const [what, values] of [
    ['a part', "'OPEN', 2, 'cash', -400, -400, 0, 0, 1"],
    ['another form', "'OPEN', 2, 'card', -500, -500, 0, 0, 1"],
    ['one that is not there', "'OPEN', 2, 'cash', -500, -500, 0, 0, 9"],
    ['less of the coins', "'OPEN', 2, 'cash', -500, -400, 0, 0, 1"],
  ] as const)
    expect(() => {
      back(values)
    }, what).toThrow(/given back as it was taken/)
  const hold = (): void => {
    db.exec("UPDATE sale SET held_at = 1, held_as = '1' WHERE id = 'OPEN'")
  }
  expect(hold).toThrow(/not put on hold/)
  back("'OPEN', 2, 'cash', -500, -500, 0, 0, 1")
  expect(() => {
    back("'OPEN', 3, 'cash', -500, -500, 0, 0, 1")
  }, 'twice').toThrow(/UNIQUE/)
  expect(() => {
    back("'OPEN', 3, 'cash', 500, 500, 0, 0, 2")
  }, 'what gave it back').toThrow(/given back as it was taken/)
  expect(hold).not.toThrow()
  db.exec("UPDATE sale SET state = 'cancelled', closed_at = 1 WHERE id = 'STALE'")
  expect(() => {
    back("'STALE', 2, 'card', -500, -500, 0, 0, 1")
  }, 'of a closed sale').toThrow(/given back as it was taken/)
})
