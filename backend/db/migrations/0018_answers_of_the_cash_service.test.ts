import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../http/testing.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { openDatabase } from '../open.ts'

test('entries from before it stay as they were, and store credit is issued for a cancelled sale once', async () => {
  const db = openDatabase(join(temporaryFolder(), 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  const upTo = readMigrations().findIndex(({ name }) => name === 'answers_of_the_cash_service')
  await migrate(db, readMigrations().slice(0, upTo))
  const entry =
    'INSERT INTO voucher_entry (voucher_id, at, kind, amount_cents, return_id, operation_id, sale_id, sale_line_number)'
  const [card, credit, late, idle] = ['A', 'B', 'C', 'D'].map((letter) => letter.repeat(32))
  db.exec(`
    INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'manager', 'en-CA');
    INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at) VALUES ('S1', 1, 1, 'cancelled', '01', 'alex', 0, 1);
    INSERT INTO sale_return (id, sequence, lane, cashier_id, approved_by, reason, at, subtotal_cents, taxes, total_cents) VALUES ('B1', 2, '01', 'alex', 'alex', 'x', 9, 500, '[]', 500);
    INSERT INTO operation (id, kind, intention, sale_id, collector_hash, state, created_at, changed_at) VALUES ('R1', 'redemption', 'redeem', 'S1', x'0a', 'reversal-expired', 1, 2), ('R2', 'redemption', 'redeem', 'S1', x'0a', 'reversal-expired', 1, 2);
    INSERT INTO voucher (id, kind, code_hash, code_sealed, last4, issued_at) VALUES ('${card}', 'gift-card', x'01', x'02', 'QRST', 9), ('${credit}', 'store-credit', x'03', x'04', 'QRST', 9), ('${late}', 'store-credit', x'05', x'06', 'QRST', 9), ('${idle}', 'store-credit', x'07', x'08', 'QRST', 9);
    ${entry} VALUES ('${card}', 9, 'issued', 500, NULL, NULL, 'S1', 1), ('${card}', 9, 'redeemed', 300, NULL, NULL, 'S1', NULL), ('${credit}', 9, 'issued', 500, 'B1', 'R1', NULL, NULL);
  `)
  const before = db.prepare('SELECT * FROM voucher_entry ORDER BY id').all()
  expect(
    () => db.exec(`${entry} VALUES ('${late}', 9, 'issued', 4000, NULL, 'R2', 'S1', NULL)`),
    'the schema before knows no such credit',
  ).toThrow(/CHECK/)

  await migrate(db, readMigrations())
  expect(db.prepare('SELECT * FROM voucher_entry ORDER BY id').all()).toEqual(before)
  db.exec(`${entry} VALUES ('${late}', 9, 'issued', 4000, NULL, 'R2', 'S1', NULL)`)
  expect(() => db.exec(`${entry} VALUES ('${late}', 9, 'issued', 4000, NULL, 'R2', 'S1', NULL)`)).toThrow(
    /issued once|append-only/,
  )
  expect(() => db.exec(`${entry} VALUES ('${card}', 9, 'redeemed', 201, NULL, NULL, 'S1', NULL)`)).toThrow(
    'more than the voucher holds',
  )
  expect(() => db.exec(`${entry} VALUES ('${card}', 9, 'given-back', 301, NULL, NULL, 'S1', NULL)`)).toThrow(
    'more than the voucher paid',
  )
  expect(() => db.exec('UPDATE voucher_entry SET amount_cents = 1')).toThrow('append-only')
  expect(() => db.exec('DELETE FROM voucher_entry')).toThrow('append-only')
  expect(
    () => db.exec(`${entry} VALUES ('${idle}', 9, 'issued', 1, NULL, NULL, 'S1', NULL)`),
    'for nothing in particular',
  ).toThrow('CHECK constraint failed')
  expect(db.pragma('foreign_key_check')).toEqual([])
})
