import { describe, expect, test } from 'vitest'
import { openSchema, type Refusal, type Row, type Schema } from './schema.fixture.ts'

async function paidOn(): Promise<Schema> {
  const schema = await openSchema()
  schema.insert('sale')
  schema.insert('tender')
  schema.insert('operation')
  schema.insert('voucher')
  return schema
}

const NEXT = { number: 2 } as const
const BACK = { number: 2, amount_cents: -500, tendered_cents: -500, takes_back: 1 } as const
const BY_CARD = { kind: 'gift-card', voucher_id: 'V1', voucher_balance_cents: 0 } as const
const tender = (values: Row) => (schema: Schema) => {
  schema.insert('tender', values)
}

const REFUSED: readonly Refusal[] = [
  ['miles without their redemption', tender({ ...NEXT, kind: 'miles' }), 'CHECK'],
  ['cash that names a redemption', tender({ ...NEXT, operation_id: 'R1' }), 'CHECK'],
  ['a gift card that names no voucher', tender({ ...NEXT, kind: 'gift-card' }), 'CHECK'],
  ['a voucher without its balance', tender({ ...NEXT, ...BY_CARD, voucher_balance_cents: null }), 'CHECK'],
  ['a gift card as store credit', tender({ ...NEXT, ...BY_CARD, kind: 'store-credit' }), 'pays as what it is'],
  ['cash that names a voucher', tender({ ...NEXT, ...BY_CARD, kind: 'cash' }), 'pays as what it is'],
  ['an unknown voucher', tender({ ...NEXT, ...BY_CARD, voucher_id: 'V9' }), 'FOREIGN KEY'],
  ['a payment without a kind', tender({ ...NEXT, kind: '' }), 'CHECK'],
  ['negative change', tender({ ...NEXT, change_cents: -100 }), 'CHECK'],
  ['a rounding of more than two cents', tender({ ...NEXT, rounding_cents: 3 }), 'CHECK'],
  ['the update of a payment', ({ db }) => db.exec('UPDATE tender SET amount_cents = 1'), 'written once'],
  ['the deletion of a payment', ({ db }) => db.exec('DELETE FROM tender'), 'written once'],
  ['the replacement of a payment', ({ replace }) => replace('tender', { amount_cents: 1 }), 'written once'],
  ['a partial reversal', tender({ ...BACK, amount_cents: -400, tendered_cents: -400 }), 'given back as it was taken'],
  ['a reversal in another form', tender({ ...BACK, kind: 'card' }), 'given back as it was taken'],
  ['the reversal of an unknown payment', tender({ ...BACK, takes_back: 9 }), 'given back as it was taken'],
  ['a reversal with fewer coins', tender({ ...BACK, tendered_cents: -400 }), 'given back as it was taken'],
  [
    'the reversal of a payment of a closed sale',
    (schema) => {
      schema.db.exec("UPDATE sale SET state = 'cancelled', closed_at = 1, taxes = '[]', shift_id = 1")
      schema.insert('tender', BACK)
    },
    'given back as it was taken',
  ],
]

describe('the tender table', () => {
  test.each(REFUSED)('rejects rows and changes that break its constraints: %s', async (_case, ask, answer) => {
    const schema = await paidOn()
    expect(() => ask(schema)).toThrow(answer)
  })

  test('rejects a second reversal of a payment, and the reversal of a reversal', async () => {
    const { insert } = await paidOn()
    insert('tender', BACK)
    expect(() => insert('tender', { ...BACK, number: 3 })).toThrow('UNIQUE')
    expect(() => insert('tender', { number: 3, takes_back: 2 })).toThrow('given back as it was taken')
  })
})

test('the tender table accepts a payment of any kind, so that a new tender type needs no migration', async () => {
  const { insert, all } = await paidOn()
  insert('tender', { number: 2, ...BY_CARD })
  insert('tender', { number: 3, kind: 'miles', operation_id: 'R1' })
  insert('tender', { number: 4, kind: 'cheque', reference: '0042' })
  expect(all('SELECT kind FROM tender ORDER BY number')).toEqual([['cash'], ['gift-card'], ['miles'], ['cheque']])
})

test('the query for the payments of a voucher uses an index', async () => {
  const { plan } = await openSchema()
  expect(plan("SELECT sale_id FROM tender WHERE voucher_id = 'V1'")).toContain('tender_by_voucher')
})
