import { describe, expect, test } from 'vitest'
import { openTestDatabase } from '../http/testing.ts'
import { OPEN_DRAWS } from '../../payments/rows/store-vouchers.sql.ts'
import { COMPLETED, openSchema, type Refusal, type Row, type Schema } from './schema.fixture.ts'

const DRAW_1 = '5f0c9f0e-3b1d-4c55-9a77-000000000001'
const DRAW_2 = '5f0c9f0e-3b1d-4c55-9a77-000000000002'

/**
 * Fills a database with the $5.00 gift card V1, which S2 sold, and V2 of another lane, of which $3.00 was drawn and
 * $1.00 of that paid on S1.
 */
async function withVouchers(): Promise<Schema> {
  const schema = await openSchema()
  const { insert } = schema
  insert('sale', COMPLETED)
  insert('sale', { id: 'S2', sequence: 2, ...COMPLETED })
  insert('voucher')
  insert('voucher', { id: 'V2', code_hash: Buffer.from([3]) })
  insert('voucher_entry', { sale_id: 'S2', sale_line_number: 1 })
  insert('voucher_draw')
  insert('voucher_transfer')
  insert('voucher_use')
  return schema
}
const into =
  (table: 'voucher_transfer' | 'voucher_use' | 'voucher_draw', values: Row) =>
  (schema: Schema): void => {
    schema.insert(table, values)
  }
const sql =
  (text: string) =>
  (schema: Schema): void => {
    schema.db.exec(text)
  }
const OVER = { id: DRAW_2, direction: 'handed-over', reason: 'surplus' } as const

const REFUSED: readonly Refusal[] = [
  [
    'a transfer above the value at this lane',
    into('voucher_transfer', { ...OVER, amount_cents: 201 }),
    'more than the voucher',
  ],
  [
    'a second transfer of an own card',
    (schema) => {
      schema.insert('voucher_transfer', { ...OVER, voucher_id: 'V1', amount_cents: 500 })
      schema.insert('voucher_transfer', { ...OVER, id: DRAW_1.replace(/1$/, '3'), voucher_id: 'V1', amount_cents: 1 })
    },
    'more than the voucher',
  ],
  ['a payment above the drawn amount', into('voucher_use', { id: 2, amount_cents: 201 }), 'more than the voucher'],
  ['a refund above the payment', into('voucher_use', { id: 2, kind: 'given-back', amount_cents: 101 }), 'voucher paid'],
  ['a transfer with a used number', into('voucher_transfer', { amount_cents: 1 }), 'append-only'],
  ['the update of a transfer', sql('UPDATE voucher_transfer SET amount_cents = 1'), 'append-only'],
  ['the deletion of a transfer', sql('DELETE FROM voucher_transfer'), 'append-only'],
  ['the update of a payment', sql('UPDATE voucher_use SET amount_cents = 1'), 'append-only'],
  ['the deletion of a payment', sql('DELETE FROM voucher_use'), 'append-only'],
  [
    'the cancellation of a completed draw',
    sql("UPDATE voucher_draw SET state = 'drawn'; UPDATE voucher_draw SET state = 'cancelling'"),
    'settled once',
  ],
  [
    'the completion of a cancelled draw',
    sql("UPDATE voucher_draw SET state = 'cancelling'; UPDATE voucher_draw SET state = 'drawn'"),
    'settled once',
  ],
  [
    'a completed draw with another amount',
    sql("UPDATE voucher_draw SET amount_cents = 1, state = 'drawn'"),
    'settled once',
  ],
  ['the deletion of a draw', sql('DELETE FROM voucher_draw'), 'settled once'],
  ['a draw with a used number', into('voucher_draw', {}), 'settled once'],
  [
    'a second comparison of an epoch',
    sql(`INSERT INTO voucher_epoch VALUES (2, 1, NULL); UPDATE voucher_epoch SET compared_at = 5;
      UPDATE voucher_epoch SET compared_at = 6`),
    'compared once',
  ],
]

describe('the voucher transfer tables', () => {
  test.each(REFUSED)('reject rows and changes that break their constraints: %s', async (_case, refused, message) => {
    const schema = await withVouchers()
    expect(() => {
      refused(schema)
    }).toThrow(message)
  })
})

test('the whole voucher value at this lane can be transferred, which creates one fact', async () => {
  const { db, insert } = await withVouchers()
  insert('voucher_transfer', { ...OVER, amount_cents: 200 })
  expect(db.prepare('SELECT voucher_id, sum(cents) AS cents FROM voucher_movement GROUP BY 1').all()).toEqual([
    { voucher_id: 'V1', cents: 500 },
    { voucher_id: 'V2', cents: 0 },
  ])
  const facts = db.prepare("SELECT kind, subject FROM store_fact WHERE kind LIKE 'voucher-%' ORDER BY seq").all()
  expect(facts).toEqual([
    { kind: 'voucher-entry', subject: '1' },
    { kind: 'voucher-transfer', subject: DRAW_1 },
    { kind: 'voucher-use', subject: '1' },
    { kind: 'voucher-transfer', subject: DRAW_2 },
  ])
})

test('the query for open draws on vouchers uses their index', async () => {
  const db = await openTestDatabase()
  const plan = db
    .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${OPEN_DRAWS}`)
    .all()
    .map(({ detail }) => detail)
  expect(plan.join('\n')).toContain('voucher_draw_open')
})
