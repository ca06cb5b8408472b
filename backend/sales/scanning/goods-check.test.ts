import { expect, test } from 'vitest'
import type { GoodsChecks } from '../../../contracts/core/profile.ts'
import { checkGoods } from './scanning.ts'

const TODAY = '2026-11-28'
const CHECKS: GoodsChecks = {
  expired: 'ask',
  recalled: 'refuse',
  recalledLots: [{ barcode: '628451101512', lot: 'L7' }],
}
const MILK = '0628451101512'

test('goods may be sold on their last day, and count as expired from the next day', () => {
  expect(checkGoods({ code: MILK, expiry: TODAY }, CHECKS, TODAY)).toBeNull()
  expect(checkGoods({ code: MILK, expiry: '2026-11-27' }, CHECKS, TODAY)).toEqual({
    doubt: { kind: 'expired', date: '2026-11-27' },
    policy: 'ask',
  })
})

test('the recall of a lot applies only to the listed item, with any number of leading zeros in its code', () => {
  expect(checkGoods({ code: MILK, lot: 'L7' }, CHECKS, TODAY)).toMatchObject({ doubt: { kind: 'recalled', lot: 'L7' } })
  expect(checkGoods({ code: MILK, lot: 'L8' }, CHECKS, TODAY)).toBeNull()
  expect(checkGoods({ code: '0628451101000', lot: 'L7' }, CHECKS, TODAY)).toBeNull()
})

test('the profile refuses, asks about or ignores expired and recalled goods; refusing takes precedence', () => {
  const both = { code: MILK, lot: 'L7', expiry: '2020-01-31' }
  expect(checkGoods(both, CHECKS, TODAY)).toMatchObject({ policy: 'refuse', doubt: { kind: 'recalled' } })
  expect(checkGoods(both, { ...CHECKS, expired: 'refuse', recalled: 'ask' }, TODAY)).toMatchObject({
    policy: 'refuse',
    doubt: { kind: 'expired' },
  })
  expect(checkGoods(both, { ...CHECKS, expired: 'ignore', recalled: 'ignore' }, TODAY)).toBeNull()
})
