import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase } from '../open.ts'

test('a catalog of the schema before it is found by department', async () => {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  const upTo = readMigrations().findIndex(({ name }) => name === 'items_of_department')
  await migrate(db, readMigrations().slice(0, upTo))
  db.exec(
    "INSERT INTO item (id, sku, name_en, name_fr, price_cents, tax_category, department_id) VALUES (1, 'A', 'a', 'a', 1, 'standard', 'produce')",
  )
  await migrate(db, readMigrations().slice(0, upTo + 1))
  expect(
    db.prepare("SELECT sku FROM item INDEXED BY item_of_department WHERE department_id = 'produce'").pluck().all(),
  ).toEqual(['A'])
})
