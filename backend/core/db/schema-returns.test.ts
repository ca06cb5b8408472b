import { describe, expect, test } from 'vitest'
import { COMPLETED, openSchema, type Refusal, type Row, type Schema } from './schema.fixture.ts'

/**
 * Fills a database with the completed sale S1 (line 1: three pieces at $7.53; line 2: void), paid with $12.60 in coins
 * for $12.59 and $10.00 in miles; its return B1 of one piece with $5.00 refunded in cash, the empty return B2; and the
 * return B3 without a record of its sale.
 */
async function withReturns(): Promise<Schema> {
  const schema = await openSchema()
  const { insert } = schema
  insert('sale', COMPLETED)
  insert('sale_line', { unit_price_cents: 753 })
  insert('sale_line', { number: 2, voided: 1 })
  insert('operation', { state: 'approved', open: 0 })
  insert('tender', { amount_cents: 1259, rounding_cents: 1, tendered_cents: 1300, change_cents: 40 })
  insert('tender', { number: 2, kind: 'miles', amount_cents: 1000, tendered_cents: 1000, operation_id: 'R1' })
  insert('sale_return')
  insert('sale_return', { id: 'B2', sequence: 12 })
  insert('sale_return', { ...UNRECORDED, id: 'B3', sequence: 13 })
  insert('return_line', { unit_price_cents: 753 })
  insert('refund')
  insert('voucher', CREDIT)
  return schema
}

const UNRECORDED = { sale_id: null, approved_by: 'sam', reason: 'no receipt' } as const
const CREDIT = { kind: 'store-credit' } as const
const NEW = { id: 'B9', sequence: 19 } as const
const OF_CREDIT = { kind: 'store-credit', voucher_id: 'V1' } as const
const OF_MILES = { kind: 'miles', paid_by: 'miles', operation_id: 'R1' } as const

const insertReturn = (values: Row) => (schema: Schema) => {
  schema.insert('sale_return', values)
}
const line = (values: Row) => (schema: Schema) => {
  schema.insert('return_line', { return_id: 'B2', ...values })
}
const refund = (values: Row) => (schema: Schema) => {
  schema.insert('refund', { return_id: 'B2', ...values })
}
const sql = (text: string) => (schema: Schema) => {
  schema.db.exec(text)
}

const REFUSED: readonly Refusal[] = [
  ['a return without a record and without an approver', insertReturn({ ...NEW, sale_id: null }), 'CHECK'],
  ['a second return with one number', insertReturn({ ...NEW, sequence: 11 }), 'written once'],
  ['the update of a return', sql("UPDATE sale_return SET total_cents = 0 WHERE id = 'B1'"), 'written once'],
  ['the deletion of a return', sql("DELETE FROM sale_return WHERE id = 'B2'"), 'written once'],
  ['the replacement of a return', ({ replace }) => replace('sale_return', { ...NEW, id: 'B1' }), 'written once'],

  ['more pieces than were sold', line({ quantity: 3 }), 'more is returned than was sold'],
  [
    'more pieces than were sold, over two lines of one return',
    (schema) => {
      line({ quantity: 1 })(schema)
      line({ number: 2, quantity: 2 })(schema)
    },
    'more is returned than was sold',
  ],
  ['a void line', line({ sale_line_number: 2 }), 'more is returned than was sold'],
  ['an unknown line', line({ sale_line_number: 7 }), 'more is returned than was sold'],
  ['goods of a recorded sale without its line', line({ sale_line_number: null }), 'more is returned than was sold'],
  [
    'goods of an open sale',
    (schema) => {
      schema.insert('sale', { id: 'S2', sequence: 2 })
      schema.insert('sale_line', { sale_id: 'S2' })
      schema.insert('sale_return', { ...NEW, sale_id: 'S2' })
      line({ return_id: 'B9' })(schema)
    },
    'more is returned than was sold',
  ],
  ['nothing at all', line({ quantity: 0 }), 'CHECK'],
  ['a discount above the price of a piece', line({ discount_cents: 501 }), 'CHECK'],
  ['the update of a returned line', sql('UPDATE return_line SET quantity = 2'), 'written once'],
  ['the deletion of a returned line', sql('DELETE FROM return_line'), 'written once'],
  ['the replacement of a returned line', ({ replace }) => replace('return_line'), 'written once'],

  ['more cash than came in', refund({ amount_cents: 765 }), 'more goes back than was paid'],
  ['a rounding above that of two payments', refund({ amount_cents: 5, rounding_cents: 5 }), 'CHECK'],
  ['cash that is not a multiple of five cents', refund({ amount_cents: 753 }), 'CHECK'],
  ['a rounding of miles', refund({ ...OF_MILES, rounding_cents: 1 }), 'CHECK'],
  [
    'a card that paid nothing',
    refund({ kind: 'card', paid_by: 'card', amount_cents: 1 }),
    'more goes back than was paid',
  ],
  ['more miles than were redeemed', refund({ ...OF_MILES, amount_cents: 1001 }), 'more goes back than was paid'],
  ['miles without their redemption', refund({ ...OF_MILES, operation_id: null }), 'CHECK'],
  ['cash in place of miles', refund({ paid_by: 'miles' }), 'CHECK'],
  [
    'store credit for more cash than came in',
    refund({ ...OF_CREDIT, amount_cents: 760 }),
    'more goes back than was paid',
  ],
  [
    'store credit for a voucher that did not pay',
    refund({ ...OF_CREDIT, paid_by: 'voucher', amount_cents: 1 }),
    'more goes back than was paid',
  ],
  ['store credit without the kind of payment', refund({ ...OF_CREDIT, paid_by: null }), 'not said what had paid'],
  ['store credit without its voucher', refund({ ...OF_CREDIT, voucher_id: null }), 'CHECK'],
  ['cash without a record', refund({ return_id: 'B3', amount_cents: 5 }), 'without a record only store credit'],
  [
    'one redemption reversed for two returns',
    (schema) => {
      refund(OF_MILES)(schema)
      schema.replace('refund', { ...OF_MILES, number: 3 })
    },
    'written once',
  ],
  ['the update of a refund', sql('UPDATE refund SET amount_cents = 1'), 'written once'],
  ['the deletion of a refund', sql('DELETE FROM refund'), 'written once'],
]

