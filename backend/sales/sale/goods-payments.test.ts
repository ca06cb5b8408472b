import { describe, expect, test } from 'vitest'
import { CHARGE_SKUS, EMPTIES_SKU, GIFT_CARD_SKU } from '../../../contracts/catalog/goods.ts'
import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { cents } from '../../../contracts/core/money.ts'
import { goodsLeft, refusedPayment } from './goods-payments.ts'

const line = (sku: string, dollars: number) => ({
  sku,
  quantity: 1,
  unitPriceCents: cents(dollars * 100),
  voided: false,
})
const GOODS = line('A', 20)
const DEPOSIT = line(CHARGE_SKUS.deposit, 5)
const CARD = line(GIFT_CARD_SKU, 50)
const EMPTIES = line(EMPTIES_SKU, -5)

const paid = (...tenders: readonly (readonly [TenderKind, number])[]) =>
  tenders.map(([kind, dollars]) => ({ kind, amountCents: cents(dollars * 100) }))
function check(lines: readonly (typeof GOODS)[], tenders: ReturnType<typeof paid>, cardsBuyCards = false) {
  const total = cents(lines.reduce((sum, { unitPriceCents }) => sum + unitPriceCents, 0))
  const left = goodsLeft(lines, total, tenders, cardsBuyCards)
  return [left.milesCents / 100, left.storeCreditCents / 100, refusedPayment(left, tenders)]
}

describe('payments that must not become cash', () => {
  test.each([
    [
      'miles pay neither deposits nor gift cards, and store credit pays no gift cards',
      [DEPOSIT, CARD],
      paid(),
      [20, 25],
    ],
    ['empty containers are money of the customer, which pays the deposits', [DEPOSIT, EMPTIES], paid(), [20, 25]],
    ['cash and cards pay for anything', [CARD], paid(['cash', 40], ['card', 30]), [20, 20]],
    ['a fee is a part of the price of its goods', [line(CHARGE_SKUS.fee, 2)], paid(), [22, 22]],
    ['miles leave the deposit for the store credit', [DEPOSIT, CARD], paid(['miles', 20]), [0, 5]],
  ] as const)('are accepted up to the goods: %s', (_title, lines, tenders, left) => {
    expect(check([GOODS, ...lines], tenders)).toEqual([...left, null])
  })

  test.each([
    ['miles above the goods', paid(['miles', 30]), 'miles-pay-goods'],
    ['a coupon for goods that miles have paid', paid(['miles', 20], ['manufacturer-coupon', 1]), 'miles-pay-goods'],
    ['store credit for a gift card', paid(['store-credit', 30]), 'store-credit-pays-goods'],
    [
      'store credit for goods that miles have paid',
      paid(['miles', 20], ['store-credit', 10]),
      'store-credit-pays-goods',
    ],
    [
      'a gift card for goods that store credit has paid',
      paid(['store-credit', 20], ['gift-card', 10]),
      'gift-card-pays-goods',
    ],
  ] as const)('are refused: %s', (_title, tenders, code) => {
    expect(check([GOODS, DEPOSIT, CARD], tenders).at(-1)).toBe(code)
  })

  test('exclude gift cards where the store lets them buy gift cards, but not store credit', () => {
    const lines = [GOODS, CARD]
    expect(check(lines, paid(['gift-card', 50], ['miles', 20]), true)).toEqual([0, 0, null])
    expect(check(lines, paid(['gift-card', 20], ['store-credit', 30]), true).at(-1)).toBe('store-credit-pays-goods')
  })
})
