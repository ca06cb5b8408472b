import { describe, expect, it } from 'vitest'
import english from '../../../contracts/i18n/en-CA/receipt.ts'
import french from '../../../contracts/i18n/fr-CA/receipt.ts'
import { receiptTexts } from './layout.ts'

describe('receipt texts in both languages', () => {
  const argumentsOf = (message: string): string[] =>
    [...new Set([...message.matchAll(/\{(\w+)(?=[,}])/g)].map(([, name]) => name ?? ''))].toSorted()
  it('have the same placeholders', () => {
    expect(Object.keys(french).toSorted()).toEqual(Object.keys(english).toSorted())
    for (const [key, message] of Object.entries(english)) {
      const translated = Object.entries(french).find(([other]) => other === key)?.[1] ?? ''
      expect(argumentsOf(translated), key).toEqual(argumentsOf(message))
    }
  })
  it('use only characters of a thermal printer’s code page', () => {
    for (const message of [...Object.values(english), ...Object.values(french)])
      expect(message).toMatch(/^[\x20-\x7e\xa1-\xff€…–—‘’“”•œŒ]*$/)
  })
})

describe('numbers on paper', () => {
  const en = receiptTexts('en-CA')
  const fr = receiptTexts('fr-CA')
  it.each([
    [0, '$0.00', '0,00 $'],
    [5, '$0.05', '0,05 $'],
    [99, '$0.99', '0,99 $'],
    [4335, '$43.35', '43,35 $'],
    [-2, '-$0.02', '-0,02 $'],
    [123_456, '$1,234.56', '1 234,56 $'],
    [-123_456_789, '-$1,234,567.89', '-1 234 567,89 $'],
  ])('show %i cents as %s in English and %s in French', (amount, english, french) => {
    expect(en.money(amount)).toBe(english)
    expect(fr.money(amount)).toBe(french)
  })
  it.each([
    [1, '1 mile', '1 mille'],
    [0, '0 miles', '0 mille'],
    [2, '2 miles', '2 milles'],
    [12_840, '12,840 miles', '12 840 milles'],
    [1_000_000, '1,000,000 miles', '1 000 000 milles'],
  ])('show %i miles as %s in English and %s in French', (amount, english, french) => {
    expect(en.miles(amount)).toBe(english)
    expect(fr.miles(amount)).toBe(french)
  })
  it.each([
    [130_000, '13', '13'],
    [99_750, '9.975', '9,975'],
    [50_000, '5', '5'],
    [5_000, '0.5', '0,5'],
    [0, '0', '0'],
  ])('show %i parts per million as %s or %s per cent', (rate, english, french) => {
    expect(en.rate(rate)).toBe(english)
    expect(fr.rate(rate)).toBe(french)
  })
  it('show the store’s local time on both sides of a clock change', () => {
    expect(en.dateTime(Date.parse('2026-11-01T01:05:00-04:00'), 'America/Toronto')).toBe('2026-11-01 01:05')
    expect(fr.dateTime(Date.parse('2026-11-01T01:05:00-05:00'), 'America/Toronto')).toBe('2026-11-01 01 h 05')
  })
})
