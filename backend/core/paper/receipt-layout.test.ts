import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnsOf, paperOf, plainText, wrap } from './layout.ts'

describe('breaking a long line of text for paper', () => {
  it('happens at spaces', () => {
    expect(wrap('Paperback: The Tin Flute', 12)).toEqual(['Paperback:', 'The Tin', 'Flute'])
  })
  it('splits a run of letters that is wider than the paper', () => {
    expect(wrap('a AAAAAAAAAAAA b', 5)).toEqual(['a', 'AAAAA', 'AAAAA', 'AA b'])
  })
  it('keeps every letter, and makes no line wider than the paper', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 120 }).map(plainText),
        fc.integer({ min: 1, max: 48 }),
        (text, width) => {
          const lines = wrap(text, width)
          for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(width)
          expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
        },
      ),
    )
  })
})

describe('a row of a label and a value on paper', () => {
  const paper = paperOf(20)
  it('is one line when it fits', () => {
    expect(paper.row('Milk', '5.49')).toEqual([{ kind: 'row', left: 'Milk', right: '5.49' }])
  })
  it('breaks its label above its value', () => {
    expect(paper.row('Whole milk from the valley', '5.49')).toEqual([
      { kind: 'row', left: 'Whole milk from', right: '' },
      { kind: 'row', left: 'the valley', right: '5.49' },
    ])
  })
  it('gives a long value its own line', () => {
    expect(paper.row('Confirmation', '0123456789ABCDEF')).toEqual([
      { kind: 'row', left: 'Confirmation', right: '' },
      { kind: 'row', left: '', right: '0123456789ABCDEF' },
    ])
  })
  it('has its style on every line', () => {
    expect(paper.row('Whole milk from the valley', '5.49', { paperOnly: true }).every((block) => block.paperOnly)).toBe(
      true,
    )
  })
  it('is indented within the paper when it explains the row above', () => {
    expect(paper.detail('Reference', '004512')).toEqual([{ kind: 'row', left: '  Reference', right: '004512' }])
    for (const block of paper.detail('Numéro de confirmation de la banque', '0123456789ABCDEF')) {
      if (block.kind !== 'row') throw new Error('a detail is made of rows')
      expect([...block.left, ...block.right].length).toBeLessThanOrEqual(paper.columns)
      expect(block.left.startsWith('  ')).toBe(true)
    }
  })
  it('has half the columns when large', () => {
    expect(paper.row('TOTAL', '1234.56', { size: 'large' })).toHaveLength(2)
  })
})

describe('plain text for paper', () => {
  it('contains no control characters, bidirectional marks or special spaces', () => {
    expect(plainText('  Eau\u001bp\u0000 \u202epétillante\u202f\u00a0355\tml\r\n')).toBe('Eaup pétillante  355 ml')
  })
})
