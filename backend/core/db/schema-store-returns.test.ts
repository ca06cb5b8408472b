import { describe, expect, test } from 'vitest'
import { CONFIRMED, OPEN_CLAIMS } from '../../payments/rows/store-returns.sql.ts'
import { openSchema, type Refusal, type Schema } from './schema.fixture.ts'

const CLAIM = '00000000-0000-4000-8000-00000000000'

/**
 * The sale S9 of another lane (line 1: three pieces), paid with $12.60 in coins for $12.62, and $10.00 by card; its
 * return B1 of one piece that gave $5.00 in cash back; B2 of it that has nothing yet; and B3 without a record.
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
      VALUES ('${CLAIM}1', 'S9', 'granted', 1), ('${CLAIM}2', 'S9', 'granted', 1), ('${CLAIM}3', 'S9', 'asked', 1);
    UPDATE store_claim SET state = 'committed', return_id = 'B1' WHERE id = '${CLAIM}1';
    UPDATE store_claim SET state = 'committed', return_id = 'B2' WHERE id = '${CLAIM}2';
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
const claim = (number: number, state: string) =>
  sql(`UPDATE store_claim SET state = '${state}' WHERE id = '${CLAIM}${number}'`)

const REFUSED: readonly Refusal[] = [
  ['a return that nothing was claimed for', sql("INSERT INTO store_return VALUES ('B3', 'S9', NULL, NULL)"), 'a claim'],
  ['more pieces than were sold', line(1, 3), 'more is returned than was sold'],
  ['pieces of a line that was not sold', line(2, 1), 'more is returned than was sold'],
  ['more for the card than it paid', refund('card', 'card', 1_001), 'more goes back than was paid'],
  ['as store credit no more either', refund('store-credit', 'cash', 763), 'more goes back than was paid'],
  ['more coins than came in', refund('cash', 'cash', 762, 3), 'more goes back than was paid'],
  ['for a kind that paid nothing', refund('store-credit', 'miles', 1), 'more goes back than was paid'],
  ['a refund that is changed', sql('UPDATE store_refund SET amount_cents = 1'), 'written once'],
  ['a claim that is committed without a return', claim(3, 'committed'), 'granted'],
  ['a claim that is committed twice', claim(1, 'granted'), 'committed once'],
  [
    'a claim that was given up and is granted',
    (schema) => (claim(3, 'releasing')(schema), claim(3, 'granted')(schema)),
    'committed once',
  ],
  ['a claim that is deleted', sql('DELETE FROM store_claim'), 'never deleted'],
]

describe('of returns of another lane’s sale the database refuses', () => {
  test.each(REFUSED)('%s', async (_what, ask, answer) => {
    const schema = await withReturns()
    expect(() => ask(schema)).toThrow(answer)
  })
})

test('what was sold and paid is taken back to the last piece and cent', async () => {
  const schema = await withReturns()
  line(1, 2)(schema)
  refund('cash', 'cash', 762, -2)(schema)
  expect(schema.all('SELECT sum(amount_cents + rounding_cents) FROM store_refund')).toEqual([[1260]])
})

test('a sale that the store ever had stays the store’s, however far its database went back', async () => {
  const { db, all } = await openSchema()
  db.exec(`INSERT INTO store_told (kind, subject) VALUES ('sale', 'S1'), ('sale', 'S2')`)
  const confirmed = () => ['S1', 'S2'].map((id) => all(CONFIRMED.replace('?', `'${id}'`)))
  const tellTo = (seq: number) => db.exec(`UPDATE store_stream SET told = ${seq}`)
  expect(confirmed()).toEqual([[[0]], [[0]]])
  tellTo(1)
  expect(confirmed()).toEqual([[[1]], [[0]]])
  tellTo(0)
  expect(confirmed()).toEqual([[[1]], [[0]]])
  tellTo(2)
  expect(confirmed()).toEqual([[[1]], [[1]]])
})

test('whether a sale is confirmed, and which claims are open, is found by an index', async () => {
  const { plan } = await openSchema()
  expect(plan(CONFIRMED.replace('?', "'S1'"))).toContain('INDEX store_fact_of_subject (subject=? AND kind=?)')
  expect(plan(OPEN_CLAIMS)).toContain('INDEX store_claim_open')
})