describe('the return and refund tables', () => {
  test.each(REFUSED)('reject rows and changes that break their constraints: %s', async (_case, ask, answer) => {
    const schema = await withReturns()
    expect(() => ask(schema)).toThrow(answer)
  })
})

test('the remaining goods of a sale can be returned completely, and no more refunded than was paid', async () => {
  const { insert, all } = await withReturns()
  insert('return_line', { return_id: 'B2', quantity: 2 })
  insert('refund', { return_id: 'B2', amount_cents: 759, rounding_cents: 1 })
  insert('refund', { return_id: 'B2', number: 2, ...OF_MILES, amount_cents: 1000 })
  expect(all('SELECT sum(amount_cents), sum(rounding_cents) FROM refund')).toEqual([[2259, 1]])
  expect(() => insert('refund', { return_id: 'B2', number: 3, ...OF_CREDIT, amount_cents: 1 })).toThrow(
    'more goes back than was paid',
  )
})

test('empties that paid a portion of a sale can be refunded as cash up to their value', async () => {
  const { insert } = await withReturns()
  insert('sale_line', { number: 3, sku: 'milepost:empties', quantity: 5, unit_price_cents: -10 })
  insert('refund', { return_id: 'B2', amount_cents: 809, rounding_cents: 1 })
  const more = { return_id: 'B2', number: 2, ...OF_CREDIT, amount_cents: 1 }
  expect(() => insert('refund', more)).toThrow('more goes back than was paid')
  insert('refund', { return_id: 'B2', number: 2, ...OF_MILES, amount_cents: 1000 })
})

describe('a sale of $22.62 that was paid in cash with $22.60', () => {
  async function paidInCoins(): Promise<Schema> {
    const schema = await openSchema()
    schema.insert('sale', COMPLETED)
    schema.insert('tender', { amount_cents: 2262, rounding_cents: -2, tendered_cents: 2260 })
    schema.insert('sale_return')
    schema.insert('voucher', CREDIT)
    return schema
  }

  test('can be refunded completely as store credit', async () => {
    const { insert } = await paidInCoins()
    insert('refund', { ...OF_CREDIT, amount_cents: 2262 })
    expect(() => insert('refund', { number: 2, amount_cents: 1, rounding_cents: -1 })).toThrow(
      'more goes back than was paid',
    )
  })

  test('can be refunded in cash only up to the cash received', async () => {
    const { insert } = await paidInCoins()
    expect(() => insert('refund', { amount_cents: 2262, rounding_cents: 3 })).toThrow('more goes back than was paid')
    insert('refund', { amount_cents: 2262, rounding_cents: -2 })
  })
})

test('queries of the returns of a sale and of a lane use an index', async () => {
  const { plan } = await openSchema()
  expect(plan("SELECT id FROM sale_return WHERE sale_id = 'S1' ORDER BY sequence")).toBe(
    'SEARCH sale_return USING INDEX sale_return_by_sale (sale_id=?)',
  )
  expect(plan("SELECT id FROM sale_return WHERE lane = '01' ORDER BY at DESC, sequence DESC")).toBe(
    'SEARCH sale_return USING INDEX sale_return_newest (lane=?)',
  )
  expect(plan("SELECT id FROM sale_return WHERE substr(id, -4) = 'K7QZ'")).toContain('sale_return_by_end_of_id')
})
