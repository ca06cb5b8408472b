import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCsv } from '../features/catalog/csv.ts'
import { csvFile } from './csv.ts'

test('any text comes back as it was written, but for the apostrophe before what would be a formula', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 2, maxLength: 2 }), {
        minLength: 1,
        maxLength: 4,
      }),
      (records) => {
        const file = csvFile(['left', 'right'], records)
        expect(file.startsWith('\uFEFFleft,right\r\n')).toBe(true)
        // The reader passes over empty lines, and a record of two fields is never one.
        const read = [...parseCsv([file.slice(1)])].map(({ fields }) => fields)
        expect(read.slice(1)).toEqual(
          records.map((record) =>
            record.map((text) => (/^[\s\p{Cc}]*[=+\-@＝＋－＠]/u.test(text) ? `'${text}` : text)),
          ),
        )
      },
    ),
  )
})

test.each([
  ['=1+1', "'=1+1"],
  ['+1 416 555 0100', "'+1 416 555 0100"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1', "'＝1"],
  ['\t=1', "'\t=1"],
  [' =1', "' =1"],
  ['\r=1', `"'\r=1"`],
  ['a=b', 'a=b'],
  ['say "hi", twice', '"say ""hi"", twice"'],
  ['two\nlines', '"two\nlines"'],
  ['', ''],
])('%j is written as %j', (text, written) => {
  expect(csvFile(['h'], [[text]])).toBe(`\uFEFFh\r\n${written}\r\n`)
})

test('a number is a number, also below zero', () => {
  expect(csvFile(['n'], [[-3], [0]])).toBe('\uFEFFn\r\n-3\r\n0\r\n')
})
