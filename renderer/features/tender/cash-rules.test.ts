import { describe, expect, test } from 'vitest'
import { editableMoney, eraseDigit, MOST_CASH_CENTS, parseMoney, suggestedCash, typeDigits } from './cash-rules.ts'

describe('suggested cash', () => {
  test.each([
    [13_35, [15_00, 20_00, 50_00, 100_00]],
    [45_30, [50_00, 60_00, 100_00]],
    [20_00, [50_00, 100_00]],
    [5, [5_00, 10_00, 20_00, 50_00]],
    [118_90, [120_00, 150_00, 200_00]],
  ])('for %i cents', (due, expected) => {
    expect(suggestedCash(due)).toEqual(expected)
  })

  test('is always more than what is due, rising and without doubles', () => {
    for (let due = 5; due < 300_00; due += 5) {
      const amounts = suggestedCash(due)
      expect(amounts.every((amount, index) => amount > due && amount > (amounts[index - 1] ?? 0))).toBe(true)
    }
  })
})

test('digits are typed from the right, and a slip of the finger stops at the most', () => {
  expect(['2', '0', '00'].reduce(typeDigits, 0)).toBe(20_00)
  expect(typeDigits(MOST_CASH_CENTS, '9')).toBe(MOST_CASH_CENTS)
  expect(eraseDigit(20_05)).toBe(2_00)
  expect(eraseDigit(0)).toBe(0)
})

describe('an amount as a person writes it', () => {
  test.each([['43.35', 43_35], ['43,35 $', 43_35], ['$43.35', 43_35], ['1 200,5', 1_200_50], ['1\u202f200', 1_200_00], ['.50', undefined], ['43.355', undefined], ['', undefined], ['-5', undefined], ['12abc', undefined]])('%s', (text, expected) => {
    expect(parseMoney(text)).toBe(expected)
  })

  test('comes back as it was put into the field, in both languages', () => {
    for (const amount of [1, 99, 100, 43_35, 1_234_56]) for (const locale of ['en-CA', 'fr-CA']) expect(parseMoney(editableMoney(amount, locale))).toBe(amount)
  })
})
