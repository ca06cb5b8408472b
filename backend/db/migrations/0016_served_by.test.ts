import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { createSalesRepository } from '../../features/sales/repository.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase } from '../open.ts'

test('sales of the schema before it were served by whoever opened them, and only a person of the store serves', async () => {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  const upTo = readMigrations().findIndex(({ name }) => name === 'served_by')
  await migrate(db, readMigrations().slice(0, upTo))
  db.exec(`INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA'), ('marie', 'Marie', 'cashier', 'fr-CA');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at) VALUES ('DONE', 1, 3, 'completed', '01', 'alex', 0, 5), ('OPEN', 2, 1, 'open', '01', 'alex', 0, NULL);`)
  await migrate(db, readMigrations())
  const sales = createSalesRepository(db)
  expect([sales.byId('DONE')?.servedBy, sales.byId('OPEN')?.servedBy]).toEqual(['alex', 'alex'])
  sales.serve('OPEN', 'marie')
  expect([sales.byId('DONE')?.servedBy, sales.byId('OPEN')?.servedBy]).toEqual(['alex', 'marie'])
  expect(() => sales.serve('OPEN', 'nobody')).toThrow(/FOREIGN KEY/)
})
