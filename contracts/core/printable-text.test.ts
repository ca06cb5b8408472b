import { expect, test } from 'vitest'
import { notOnPaper, printableText } from './printable-text.ts'

test('French and the euro stay; the spaces of Intl become plain ones', () => {
  expect(printableText('Crème brûlée – œufs, 12,34\u202f€ à l’été\u00a0!')).toBe(
    'Crème brûlée – œufs, 12,34 € à l’été !',
  )
  expect(printableText('Cre\u0300me')).toBe('Crème')
})

test('no control character passes', () => {
  let all = ''
  for (let code = 0; code < 0x3000; code += 1) all += String.fromCharCode(code)
  const printed = printableText(`${all}\u2028\u2029\ufeff\ud800\u202e🍎`)
  expect(printed).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
  expect(printableText('\x1b@\x1bp\x30\x1d!\x11Evil\x10\x14\x01')).toBe('@p0!Evil')
})

test('what the code page lacks is one question mark a character, so that columns stay columns', () => {
  expect(printableText('日本 🍎 −5')).toBe('?? ? -5')
  expect(printableText('two\r\nlines')).toBe('two lines')
})

test('a letter that the code page lacks is its base letter, and is named while it is typed', () => {
  expect(printableText('Łukasz Dvořák Kőszeg Paweł Ḵ ś đ')).toBe('Lukasz Dvorák Koszeg Pawel K s d')
  expect(notOnPaper('Łukasz Dvořák')).toBe('Ł ř')
})

test('what will not be on paper is named, each sign once and whole', () => {
  expect(notOnPaper('Café – œuf? 5 €')).toBe('')
  expect(notOnPaper('Merci 🍎🍎 שלום 👩‍🍳')).toBe('🍎 ש ל ו ם 👩‍🍳')
})
