import { expect, test } from 'vitest'
import { Control, controlCode, controlOf } from '../../../contracts/core/text.ts'
import { pageOf } from '../../core/paper/page.ts'
import { pdfOf } from '../../core/paper/pdf.ts'
import { cannotReadPdf, pixelsOfPdf, readSymbols } from '../../core/paper/pixels.fixture.ts'
import { scanCard } from './scan-card.ts'

/** As wide as a word may be. */
const WORD = 'WWWWMMMM'

test('every barcode of the card is read back by an independent decoder', ({ skip }) => {
  skip(cannotReadPdf !== null, cannotReadPdf ?? '')
  const card = scanCard('Northstar Market', WORD)
  const read = readSymbols(pixelsOfPdf(pdfOf(pageOf(card, { columns: 42, logo: null }), card)))
  expect(read).toEqual(Control.options.map((control) => `CODE-128:${controlCode(WORD, control)}`).toSorted())
})

test('a code is a control for the store whose word stands in it alone', () => {
  const codes = Control.options.map((control) => controlCode(WORD, control))
  expect(codes.map((code) => controlOf(WORD, code))).toEqual(Control.options)
  for (const word of ['OTHER123', undefined])
    expect(codes.map((code) => controlOf(word, code))).toEqual(codes.map(() => null))
})
