import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { last4, maskNumbers } from './masking.ts'

describe('masking a card number', () => {
  it('keeps the last four digits', () => {
    expect(last4('80000000011')).toBe('0011')
  })
  it.each([
    ['Collector 80000000011 not found', 'Collector •••• 0011 not found'],
    ['card 4111 1111 1111 1111 refused', 'card •••• 1111 refused'],
    ['8000-000-0011', '•••• 0011'],
    ['account closed on 2026, code 224', 'account closed on 2026, code 224'],
  ])('masks %j as %j', (text, masked) => {
    expect(maskNumbers(text)).toBe(masked)
  })
  it('leaves no eight digits of a card in a row, with any text around it and separators between', () => {
    const digits = (min: number, max: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max })
    const between = fc.constantFrom('', '', ' ', '-', '\u00a0', '\u2011', '–')
    const around = fc.oneof(fc.string(), digits(0, 30), fc.constantFrom('ref 2026-11-21 10:04 ', 'n°', '#'))
    fc.assert(
      fc.property(
        around,
        digits(11, 19),
        between,
        fc.integer({ min: 1, max: 6 }),
        around,
        (before, card, separator, size, after) => {
          const written = card.match(new RegExp(`\\d{1,${size}}`, 'g'))?.join(separator) ?? card
          const runs =
            maskNumbers(`${before}${written}${after}`)
              .replace(/(?<=\d)[\s\p{Pd}](?=\d)/gu, '')
              .match(/\d+/g) ?? []
          for (const run of runs) expect(run.length).toBeLessThan(8)
        },
      ),
      { numRuns: 2_000 },
    )
  })
  it('leaves only the last four digits of a card in a text', () => {
    const words = fc.string().map((text) => text.replaceAll(/\d/g, 'x'))
    const card = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 8, maxLength: 19 })
    fc.assert(
      fc.property(words, card, words, (before, number, after) => {
        expect(maskNumbers(`${before}${number}${after}`)).toBe(`${before}•••• ${last4(number)}${after}`)
      }),
      { numRuns: 1_000 },
    )
  })
})
