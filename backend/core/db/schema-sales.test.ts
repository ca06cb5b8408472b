import { createPlainTransact } from './transact.ts'
import { describe, expect, test } from 'vitest'
import { createSalesRepository } from '../../sales/sale/sales.sql.ts'
import { COMPLETED, openSchema, type Refusal, type Schema } from './schema.fixture.ts'

async function withSales(): Promise<Schema> {
  const schema = await openSchema()
  schema.insert('sale')
  schema.insert('sale_line')
  schema.insert('sale', { id: 'S2', sequence: 2, ...COMPLETED })
  return schema
}

const COUPON = {
  reaches: 'sale',
  target: null,
  off_cents: null,
  off_ppm: 50_000,
  reason: null,
  coupon: 'ALL5',
} as const
const NAMED = { ...COUPON, names: '{"en-CA":"Spring"}' } as const

const REFUSED: readonly Refusal[] = [
  ['a second open sale on a lane', ({ insert }) => insert('sale', { id: 'S3', sequence: 3 }), 'UNIQUE'],
  [
    'a completed sale without its closing time',
    ({ insert }) => insert('sale', { id: 'S3', sequence: 3, ...COMPLETED, closed_at: null }),
    'CHECK',
  ],
  [
    'a completed sale without its taxes',
    ({ insert }) => insert('sale', { id: 'S3', sequence: 3, ...COMPLETED, taxes: null }),
    'CHECK',
  ],
  [
    'an open sale with a closing time',
    ({ insert }) => insert('sale', { id: 'S3', sequence: 3, lane: '02', closed_at: 5 }),
    'CHECK',
  ],
  ['a number given to two sales', ({ insert }) => insert('sale', { id: 'S3', lane: '02' }), 'UNIQUE'],
  [
    'a sale of an unknown person',
    ({ insert }) => insert('sale', { id: 'S3', sequence: 3, lane: '02', cashier_id: 'nobody' }),
    'FOREIGN KEY',
  ],
  ['a sale served by an unknown person', ({ db }) => db.exec("UPDATE sale SET served_by = 'nobody'"), 'FOREIGN KEY'],
  ['a collector without the sealed number', ({ db }) => db.exec("UPDATE sale SET member_last4 = '0011'"), 'CHECK'],
  ['an inquiry that is no JSON', ({ db }) => db.exec("UPDATE sale SET inquiry = '{'"), 'CHECK'],
  ['an empty note', ({ db }) => db.exec("UPDATE sale SET note = ''"), 'CHECK'],
  ['a note that is too long', ({ db }) => db.exec(`UPDATE sale_line SET note = '${'x'.repeat(121)}'`), 'CHECK'],
  ['a line of an unknown sale', ({ insert }) => insert('sale_line', { sale_id: 'nowhere' }), 'FOREIGN KEY'],
  ['a repeated line number', ({ insert }) => insert('sale_line'), 'UNIQUE'],
  ['a quantity of 0', ({ db }) => db.exec('UPDATE sale_line SET quantity = 0'), 'CHECK'],
  ['a thousand pieces', ({ db }) => db.exec('UPDATE sale_line SET quantity = 1000'), 'CHECK'],
  ['a price in dollars', ({ db }) => db.exec('UPDATE sale_line SET unit_price_cents = 1.5'), 'cannot store REAL'],
  ['names that are not JSON', ({ db }) => db.exec("UPDATE sale_line SET names = 'Pear'"), 'CHECK'],
  ['a sale deleted under its lines', ({ db }) => db.exec("DELETE FROM sale WHERE id = 'S1'"), 'FOREIGN KEY'],
  ['a discount of 0', ({ insert }) => insert('sale_discount', { off_cents: 0 }), 'CHECK'],
  ['a discount with an amount and a percentage', ({ insert }) => insert('sale_discount', { off_ppm: 5 }), 'CHECK'],
  ['a manual discount without an amount', ({ insert }) => insert('sale_discount', { off_cents: null }), 'CHECK'],
  [
    'a discount above 100%',
    ({ insert }) => insert('sale_discount', { off_cents: null, off_ppm: 1_000_001 }),
    'CHECK constraint failed',
  ],
  ['a line discount without its line', ({ insert }) => insert('sale_discount', { target: null }), 'CHECK'],
  ['a discount without a reason or a coupon', ({ insert }) => insert('sale_discount', { reason: null }), 'CHECK'],
  ['a coupon without a name', ({ insert }) => insert('sale_discount', COUPON), 'CHECK'],
  [
    'an unknown approver',
    ({ insert }) => insert('sale_discount', { approved_by: 'ghost' }),
    'FOREIGN KEY constraint failed',
  ],
  ['a discount on a closed sale', ({ insert }) => insert('sale_discount', { sale_id: 'S2' }), 'open sale'],
]

