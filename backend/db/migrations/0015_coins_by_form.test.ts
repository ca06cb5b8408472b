import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase, type Database } from '../open.ts'

/** The schema before: $22.62 that were paid with $22.60 in coins, and a return of it. */
async function before(): Promise<{ db: Database; after: () => Promise<void> }> {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  const upTo = readMigrations().findIndex(({ name }) => name === 'coins_by_form')
  await migrate(db, readMigrations().slice(0, upTo))
  db.exec(`INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'manager', 'en-CA');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at) VALUES ('S', 1, 1, 'completed', '01', 'alex', 0, 1);
    INSERT INTO tender (sale_id, number, kind, amount_cents, rounding_cents, tendered_cents, change_cents, at) VALUES ('S', 1, 'cash', 2262, -2, 2260, 0, 1);
    INSERT INTO sale_return (id, sequence, sale_id, lane, cashier_id, at, subtotal_cents, taxes, total_cents) VALUES ('B', 2, 'S', '01', 'alex', 9, 2262, '[]', 2262);
    INSERT INTO voucher (id, kind, code_hash, code_sealed, last4, issued_at) VALUES ('${'A'.repeat(32)}', 'store-credit', x'01', x'02', 'QRST', 9);`)
  return { db, after: () => migrate(db, readMigrations().slice(0, upTo + 1)) }
}

const REFUND = 'INSERT INTO refund (return_id, number, kind, paid_by, amount_cents, rounding_cents, voucher_id) VALUES'
const CREDIT = `${REFUND} ('B', 1, 'store-credit', 'cash', 2262, 0, '${'A'.repeat(32)}')`

test('what coins paid goes back whole as store credit', async () => {
  const { db, after } = await before()
  expect(() => db.exec(CREDIT)).toThrow('more goes back than was paid')
  await after()
  db.exec(CREDIT)
  expect(() => db.exec(`${REFUND} ('B', 2, 'cash', 'cash', 1, -1, NULL)`)).toThrow('more goes back than was paid')
})

test('no more coins leave than came in', async () => {
  const { db, after } = await before()
  await after()
  expect(() => db.exec(`${REFUND} ('B', 1, 'cash', 'cash', 2262, 0, NULL)`)).toThrow('more goes back than was paid')
  db.exec(`${REFUND} ('B', 1, 'cash', 'cash', 2262, -2, NULL)`)
})
