import { expect, test } from 'vitest'
import { redemption, saleOf } from '../../testing/sales.ts'
import { cashRetained, giveBackOf } from './give-back.ts'

const cash = {
  number: 1,
  kind: 'cash',
  amountCents: 10_01,
  roundingCents: -1,
  tenderedCents: 20_00,
  changeCents: 10_00,
  reference: null,
} as const
const card = {
  number: 1,
  kind: 'card',
  amountCents: 7_50,
  roundingCents: 0,
  tenderedCents: 7_50,
  changeCents: 0,
  reference: 'TPV-1',
} as const
const miles = {
  number: 1,
  kind: 'miles',
  amountCents: 40_00,
  roundingCents: 0,
  tenderedCents: 40_00,
  changeCents: 0,
  reference: '1',
} as const
const undone = {
  number: 1,
  kind: 'cash',
  amountCents: -10_01,
  roundingCents: 0,
  tenderedCents: -10_01,
  changeCents: 0,
  reference: null,
} as const

test('the refund of a sale lists each payment in its own form, the same before and after the cancellation', () => {
  expect(cashRetained(cash as never)).toBe(10_00)
  const before = saleOf([], { tenders: [cash, card, miles], redemption: redemption() })
  const after = saleOf([], {
    state: 'cancelled',
    tenders: [cash, card, miles, undone],
    redemption: redemption({ state: 'reversing', outcome: 'reversing' }),
  })
  const back = {
    cashCents: 10_00,
    others: [{ kind: 'card', amountCents: 7_50, reference: 'TPV-1' }],
    miles: 380,
    lateCents: 0,
  }
  expect([giveBackOf(before), giveBackOf(after)]).toEqual([back, back])
})

test('the refund shows store credit instead of miles if the backend will return the miles in that form', () => {
  const sale = saleOf([], { tenders: [cash, miles], redemption: redemption({ goesBackAs: 'store-credit' }) })
  expect(giveBackOf(sale)).toMatchObject({ cashCents: 10_00, miles: 0, lateCents: 40_00 })
})

test('the refund shows store credit for miles that could not be returned any more', () => {
  const sale = saleOf([], {
    tenders: [miles],
    redemption: redemption({ state: 'reversal-expired', outcome: 'reversal-expired' }),
  })
  expect(giveBackOf(sale)).toMatchObject({ miles: 0, lateCents: 40_00 })
})
