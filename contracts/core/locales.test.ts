import { expect, test } from 'vitest'
import { perLocale } from '../i18n/languages.ts'
import { nameIn } from './names.ts'

test('a name is returned in the requested language, else in the first language that has one', () => {
  expect(nameIn({ 'en-CA': 'Pear', 'fr-CA': 'Poire' }, 'fr-CA')).toBe('Poire')
  expect(nameIn({ 'fr-CA': 'Poire' }, 'en-CA')).toBe('Poire')
  expect(nameIn({ 'en-CA': 'Pear' }, 'fr-CA')).toBe('Pear')
  expect(nameIn({}, 'fr-CA')).toBe('')
})

test('a localized text is built from the text of each language', () => {
  expect(perLocale((locale) => `in ${locale}`)).toEqual({ 'en-CA': 'in en-CA', 'fr-CA': 'in fr-CA' })
})
