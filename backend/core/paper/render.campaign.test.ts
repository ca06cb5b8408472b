import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { type Bars, code128, ean13 } from '../../../contracts/core/symbols/barcodes.ts'
import { qr, QR_QUIET } from '../../../contracts/core/symbols/qr.ts'
import { pageOf, type Shape } from './page.ts'
import { readPng } from './images.ts'
import { pdfOf } from './pdf.ts'
import {
  cannotReadBars,
  cannotReadPdf,
  cannotReadSvg,
  pixelsOf,
  pixelsOfPdf,
  pixelsOfPng,
  pixelsOfSvg,
  readSymbols,
  textOfPdf,
} from './pixels.fixture.ts'
import { pngOf, svgOf } from './svg.ts'

const documentOf = (...blocks: ReceiptBlock[]): ReceiptDocument => ({
  locale: 'fr-CA',
  title: 'Reçu N1010100000042K7QZ',
  blocks,
})
const OPTIONS = { columns: 42, logo: null } as const
const RECEIPT = documentOf(
  { kind: 'text', text: 'Épicerie Noël', align: 'center', size: 'large', bold: true },
  { kind: 'row', left: 'Œufs à la coque', right: 'F  12,34' },
  { kind: 'rule' },
  { kind: 'row', left: 'TOTAL', right: '1 234,56 €', size: 'large', bold: true },
  { kind: 'space' },
  { kind: 'qr', data: 'https://store.example/r/N1010100000042K7QZ' },
  { kind: 'barcode', symbology: 'ean13', data: '4006381333931' },
  { kind: 'barcode', symbology: 'code128', data: 'N1010100000042K7QZ' },
)
const SYMBOLS = [
  'CODE-128:N1010100000042K7QZ',
  'EAN-13:4006381333931',
  'QR-Code:https://store.example/r/N1010100000042K7QZ',
]
const textsOf = (shapes: readonly Shape[]) => shapes.filter((shape) => shape.kind === 'text')

describe('the page of a document', () => {
  test('aligns amounts to the right edge and centres text', () => {
    const page = pageOf(RECEIPT, OPTIONS)
    const [title, , amount] = textsOf(page.shapes)
    const total = textsOf(page.shapes).find(({ text }) => text.startsWith('1 234'))
    expect(amount && amount.x + amount.width).toBeCloseTo(page.width - 16)
    expect(total && total.x + total.width).toBeCloseTo(page.width - 16)
    expect(title && title.x + title.width / 2).toBeCloseTo(page.width / 2)
    for (const shape of page.shapes) {
      const boxes = shape.kind === 'areas' ? shape.areas : [[shape.x, shape.y, shape.width, 0] as const]
      for (const [x, y, width, height] of boxes) {
        expect(Math.min(x, y)).toBeGreaterThan(0)
        expect(x + width).toBeLessThanOrEqual(page.width + 0.001)
        expect(y + height).toBeLessThan(page.height)
      }
    }
  })

  test('draws adjacent dark dots of a store’s logo as one bar, and nothing without a logo', () => {
    const page = pageOf(documentOf({ kind: 'logo' }), {
      columns: 42,
      logo: { width: 4, height: 2, dots: Uint8Array.of(1, 1, 0, 1, 0, 0, 0, 0) },
    })
    const [logo] = page.shapes
    expect(logo?.kind === 'areas' && logo.areas.map(([, , width]) => Math.round(width / (72 / 203)))).toEqual([2, 1])
    expect(pageOf(documentOf({ kind: 'logo' }), OPTIONS).shapes).toEqual([])
  })
})

describe('a document as SVG', () => {
  test('shows names with markup as text: no element, no script, no character that XML forbids', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom(
            '</text><script>alert(1)</script>',
            ']]>',
            '&amp;',
            '" onload="x',
            '\u0000\u0008\ufffe\ud800',
          ),
        ),
        (name) => {
          const svg = svgOf(
            pageOf(documentOf({ kind: 'row', left: name, right: name }, { kind: 'qr', data: name }), OPTIONS),
            { title: name, locale: 'en-CA' },
          )
          // eslint-disable-next-line no-control-regex
          expect(svg).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u)
          expect(svg.match(/<\/?[a-z]+/g)?.every((tag) => /^<\/?(svg|title|rect|text|path)$/.test(tag))).toBe(true)
          expect(svg.replace(/<[^<>]*>/g, '')).not.toMatch(/[<>]/)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('draws bars and a QR code that a decoder reads from pixels', ({ skip }) => {
    skip(cannotReadSvg !== null, cannotReadSvg ?? '')
    expect(readSymbols(pixelsOfSvg(svgOf(pageOf(RECEIPT, OPTIONS), RECEIPT)))).toEqual(SYMBOLS)
  })
})