describe('the sale tables', () => {
  test.each(REFUSED)('reject rows and changes that break their constraints: %s', async (_case, ask, answer) => {
    const schema = await withSales()
    expect(() => ask(schema)).toThrow(answer)
  })
})

test('a sale belongs to the person who opened it until another person continues it', async () => {
  const { db } = await withSales()
  const sales = createSalesRepository(db)
  expect(sales.byId('S1')?.servedBy).toBe('alex')
  createPlainTransact(db)((tx) => {
    sales.serve(tx, 'S1', 'sam')
  })
  expect([sales.byId('S1')?.servedBy, sales.byId('S2')?.servedBy]).toEqual(['sam', 'alex'])
})

describe('a discount', () => {
  test('can be granted once per sale for a coupon, and again after it was removed', async () => {
    const { db, insert } = await withSales()
    insert('sale_discount', NAMED)
    expect(() => insert('sale_discount', { ...NAMED, number: 2 })).toThrow('UNIQUE')
    db.exec('UPDATE sale_discount SET removed = 1 WHERE number = 1')
    insert('sale_discount', { ...NAMED, number: 2 })
    expect(() => db.exec('UPDATE sale_discount SET removed = 0 WHERE number = 1')).toThrow('UNIQUE')
  })

  test('keeps its granted values, and cannot be removed after the sale is closed', async () => {
    const { db, insert, replace } = await withSales()
    insert('sale_discount')
    expect(() => db.exec('UPDATE sale_discount SET off_cents = 1')).toThrow('stays as it was granted')
    expect(() => db.exec('DELETE FROM sale_discount')).toThrow('never deleted')
    expect(() => replace('sale_discount')).toThrow('granted once')
    db.exec(
      "UPDATE sale SET state = 'completed', closed_at = 1, taxes = '[]', totals = '{}', shift_id = 1 WHERE id = 'S1'",
    )
    expect(() => db.exec('UPDATE sale_discount SET removed = 1')).toThrow('closed')
  })

  test('is read with its sale through an index', async () => {
    const { plan } = await openSchema()
    expect(plan("SELECT number FROM sale_discount WHERE sale_id = +'S1' AND removed = 0 ORDER BY number")).toBe(
      'SEARCH sale_discount USING PRIMARY KEY (sale_id=?)',
    )
  })
})

const HOLD = "UPDATE sale SET held_at = 9, held_as = '1' WHERE id = 'S1'"
const RESUME = "UPDATE sale SET held_at = NULL, held_as = NULL WHERE id = 'S1'"

describe('a held sale', () => {
  test('can exist in addition to an open sale of the lane, but is not resumed before that sale is closed', async () => {
    const { db, insert } = await withSales()
    db.exec(HOLD)
    insert('sale', { id: 'S3', sequence: 3 })
    expect(() => db.exec(RESUME)).toThrow('UNIQUE')
  })

  test('is still open, has a name, has no payments and accepts none', async () => {
    const { db, insert } = await withSales()
    expect(() => db.exec(HOLD.replace('S1', 'S2'))).toThrow('CHECK')
    expect(() => db.exec("UPDATE sale SET held_at = 9 WHERE id = 'S1'")).toThrow('CHECK')
    db.exec(HOLD)
    expect(() => insert('tender')).toThrow('a sale on hold takes no payment')
    expect(() =>
      db.exec("UPDATE sale SET state = 'cancelled', closed_at = 9, taxes = '[]', shift_id = 1 WHERE id = 'S1'"),
    ).toThrow('CHECK')
    db.exec(RESUME)
    insert('tender')
    expect(() => db.exec(HOLD)).toThrow('a sale that was paid on is not put on hold')
    insert('tender', { number: 2, amount_cents: -500, tendered_cents: -500, takes_back: 1 })
    expect(() => db.exec(HOLD), 'what was given back is owed no more').not.toThrow()
  })

  test.each([
    ['intent', 1],
    ['retry', 1],
    ['approved', 0],
    ['escalated', 0],
    ['reversing', 1],
  ])('cannot have a redemption that is %s', async (state, open) => {
    const { db, insert } = await withSales()
    insert('operation', { state, open })
    expect(() => db.exec(HOLD)).toThrow('a sale that was paid on is not put on hold')
  })

  test.each(['declined', 'reversed'])('can have a redemption that is %s', async (state) => {
    const { db, insert } = await withSales()
    insert('operation', { state, open: 0 })
    expect(() => db.exec(HOLD)).not.toThrow()
  })
})

test('the query for the open sale of a lane uses its own index', async () => {
  const { plan } = await openSchema()
  expect(plan("SELECT id FROM sale WHERE lane = '01' AND state = 'open' AND held_at IS NULL")).toBe(
    'SEARCH sale USING INDEX sale_one_open_per_lane (lane=?)',
  )
})
