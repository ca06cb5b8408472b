import { expect, test } from 'vitest'
import { fold } from './search-terms.ts'

test.each([
  ['Paweł', 'pawel'],
  ['ŚLIWKA', 'sliwka'],
  ['Dvořák', 'dvorak'],
  ['Kőszeg', 'koszeg'],
  ['Ḵwi', 'kwi'],
  ['Smørrebrød', 'smorrebrod'],
])('finds %s when it is typed without accents', (name, typed) => {
  expect(fold(name)).toBe(typed)
})
