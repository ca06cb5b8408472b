import { describe, expect, test } from 'vitest'
import { openSchema, type Refusal, type Row, type Schema } from './schema.fixture.ts'

/** The open sale S1 that $5.00 in cash were paid on, a redemption and a gift card. */
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
  ['a voucher without what was left on it', tender({ ...NEXT, ...BY_CARD, voucher_balance_cents: null }), 'CHECK'],
  ['a gift card as store credit', tender({ ...NEXT, ...BY_CARD, kind: 'store-credit' }), 'pays as what it is'],
  ['cash that names a voucher', tender({ ...NEXT, ...BY_CARD, kind: 'cash' }), 'pays as what it is'],
  ['a voucher that there is not', tender({ ...NEXT, ...BY_CARD, voucher_id: 'V9' }), 'FOREIGN KEY'],
  ['a payment of no kind', tender({ ...NEXT, kind: '' }), 'CHECK'],
  ['change below nothing', tender({ ...NEXT, change_cents: -100 }), 'CHECK'],
  ['a rounding of more than two cents', tender({ ...NEXT, rounding_cents: 3 }), 'CHECK'],
  ['a change of a payment', ({ db }) => db.exec('UPDATE tender SET amount_cents = 1'), 'written once'],
  ['a payment that is taken away', ({ db }) => db.exec('DELETE FROM tender'), 'written once'],
  ['another in its place', ({ replace }) => replace('tender', { amount_cents: 1 }), 'written once'],
  ['a part given back', tender({ ...BACK, amount_cents: -400, tendered_cents: -400 }), 'given back as it was taken'],
  ['another form given back', tender({ ...BACK, kind: 'card' }), 'given back as it was taken'],
  ['what is not there given back', tender({ ...BACK, takes_back: 9 }), 'given back as it was taken'],
  ['fewer coins given back', tender({ ...BACK, tendered_cents: -400 }), 'given back as it was taken'],
  [
    'a payment of a closed sale given back',
    (schema) => {
      schema.db.exec("UPDATE sale SET state = 'cancelled', closed_at = 1, taxes = '[]', shift_id = 1")
      schema.insert('tender', BACK)
    },
    'given back as it was taken',
  ],
]

describe('of tenders the database refuses', () => {
  test.each(REFUSED)('%s', async (_what, ask, answer) => {
    const schema = await paidOn()
    expect(() => ask(schema)).toThrow(answer)
  })

  test('a payment given back twice, or what gave it back', async () => {
    const { insert } = await paidOn()
    insert('tender', BACK)
    expect(() => insert('tender', { ...BACK, number: 3 })).toThrow('UNIQUE')
    expect(() => insert('tender', { number: 3, takes_back: 2 })).toThrow('given back as it was taken')
  })
})

test('what pays as it should is taken, and a new tender type needs no other schema', async () => {
  const { insert, all } = await paidOn()
  insert('tender', { number: 2, ...BY_CARD })
  insert('tender', { number: 3, kind: 'miles', operation_id: 'R1' })
  insert('tender', { number: 4, kind: 'cheque', reference: '0042' })
  expect(all('SELECT kind FROM tender ORDER BY number')).toEqual([['cash'], ['gift-card'], ['miles'], ['cheque']])
})

test('the payments of a voucher are found by an index', async () => {
  const { plan } = await openSchema()
  expect(plan("SELECT sale_id FROM tender WHERE voucher_id = 'V1'")).toContain('tender_by_voucher')
})
