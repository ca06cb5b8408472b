import { expect, test } from 'vitest'
import { eraseDigit, isRefused, MAX_TYPED, typeDigits, type AmountEntry, type TypedAmount } from './typed-amount.ts'

const NOTHING: TypedAmount = { amount: 0, decimals: null }
const typed = (keys: string, entry: AmountEntry = 'register'): number => typeDigits(NOTHING, keys, entry).amount

test('a typed amount fills from the right, refuses a digit beyond the maximum, and erases its last digit', () => {
  expect(['2', '0', '00'].reduce((known, digits) => typeDigits(known, digits), NOTHING).amount).toBe(20_00)
  expect(typeDigits({ amount: MAX_TYPED, decimals: null }, '9').amount).toBe(MAX_TYPED)
  expect(eraseDigit({ amount: 20_05, decimals: null }).amount).toBe(2_00)
  expect(eraseDigit(NOTHING).amount).toBe(0)
})

test.each([
  ['7.5', 7_50],
  ['7,5', 7_50],
  ['12.5', 12_50],
  ['12,55', 12_55],
  ['.5', 50],
  ['7..5', 7_50],
])('%s is read as an amount with the decimal mark of either language', (keys, amount) => {
  expect(typed(keys)).toBe(amount)
  expect(typed(keys, 'whole')).toBe(amount)
  expect(isRefused(typeDigits(NOTHING, keys))).toBe(false)
})

test.each(['register', 'whole'] as const)(
  'an amount may have the thousands separator of either language, or none (entry: %s)',
  (entry) => {
    for (const keys of ['1,234.56', '1.234,56', '1234,56']) {
      const known = typeDigits(NOTHING, keys, entry)
      expect([known.amount, isRefused(known)], keys).toEqual([1_234_56, false])
    }
  },
)

test.each([
  ['7.505', 7_50],
  ['1,234', 1_23],
  ['1,234,56', 1_23],
  ['1.2.3', 1_20],
  ['1,234.56,7', 1_234_56],
  ['1,234.567', 1_234_56],
  ['12345678', 12_345_67],
  ['123456.78', 1_234_56],
])(
  'in %s, the key that gives no valid amount and every key after it are refused until they are erased',
  (keys, amount) => {
    const known = typeDigits(NOTHING, keys)
    expect([known.amount, isRefused(known)]).toEqual([amount, true])
    const after = [...(known.refused ?? '')].reduce((now) => eraseDigit(now), known)
    expect([after.amount, isRefused(after)]).toEqual([amount, false])
  },
)

test('a percentage without a decimal mark is read as a whole number', () => {
  expect(typed('75', 'whole')).toBe(75_00)
  expect(eraseDigit(typeDigits(NOTHING, '75', 'whole'), 'whole').amount).toBe(7_00)
})

test.each(['register', 'whole'] as const)(
  'the keys of a typed amount are erased one at a time (entry: %s)',
  (entry) => {
    for (const keys of ['12.55', '1,234.56', '7.505'])
      for (let length = keys.length; length > 0; length -= 1)
        expect({ refused: '', ...eraseDigit(typeDigits(NOTHING, keys.slice(0, length), entry), entry) }).toEqual({
          refused: '',
          ...typeDigits(NOTHING, keys.slice(0, length - 1), entry),
        })
  },
)
