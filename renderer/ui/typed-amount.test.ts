import { expect, test } from 'vitest'
import { eraseDigit, MOST_TYPED, typeDigits, type AmountEntry, type TypedAmount } from './typed-amount.ts'

const NOTHING: TypedAmount = { amount: 0, decimals: null }
const typed = (keys: string, entry: AmountEntry = 'register'): number => typeDigits(NOTHING, keys, entry).amount

test('digits are typed from the right, and a slip of the finger stops at the most', () => {
  expect(['2', '0', '00'].reduce((known, digits) => typeDigits(known, digits), NOTHING).amount).toBe(20_00)
  expect(typeDigits({ amount: MOST_TYPED, decimals: null }, '9').amount).toBe(MOST_TYPED)
  expect(eraseDigit({ amount: 20_05, decimals: null }).amount).toBe(2_00)
  expect(eraseDigit(NOTHING).amount).toBe(0)
})

test.each([
  ['7.5', 7_50],
  ['7,5', 7_50],
  ['12.5', 12_50],
  ['12,55', 12_55],
  ['.5', 50],
  ['7.505', 7_50],
  ['7..5', 7_50],
])('%s is an amount with the decimal mark of either language', (keys, amount) => {
  expect(typed(keys)).toBe(amount)
  expect(typed(keys, 'whole')).toBe(amount)
})

test('without a decimal mark a percentage is a whole number', () => {
  expect(typed('75', 'whole')).toBe(75_00)
  expect(eraseDigit(typeDigits(NOTHING, '75', 'whole'), 'whole').amount).toBe(7_00)
})

test.each(['register', 'whole'] as const)('erasing takes back one key at a time (%s)', (entry) => {
  const keys = '12.55'
  for (let length = keys.length; length > 0; length -= 1)
    expect(eraseDigit(typeDigits(NOTHING, keys.slice(0, length), entry), entry)).toEqual(
      typeDigits(NOTHING, keys.slice(0, length - 1), entry),
    )
})
