import { expect, test } from 'vitest'
import { useTerminal } from '../core/state/terminal.ts'
import { centsTyped, tareTyped, typedCents, typedNumber, typedTare } from './typed-values.ts'

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

test('a number in a field has the decimal mark of the window’s language', () => {
  useTerminal.setState({ locale: 'fr-CA' })
  expect([typedCents(1_050), typedTare({ kind: 'fixed', thousandths: 12 }), typedNumber(12.5)]).toEqual([
    '10,50',
    '0,012',
    '12,5',
  ])
  expect([centsTyped('10,50'), tareTyped('0,012')]).toEqual([1_050, { kind: 'fixed', thousandths: 12 }])
  useTerminal.setState({ locale: 'en-CA' })
  expect(typedCents(1_050)).toBe('10.50')
})
