import { expect, test } from 'vitest'
import { centsTyped, isDay, isTime, typedCents } from './typed-values.ts'

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
])('%j dollars are %j cents', (text, cents) => {
  expect(centsTyped(text)).toBe(cents)
})

test('cents come back as they are typed', () => {
  for (const cents of [0, 5, 699, 123_450]) expect(centsTyped(typedCents(cents))).toBe(cents)
})

test('days and times that there are', () => {
  expect(['2026-12-01', '2028-02-29'].every(isDay)).toBe(true)
  expect(['2026-02-29', '2026-13-01', '2026-1-1', ''].some(isDay)).toBe(false)
  expect(['00:00', '23:59'].every(isTime)).toBe(true)
  expect(['24:00', '6:00', '12:60', ''].some(isTime)).toBe(false)
})
