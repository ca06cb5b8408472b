import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PrinterLanguage } from '../../contracts/core/profile.ts'
import type { ReceiptBlock } from '../../contracts/core/receipt.ts'
import { statusModelOf } from '../virtual/simulated-port.ts'
import type { PaperMark } from '../virtual/printer-decoder.ts'
import { decoderOf } from '../virtual/paper-roll.ts'
import { encodeReceipt } from './encode.ts'

const PRINTER_COMMANDS = [
  '\x1bp\x00\x19\xfa',
  '\x10\x14\x01\x00\x01',
  '\x07',
  '\x1a',
  '\x19',
  '\x1c',
  '\x1b\x07\x0a\x0a',
  '\x1b@',
  '\x1dV\x00',
  '\x1bd\x01',
  '\x18',
  '\x10\x04\x01',
  '\x1b\x06\x01',
  '\x17',
  '\x1e',
  '{C',
  '{B\x10\x14',
  '%0',
  '%5',
  '\u202e',
  '\u0000',
  '162001',
  '160401',
  '00160402',
  '160501',
  '\u2028',
  '\ud800',
]
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PRINTER_COMMANDS),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.stringMatching(/^\d{0,20}$/),
    ),
    { maxLength: 6 },
  )
  .map((segments) => segments.join(''))
const size = fc.constantFrom('normal' as const, 'large' as const)
const block: fc.Arbitrary<ReceiptBlock> = fc.oneof(
  fc.record({
    kind: fc.constant('text' as const),
    text,
    align: fc.constantFrom('left' as const, 'center' as const, 'right' as const),
    size,
  }),
  fc.record({ kind: fc.constant('row' as const), left: text, right: text, size }),
  fc.record({
    kind: fc.constant('barcode' as const),
    symbology: fc.constantFrom('code128' as const, 'ean13' as const),
    data: text,
  }),
  fc.record({ kind: fc.constant('qr' as const), data: text }),
)

test.each(PrinterLanguage.options)(
  'a receipt in %s with printer commands in its texts has one cut, no drawer pulse and no status request',
  (language) => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), fc.constantFrom(42 as const, 48 as const), (blocks, columns) => {
        const { bytes } = encodeReceipt(
          { locale: 'en-CA', title: '', blocks },
          { language, columns, openDrawer: false, logo: null },
        )
        const decoder = decoderOf(language)
        decoder.push(bytes)
        const marks: PaperMark[] = []
        for (let mark = decoder.next(); mark !== null; mark = decoder.next()) marks.push(mark)
        expect(decoder.pending).toBe(0)
        const count = (kind: PaperMark['kind']): number => marks.filter((mark) => mark.kind === kind).length
        expect({
          cut: count('cut'),
          drawer: count('drawer'),
          statusRequests: count('asked-in-turn'),
          odd: count('not-understood'),
        }).toEqual({ cut: 1, drawer: 0, statusRequests: 0, odd: 0 })
        expect(marks.every((mark) => mark.kind !== 'line' || mark.text.length <= columns)).toBe(true)
        // The simulated printer executes real-time printer commands anywhere in the bytes, even within other data, as a
        // printer does; the receipt must contain none.
        const { answers, kicks } = statusModelOf(language).arrived(bytes, {
          paper: 'ok',
          coverOpen: false,
          drawerOpen: false,
          endsReached: 0,
          fault: null,
        })
        expect({ answers: answers.length, kicks }).toEqual({ answers: 0, kicks: 0 })
      }),
      { numRuns: 2_000 },
    )
  },
)
