import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCsv } from '../catalog/editions/csv.ts'
import { csvFile, withoutApostrophes } from '../../contracts/core/csv.ts'

const textOf = (characters: string, maxLength: number) => fc.string({ unit: fc.constantFrom(...characters), maxLength })
/** Characters of the test’s texts: beginnings of formulas, separators, line breaks, blanks, quotes and one letter. */
const HOSTILE = `=+-@＝＋－＠;,\t\r\n\0 \u200B"'a`
const pairs = (text: fc.Arbitrary<string>) => fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 4 })

test('a CSV file is parsed back to the written texts, except for the apostrophe before a formula', () => {
  const harmless = fc
    .string({ unit: 'binary', maxLength: 12 })
    .map((text) => text.replace(/^[\t\r\n\0=+\-@＝＋－＠]+|[=+\-@＝＋－＠]/g, ''))
  fc.assert(
    fc.property(pairs(harmless), pairs(textOf(HOSTILE, 12)), (plain, hostile) => {
      const file = csvFile(['left', 'right'], [...plain, ...hostile])
      expect(file.startsWith('\uFEFFleft,right\r\n')).toBe(true)
      // A record has two fields, so that it is never an empty line, which the parser skips.
      const read = [...parseCsv([file.slice(1)])].map(({ fields }) => fields).slice(1)
      expect(read.slice(0, plain.length)).toEqual(plain)
      const without = (records: readonly (readonly string[])[]) =>
        records.map((fields) => fields.map((text) => text.replaceAll("'", '')))
      expect(without(read.slice(plain.length))).toEqual(without(hostile))
    }),
  )
})

test('the apostrophes that a CSV file has before formulas are removed again when the file is read', () => {
  fc.assert(
    fc.property(pairs(textOf(HOSTILE.replace("'", ''), 12)), (records) => {
      const [, ...read] = parseCsv([csvFile(['left', 'right'], records)])
      expect(read.map(({ fields }) => fields.map(withoutApostrophes))).toEqual(records)
    }),
  )
})

test('no cell of a CSV file is a formula for a spreadsheet, with any separator and with or without quotes', () => {
  const formula = /^[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u
  fc.assert(
    fc.property(pairs(textOf(HOSTILE, 12)), (records) => {
      const file = csvFile(['left', 'right'], records).slice(1)
      for (const { fields } of parseCsv([file])) for (const cell of fields) expect(cell).not.toMatch(formula)
      for (const cell of file.split(/[;\t\r\n]/)) expect(cell).not.toMatch(formula)
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['=1+1', "'=1+1"],
  ['+1 416 555 0100', "'+1 416 555 0100"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1', "'＝1"],
  ['\t=1', `"'\t'=1"`],
  [' =1', "' =1"],
  ['\u200B=1', "'\u200B=1"],
  ['\r=1', `"'\r'=1"`],
  ['\ttab', `"'\ttab"`],
  ['\rreturn', `"'\rreturn"`],
  ['\0', "'\0"],
  ['a;=1', `"a;'=1"`],
  ['a; "=1"', `"a;' ""=1"""`],
  ['a\t+1', `"a\t'+1"`],
  ['a\r\n＠b', `"a\r\n'＠b"`],
  ['a;b', '"a;b"'],
  ['a,=1', '"a,=1"'],
  ['a=b', 'a=b'],
  ['say "hi", twice', '"say ""hi"", twice"'],
  ['two\nlines', '"two\nlines"'],
  ['', ''],
])('the CSV cell %j is written as %j', (text, written) => {
  expect(csvFile(['h'], [[text]])).toBe(`\uFEFFh\r\n${written}\r\n`)
})

test('a number is written to a CSV file without an apostrophe, even a negative one', () => {
  expect(csvFile(['n'], [[-3], [0]])).toBe('\uFEFFn\r\n-3\r\n0\r\n')
})
