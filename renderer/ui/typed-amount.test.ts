import { expect, test } from 'vitest'
import { eraseDigit, MOST_TYPED, typeDigits } from './typed-amount.ts'

test('digits are typed from the right, and a slip of the finger stops at the most', () => {
  expect(['2', '0', '00'].reduce(typeDigits, 0)).toBe(20_00)
  expect(typeDigits(MOST_TYPED, '9')).toBe(MOST_TYPED)
  expect(eraseDigit(20_05)).toBe(2_00)
  expect(eraseDigit(0)).toBe(0)
})
