import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PrinterLanguage } from '../../contracts/core/profile.ts'
import type { Bitmap, ReceiptDocument } from '../../contracts/core/receipt.ts'
import { encodeReceipt } from './encode.ts'

/** Bytes that a printer obeys as they arrive, even within other data (sources: `raster.ts`). */
const REAL_TIME = { 'esc-pos': ['1004', '1005', '1014'], 'star-prnt': ['1b06'], 'star-line': ['1b06'] } as const

const RECEIPT: ReceiptDocument = {
  locale: 'fr-CA',
  title: '',
  blocks: [
    { kind: 'logo' },
    { kind: 'row', left: 'Œufs', right: '12,34' },
    { kind: 'barcode', symbology: 'code128', data: 'N1010116201620K7QZ' },
    { kind: 'qr', data: 'https://store.example/r' },
  ],
}

/**
 * Returns the positions of real-time printer commands in the hexadecimal text. A byte is two digits, so only even
 * positions count.
 */
function sequencesIn(language: PrinterLanguage, logo: Bitmap): number[] {
  const text = Buffer.from(encodeReceipt(RECEIPT, { language, columns: 42, openDrawer: true, logo }).bytes).toString(
    'hex',
  )
  return REAL_TIME[language]
    .flatMap((sequence) => [...text.matchAll(new RegExp(sequence, 'g'))].map(({ index }) => index))
    .filter((index) => index % 2 === 0)
}

function inRows(bytes: readonly number[], bytesWide: number): Bitmap {
  const dots = bytes.flatMap((byte) => Array.from({ length: 8 }, (_, bit) => (byte >> (7 - bit)) & 1))
  return { width: bytesWide * 8, height: bytes.length / bytesWide, dots: Uint8Array.from(dots) }
}

function inColumns(bytes: readonly number[]): Bitmap {
  const width = bytes.length / 3
  const { dots } = inRows(bytes, 3)
  return {
    width,
    height: 24,
    dots: Uint8Array.from({ length: width * 24 }, (_, at) => dots[(at % width) * 24 + Math.floor(at / width)] ?? 0),
  }
}

test('a logo row with the bytes of DLE DC4, DLE EOT or DLE ENQ is encoded without a real-time printer command', () => {
  for (const row of [
    [0x10, 0x14, 0x01, 0x00, 0x05],
    [0x10, 0x04, 0x01, 0, 0],
    [0, 0, 0, 0x10, 0x05],
  ])
    expect(sequencesIn('esc-pos', inRows(row, 5))).toEqual([])
  expect(sequencesIn('esc-pos', inRows([0, 0x10, 0x14, 0x01], 2))).toEqual([])
})

test('a logo column with the bytes of ESC ACK is encoded without a Star status request', () => {
  for (const language of ['star-prnt', 'star-line'] as const)
    expect(sequencesIn(language, inColumns([0x1b, 0x06, 0x01, 0, 0, 0x1b, 0x06, 0x18, 0]))).toEqual([])
})

const anyByte = fc.oneof(fc.constantFrom(0x10, 0x04, 0x05, 0x14, 0x01, 0x1b, 0x06, 0x18), fc.nat(255))

test.each(PrinterLanguage.options)('any logo is encoded without a real-time printer command of %s', (language) => {
  fc.assert(
    fc.property(
      fc
        .integer({ min: 1, max: 12 })
        .chain((wide) =>
          fc.array(anyByte, { minLength: wide * 24, maxLength: wide * 24 }).map((bytes) => ({ wide, bytes })),
        ),
      ({ wide, bytes }) => {
        expect(sequencesIn(language, inRows(bytes, wide))).toEqual([])
        expect(sequencesIn(language, inColumns(bytes))).toEqual([])
      },
    ),
    { numRuns: 200 },
  )
})

test('a logo row with the bytes of a printer command gets one more black dot, next to another black dot', () => {
  const logo = inRows([0x10, 0x14, 0x01, 0x00, 0x05], 5)
  const bytes = Buffer.from(encodeReceipt(RECEIPT, { language: 'esc-pos', columns: 42, openDrawer: false, logo }).bytes)
  const raster = bytes.subarray(bytes.indexOf(Uint8Array.of(0x1d, 0x76, 0x30)) + 8)
  expect([...raster.subarray(0, 5)]).toEqual([0x30, 0x14, 0x01, 0x00, 0x05])
})
