import { expect, test } from 'vitest'
import { fold } from './search-terms.ts'

test.each([
  ['Paweł', 'pawel'],
  ['ŚLIWKA', 'sliwka'],
  ['Dvořák', 'dvorak'],
  ['Kőszeg', 'koszeg'],
  ['Ḵwi', 'kwi'],
  ['Smørrebrød', 'smorrebrod'],
])('for the search, the name %s is folded to %s', (name, typed) => {
  expect(fold(name)).toBe(typed)
})
