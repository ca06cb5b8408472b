import { describe, expect, test } from 'vitest'
import french from '../../../contracts/i18n/fr-CA/screens.ts'
import { formatFor } from './format.ts'
import { withNonBreakingSpaces } from './non-breaking.ts'

describe('French non-breaking spaces', () => {
  test.each([
    ['En attente sous « {name} ».', 'En attente sous «\u00a0{name}\u00a0».'],
    ['Reste à payer : {due}', 'Reste à payer\u00a0: {due}'],
    ['TVH 5 %', 'TVH 5\u00a0%'],
    ['jusqu’à 3 h le lendemain', 'jusqu’à 3\u00a0h le lendemain'],
    ['possible jusqu’à 03 h 00', 'possible jusqu’à 03\u00a0h\u00a000'],
    ['une heure, un hiver', 'une heure, un hiver'],
    ['{count, plural, one {# article} other {# articles}}', '{count, plural, one {# article} other {# articles}}'],
  ])('are inserted as in “%s”', (written, shown) => {
    expect(withNonBreakingSpaces(written, 'fr-CA')).toBe(shown)
  })

  test('are in every French message of the screens', () => {
    const breakable = JSON.stringify(withNonBreakingSpaces(french, 'fr-CA')).match(/.{0,20}( [:%$»]|« ).{0,10}/g)
    expect(breakable).toBeNull()
    const spaced = (texts: unknown): string => JSON.stringify(texts).replaceAll('\u00a0', ' ')
    expect(spaced(withNonBreakingSpaces(french, 'fr-CA'))).toBe(spaced(french))
  })

  test('are in the French messages of the backend and not in the English ones', () => {
    const texts = { 'en-CA': 'Item : 5 %', 'fr-CA': 'Article : 5 %' }
    expect(formatFor('fr-CA').text(texts)).toBe('Article\u00a0: 5\u00a0%')
    expect(formatFor('en-CA').text(texts)).toBe('Item : 5 %')
  })
})
