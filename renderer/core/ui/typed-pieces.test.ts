import { expect, test } from 'vitest'
import { piecesTyped } from './typed-amount.ts'

test.each(['1.5', '1,5', '-1', '1e2', '12345', '15¢', '1 5'])('%s is no number of coins or notes', (text) => {
  expect(piecesTyped(text)).toBeNull()
})

test.each([
  ['15', '15'],
  [' 9999 ', '9999'],
  ['', ''],
])('reads %j as the number %j', (text, digits) => {
  expect(piecesTyped(text)).toBe(digits)
})
