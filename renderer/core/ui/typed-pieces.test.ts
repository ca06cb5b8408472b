import { expect, test } from 'vitest'
import { piecesTyped } from './typed-amount.ts'

test.each(['1.5', '1,5', '-1', '1e2', '12345', '15¢', '1 5'])(
  '%s is rejected as a number of coins or notes',
  (text) => {
    expect(piecesTyped(text)).toBeNull()
  },
)

test.each([
  ['15', '15'],
  [' 9999 ', '9999'],
  ['', ''],
])('%j is accepted as the number %j of coins or notes', (text, digits) => {
  expect(piecesTyped(text)).toBe(digits)
})
