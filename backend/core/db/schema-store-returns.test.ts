import { describe, expect, test } from 'vitest'
import { CONFIRMED, OPEN_RESERVATIONS } from '../../payments/rows/store-returns.sql.ts'
import { openSchema, type Refusal, type Schema } from './schema.fixture.ts'

const RESERVATION = '00000000-0000-4000-8000-00000000000'

/**
 * Fills a database with the sale S9 of another lane (line 1: three pieces), paid with $12.60 in coins for $12.62, and
 * $10.00 by card; its return B1 of one piece with $5.00 refunded in cash, the empty return B2; and the return B3
 * without a reservation.
 */
async function withReturns(): Promise<Schema> {
  const schema = await openSchema()
  const { insert, db } = schema
  for (const [index, id] of ['B1', 'B2', 'B3'].entries())
    insert('sale_return', { id, sequence: 11 + index, sale_id: null, approved_by: 'sam', reason: '-' })
  db.exec(`
    INSERT INTO store_sale (id, lane, receipt) VALUES ('S9', '02', '{}');
    INSERT INTO store_sale_line (sale_id, number, sold) VALUES ('S9', 1, 3);
    INSERT INTO store_sale_payment (sale_id, paid_by, paid_cents, coin_cents)
      VALUES ('S9', 'cash', 1262, 1260), ('S9', 'card', 1000, 1000);
    INSERT INTO store_claim (id, sale_id, state, asked_at)
      VALUES ('${RESERVATION}1', 'S9', 'granted', 1), ('${RESERVATION}2', 'S9', 'granted', 1),
        ('${RESERVATION}3', 'S9', 'asked', 1);
    UPDATE store_claim SET state = 'committed', return_id = 'B1' WHERE id = '${RESERVATION}1';
    UPDATE store_claim SET state = 'committed', return_id = 'B2' WHERE id = '${RESERVATION}2';
    INSERT INTO store_return (return_id, sale_id) VALUES ('B1', 'S9'), ('B2', 'S9');
    INSERT INTO store_return_line (return_id, number, sale_line_number, quantity) VALUES ('B1', 1, 1, 1);
    INSERT INTO store_refund (return_id, number, kind, paid_by, amount_cents) VALUES ('B1', 1, 'cash', 'cash', 500)`)
  insert('voucher', { kind: 'store-credit' })
  return schema
}

const sql = (text: string) => (schema: Schema) => {
  schema.db.exec(text)
}
const line = (number: number, quantity: number) =>
  sql(`INSERT INTO store_return_line (return_id, number, sale_line_number, quantity)
    VALUES ('B2', 1, ${number}, ${quantity})`)
const refund = (kind: string, paidBy: string, cents: number, roundingCents = 0) =>
  sql(`INSERT INTO store_refund (return_id, number, kind, paid_by, amount_cents, rounding_cents, voucher_id)
    VALUES ('B2', 1, '${kind}', '${paidBy}', ${cents}, ${roundingCents},
    ${kind === 'store-credit' ? "'V1'" : 'NULL'})`)
const reservation = (number: number, state: string) =>
  sql(`UPDATE store_claim SET state = '${state}' WHERE id = '${RESERVATION}${number}'`)

const REFUSED: readonly Refusal[] = [
  ['a return without a reservation', sql("INSERT INTO store_return VALUES ('B3', 'S9', NULL, NULL)"), 'a claim'],
  ['more pieces than were sold', line(1, 3), 'more is returned than was sold'],
  ['pieces of an unknown line', line(2, 1), 'more is returned than was sold'],
  ['a card refund above the card payment', refund('card', 'card', 1_001), 'more goes back than was paid'],
  ['store credit above the payment', refund('store-credit', 'cash', 763), 'more goes back than was paid'],
  ['more coins than came in', refund('cash', 'cash', 762, 3), 'more goes back than was paid'],
  ['a refund for a kind that did not pay', refund('store-credit', 'miles', 1), 'more goes back than was paid'],
  ['the update of a refund', sql('UPDATE store_refund SET amount_cents = 1'), 'written once'],
  ['the commit of a reservation without a return', reservation(3, 'committed'), 'granted'],
  ['a second commit of a reservation', reservation(1, 'granted'), 'committed once'],
  [
    'the grant of an abandoned reservation',
    (schema) => (reservation(3, 'releasing')(schema), reservation(3, 'granted')(schema)),
    'committed once',
  ],
  ['the deletion of a reservation', sql('DELETE FROM store_claim'), 'never deleted'],
]

describe('the tables for returns of another lane’s sale', () => {
  test.each(REFUSED)('reject rows and changes that break their constraints: %s', async (_case, ask, answer) => {
    const schema = await withReturns()
    expect(() => ask(schema)).toThrow(answer)
  })
})

test('another lane’s sale can be returned and refunded completely', async () => {
  const schema = await withReturns()
  line(1, 2)(schema)
  refund('cash', 'cash', 762, -2)(schema)
  expect(schema.all('SELECT sum(amount_cents + rounding_cents) FROM store_refund')).toEqual([[1260]])
})

test('a sale that the store server once confirmed stays confirmed, even after a restore of the server', async () => {
  const { db, all } = await openSchema()
  db.exec(`INSERT INTO store_told (kind, subject) VALUES ('sale', 'S1'), ('sale', 'S2')`)
  const confirmed = () => ['S1', 'S2'].map((id) => all(CONFIRMED.replace('?', `'${id}'`)))
  const recordEpoch = (seq: number) => db.exec(`UPDATE store_stream SET told = ${seq}`)
  expect(confirmed()).toEqual([[[0]], [[0]]])
  recordEpoch(1)
  expect(confirmed()).toEqual([[[1]], [[0]]])
  recordEpoch(0)
  expect(confirmed()).toEqual([[[1]], [[0]]])
  recordEpoch(2)
  expect(confirmed()).toEqual([[[1]], [[1]]])
})

test('queries of confirmed sales and of open reservations use an index', async () => {
  const { plan } = await openSchema()
  expect(plan(CONFIRMED.replace('?', "'S1'"))).toContain('INDEX store_fact_of_subject (subject=? AND kind=?)')
  expect(plan(OPEN_RESERVATIONS)).toContain('INDEX store_claim_open')
})
