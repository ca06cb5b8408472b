import { expect, test } from 'vitest'
import { Control, controlCode, controlOf } from '../../../contracts/core/text.ts'
import { pageOf } from '../../core/paper/page.ts'
import { pdfOf } from '../../core/paper/pdf.ts'
import { cannotReadPdf, pixelsOfPdf, readSymbols } from '../../core/paper/pixels.fixture.ts'
import { scanCard } from './scan-card.ts'

const CONTROL_CODE = 'WWWWMMMM'

test('an independent decoder reads every control barcode from the PDF of the scan card', ({ skip }) => {
  skip(cannotReadPdf !== null, cannotReadPdf ?? '')
  const card = scanCard('Northstar Market', CONTROL_CODE)
  const read = readSymbols(pixelsOfPdf(pdfOf(pageOf(card, { columns: 42, logo: null }), card)))
  expect(read).toEqual(Control.options.map((control) => `CODE-128:${controlCode(CONTROL_CODE, control)}`).toSorted())
})

test('a control barcode works only in the store whose prefix it has', () => {
  const codes = Control.options.map((control) => controlCode(CONTROL_CODE, control))
  expect(codes.map((code) => controlOf(CONTROL_CODE, code))).toEqual(Control.options)
  for (const other of ['OTHER123', undefined])
    expect(codes.map((code) => controlOf(other, code))).toEqual(codes.map(() => null))
})
