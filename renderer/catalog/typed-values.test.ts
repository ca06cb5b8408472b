import { expect, test } from 'vitest'
import { centsTyped, typedCents } from './typed-values.ts'

test.each([
  ['6.99', 699],
  ['6,9', 690],
  ['12', 1200],
  ['$ 3.00', 300],
  ['3,00 $', 300],
  [' 0 ', 0],
  ['', null],
  ['6.999', null],
  ['-1', null],
  ['1 000', null],
  ['free', null],
])('parses %j dollars to %j cents', (text, cents) => {
  expect(centsTyped(text)).toBe(cents)
})

test('formats cents as a person types dollars', () => {
  for (const cents of [0, 5, 699, 123_450]) expect(centsTyped(typedCents(cents))).toBe(cents)
})
