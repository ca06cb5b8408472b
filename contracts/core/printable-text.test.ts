import { expect, test } from 'vitest'
import { notOnPaper, printableText } from './printable-text.ts'

test('printable text keeps French letters and the euro sign, and replaces non-breaking spaces by plain ones', () => {
  expect(printableText('Crème brûlée – œufs, 12,34\u202f€ à l’été\u00a0!')).toBe(
    'Crème brûlée – œufs, 12,34 € à l’été !',
  )
  expect(printableText('Cre\u0300me')).toBe('Crème')
})

test('printable text contains no control characters', () => {
  let all = ''
  for (let code = 0; code < 0x3000; code += 1) all += String.fromCharCode(code)
  const printed = printableText(`${all}\u2028\u2029\ufeff\ud800\u202e🍎`)
  expect(printed).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
  expect(printableText('\x1b@\x1bp\x30\x1d!\x11Evil\x10\x14\x01')).toBe('@p0!Evil')
})

test('each character outside the code page prints one question mark, so that columns stay aligned', () => {
  expect(printableText('日本 🍎 −5')).toBe('?? ? -5')
  expect(printableText('two\r\nlines')).toBe('two lines')
})

test('a letter outside the code page is printed as its base letter, and is reported as unprintable', () => {
  expect(printableText('Łukasz Dvořák Kőszeg Paweł Ḵ ś đ')).toBe('Lukasz Dvorák Koszeg Pawel K s d')
  expect(notOnPaper('Łukasz Dvořák')).toBe('Ł ř')
})

test('each character that cannot be printed is reported once and whole', () => {
  expect(notOnPaper('Café – œuf? 5 €')).toBe('')
  expect(notOnPaper('Merci 🍎🍎 שלום 👩‍🍳')).toBe('🍎 ש ל ו ם 👩‍🍳')
})
