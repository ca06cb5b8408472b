import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from './database.ts'
import { COMPLETED, openSchema, type Refusal, type Row, type Schema } from './schema.fixture.ts'

/**
 * Fills a database with the $5.00 gift card V1, which S2 sold and of which S1 spent $3.00, and V2, which was never
 * issued.
 */
async function withVouchers(): Promise<Schema> {
  const schema = await openSchema()
  const { insert } = schema
  insert('sale', COMPLETED)
  insert('sale', { id: 'S2', sequence: 2, ...COMPLETED })
  insert('sale_return')
  insert('operation', { state: 'reversal-expired', open: 0 })
  insert('voucher')
  insert('voucher', UNUSED)
  insert('voucher_entry', { sale_id: 'S2', sale_line_number: 1 })
  insert('voucher_entry', { kind: 'redeemed', amount_cents: 300, sale_id: 'S1' })
  return schema
}

const UNUSED = { id: 'V2', code_hash: Buffer.from([3]) } as const
const THIRD = { id: 'V3', code_hash: Buffer.from([5]) } as const
const SPENT = { kind: 'redeemed', sale_id: 'S1' } as const
const BACK = { kind: 'given-back', sale_id: 'S1' } as const
const IN_PLACE_OF_MILES = { voucher_id: 'V2', operation_id: 'R1', sale_id: 'S1' } as const

const entry = (values: Row) => (schema: Schema) => {
  schema.insert('voucher_entry', values)
}
const voucher = (values: Row) => (schema: Schema) => {
  schema.insert('voucher', values)
}
const sql = (text: string) => (schema: Schema) => {
  schema.db.exec(text)
}

const REFUSED: readonly Refusal[] = [
  ['a payment above the balance', entry({ ...SPENT, amount_cents: 201 }), 'more than the voucher holds'],
  [
    'a payment with a voucher that was never issued',
    entry({ ...SPENT, voucher_id: 'V2' }),
    'more than the voucher holds',
  ],
  ['a reversal above the payment', entry({ ...BACK, amount_cents: 301 }), 'more than the voucher paid'],
  [
    'a second reversal',
    (schema) => {
      entry({ ...BACK, amount_cents: 300 })(schema)
      entry({ ...BACK, amount_cents: 1 })(schema)
    },
    'more than the voucher paid',
  ],
  ['a reversal for a sale without the payment', entry({ ...BACK, sale_id: 'S2' }), 'more than the voucher paid'],
  ['a second issue', entry({ return_id: 'B1' }), 'issued once'],
  ['an issue without a reason', entry({ voucher_id: 'V2', sale_id: 'S1' }), 'CHECK'],
  ['a second voucher of one line', entry({ voucher_id: 'V2', sale_id: 'S2', sale_line_number: 1 }), 'UNIQUE'],
  [
    'a second credit for a late reversal',
    (schema) => {
      schema.insert('voucher', THIRD)
      entry(IN_PLACE_OF_MILES)(schema)
      entry({ ...IN_PLACE_OF_MILES, voucher_id: 'V3' })(schema)
    },
    'append-only',
  ],
  ['a second voucher with one code', voucher({ id: 'V3' }), 'append-only'],
  ['a voucher without a sealed code', voucher({ ...THIRD, code_sealed: null }), 'NOT NULL'],
  ['a voucher without a code hash', voucher({ ...THIRD, code_hash: null }), 'NOT NULL'],
  ['the update of a voucher code', sql("UPDATE voucher SET code_hash = x'0d' WHERE id = 'V1'"), 'append-only'],
  ['the deletion of a voucher', sql('DELETE FROM voucher'), 'append-only'],
  ['the update of an entry', sql('UPDATE voucher_entry SET amount_cents = 999'), 'append-only'],
  ['the deletion of an entry', sql('DELETE FROM voucher_entry'), 'append-only'],
  [
    'the replacement of an entry',
    ({ replace }) => replace('voucher_entry', { id: 1, amount_cents: 999, return_id: 'B1', voucher_id: 'V2' }),
    'append-only',
  ],
]

describe('the voucher tables', () => {
  test.each(REFUSED)('reject rows and changes that break their constraints: %s', async (_case, ask, answer) => {
    const schema = await withVouchers()
    expect(() => ask(schema)).toThrow(answer)
  })
})

test('store credit can be issued for a return, and for a redemption whose reversal window has ended', async () => {
  const { insert, all } = await withVouchers()
  insert('voucher', THIRD)
  insert('voucher_entry', IN_PLACE_OF_MILES)
  insert('voucher_entry', { voucher_id: 'V3', return_id: 'B1' })
  expect(all("SELECT voucher_id FROM voucher_entry WHERE kind = 'issued'")).toEqual([['V1'], ['V2'], ['V3']])
})

test('of two connections that spend the last value of a voucher at the same time, only one succeeds', async () => {
  const { db } = await withVouchers()
  const other = openDatabase(db.name)
  onTestFinished(() => {
    other.close()
  })
  const spend =
    "INSERT INTO voucher_entry (voucher_id, at, kind, amount_cents, sale_id) VALUES ('V1', 9, 'redeemed', 200, 'S1')"
  db.exec('BEGIN IMMEDIATE')
  db.exec(spend)
  other.pragma('busy_timeout = 0')
  expect(() => other.exec(`BEGIN IMMEDIATE; ${spend}; COMMIT`)).toThrow('locked')
  db.exec('COMMIT')
  expect(() => other.exec(spend)).toThrow('more than the voucher holds')
})

test('queries of a voucher by its code, and of its balance, use an index', async () => {
  const { plan } = await openSchema()
  expect(plan("SELECT id FROM voucher WHERE code_hash = x'01'")).toContain('USING INDEX')
  expect(plan("SELECT sum(amount_cents) FROM voucher_entry WHERE voucher_id = 'X'")).toContain(
    'USING INDEX voucher_entry_by_voucher',
  )
})
