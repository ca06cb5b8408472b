import fc from 'fast-check'
import { expect, test } from 'vitest'
import { receiptLines, rowLines, wrap } from './encode.ts'

const anyText = (maxLength: number) =>
  fc
    .array(fc.oneof(fc.integer({ min: 0, max: 0x10ffff }), fc.integer({ min: 0x20, max: 0xff }), fc.constant(0x20)), {
      maxLength,
    })
    .map((codes) => String.fromCodePoint(...codes))

test('text on paper wraps at spaces, and text without spaces at the edge of the paper', () => {
  expect(wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox'])
  expect(wrap('incomprehensibilities', 10)).toEqual(['incomprehe', 'nsibilitie', 's'])
  expect(wrap('', 10)).toEqual([''])
  expect(wrap('  in', 10)).toEqual(['  in'])
})

test('the right text of a row is on the last line of the wrapped left text', () => {
  expect(rowLines('Milk', '5.49', 12)).toEqual(['Milk    5.49'])
  expect(rowLines('Organic whole milk', '5.49', 12)).toEqual(['Organic', 'whole', 'milk    5.49'])
  expect(rowLines('Confirmation', '1234567890123', 12)).toEqual(['Confirmation', '123456789012', '           3'])
})

test('no line is wider than the paper, and the right text of a row is never cut', () => {
  fc.assert(
    fc.property(anyText(120), anyText(60), fc.constantFrom(32, 42, 48), fc.boolean(), (left, right, columns, large) => {
      const size = large ? ('large' as const) : ('normal' as const)
      const lines = receiptLines(
        {
          locale: 'en-CA',
          title: '',
          blocks: [
            { kind: 'row', left, right, size },
            { kind: 'text', text: left, align: 'center', size },
            { kind: 'barcode', symbology: 'code128', data: right },
          ],
        },
        columns,
      )
      const tooWide = lines.filter(
        (line) => line.kind === 'text' && line.text.length > (line.large ? columns / 2 : columns),
      )
      expect(tooWide).toEqual([])
    }),
  )
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), fc.stringMatching(/^[!-~]{1,20}$/), (left, right) => {
      expect(rowLines(left, right, 42).at(-1)?.endsWith(right)).toBe(true)
    }),
  )
})