describe('a document as PDF', () => {
  test('is the same file for the same document, and no text of the document can end a string of the file', () => {
    const hostile = documentOf({ kind: 'text', text: ') Tj ET /Launch (é\\)>', align: 'left' })
    const file = pdfOf(pageOf(hostile, OPTIONS), { title: 'a) /OpenAction (' })
    expect(file.equals(pdfOf(pageOf(hostile, OPTIONS), { title: 'a) /OpenAction (' }))).toBe(true)
    expect(file.toString('latin1')).not.toMatch(/Launch|OpenAction/)
  })

  test('has every object at the offset that its cross-reference table states', () => {
    const file = pdfOf(pageOf(RECEIPT, OPTIONS), RECEIPT).toString('latin1')
    const table = file.slice(Number(/startxref\n(\d+)/.exec(file)?.[1]))
    const offsets = [...table.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset))
    expect(offsets).toHaveLength(7)
    for (const [index, offset] of offsets.entries())
      expect(file.slice(offset)).toMatch(new RegExp(`^${index + 1} 0 obj\\n`))
  })

  test('has text, bars and a QR code that another program reads', ({ skip }) => {
    skip(cannotReadPdf !== null, cannotReadPdf ?? '')
    const file = pdfOf(pageOf(RECEIPT, OPTIONS), RECEIPT)
    const content = textOfPdf(file)
    for (const text of ['Épicerie Noël', 'Œufs à la coque', '1 234,56 €', 'N1010100000042K7QZ'])
      expect(content).toContain(text)
    expect(readSymbols(pixelsOfPdf(file))).toEqual(SYMBOLS)
  })
})

describe('a document as PNG', () => {
  const drawn = async (...blocks: ReceiptBlock[]): Promise<Buffer> => {
    const document = documentOf(...blocks)
    return pngOf(pageOf(document, OPTIONS), document)
  }

  test('is the same file for the same document, with three pixels per point', async () => {
    const file = await drawn(...RECEIPT.blocks)
    expect(file.equals(await drawn(...RECEIPT.blocks))).toBe(true)
    const page = pageOf(RECEIPT, OPTIONS)
    const { width, height } = readPng(file)
    expect(width).toBe(Math.round(page.width * 3))
    expect(Math.abs(height - page.height * 3)).toBeLessThan(3)
  })

  test('has a glyph for accents, the euro sign and other receipt characters, and another glyph in bold', async () => {
    const shapeOf = async (text: string, bold = false): Promise<string> =>
      Buffer.from(readPng(await drawn({ kind: 'text', text, align: 'center', bold })).dots).toString('base64')
    // No receipt font has this character, so its image is that of a missing glyph.
    const shapes = [await shapeOf('茶')]
    for (const sign of 'eéèêëÉÀçÇœŒ€$’×·•–%') shapes.push(await shapeOf(sign))
    shapes.push(await shapeOf('e', true))
    expect(new Set(shapes).size).toBe(shapes.length)
  })

  test('draws bars and a QR code that a decoder reads from pixels', async ({ skip }) => {
    skip(cannotReadBars !== null, cannotReadBars ?? '')
    expect(readSymbols(pixelsOfPng(await drawn(...RECEIPT.blocks)))).toEqual(SYMBOLS)
  })
})

describe('an independent decoder', () => {
  beforeEach(({ skip }) => {
    skip(cannotReadBars !== null, cannotReadBars ?? '')
  })

  const MODULE = 3
  const linear = ({ width, bars }: Bars): boolean[][] => {
    const row = Array.from({ length: width * MODULE }, (_, x) =>
      bars.some(([at, wide]) => x >= at * MODULE && x < (at + wide) * MODULE),
    )
    return Array.from({ length: 60 }, () => row)
  }
  const square = (text: string): boolean[][] => {
    const modules = qr(text)
    const size = ((modules?.length ?? 0) + QR_QUIET * 2) * MODULE
    return Array.from({ length: size }, (_, y) =>
      Array.from(
        { length: size },
        (_column, x) => modules?.[Math.floor(y / MODULE) - QR_QUIET]?.[Math.floor(x / MODULE) - QR_QUIET] === true,
      ),
    )
  }

  test('reads QR codes of every version in use', () => {
    for (const text of [
      'a',
      'N1010100000042K7QZ',
      ...[26, 42, 62, 84, 106].map((length) => 'https://store.example/'.padEnd(length, 'r7x')),
    ]) {
      expect(readSymbols(pixelsOf(square(text)))).toEqual([`QR-Code:${text}`])
    }
  })
  test('reads Code 128 of sale ids, and of every character that it supports', () => {
    for (const text of [
      'N1010100000042K7QZ',
      'ABC-1234',
      ' !"#$%&\'()*+,-./0123456789:;<=>?',
      '@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_',
      '`abcdefghijklmnopqrstuvwxyz{|}~',
    ]) {
      expect(readSymbols(pixelsOf(linear(code128(text))))).toEqual([`CODE-128:${text}`])
    }
  })
  test('reads EAN-13 with each first digit', () => {
    for (const text of [
      '0000098765430',
      '1123555554442',
      '2247012343451',
      '3370469132466',
      '4493925921479',
      '5617382710486',
      '6740839499494',
      '7864296288503',
      '8987753077515',
      '9111209866524',
    ]) {
      expect(readSymbols(pixelsOf(linear(ean13(text)))), text).toEqual([`EAN-13:${text}`])
    }
  })
})
