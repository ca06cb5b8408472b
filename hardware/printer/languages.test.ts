import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PrinterDevice, PrinterLanguage } from '../../contracts/core/profile.ts'
import type { Bitmap, ReceiptBlock, ReceiptDocument } from '../../contracts/core/receipt.ts'
import type { Printer, PrinterEvent } from '../device.ts'
import { recorder } from '../serial/listener.fixture.ts'
import { type VirtualBench, openVirtualBench } from '../virtual/bench.ts'
import type { PaperMark } from '../virtual/printer-decoder.ts'
import { decoderOf } from '../virtual/paper-roll.ts'
import { encodeReceipt } from './encode.ts'
import { openPrinter } from './printer.ts'

const LANGUAGES = PrinterLanguage.options
const receipt = (...blocks: ReceiptBlock[]): ReceiptDocument => ({ locale: 'fr-CA', title: 'Reçu', blocks })
/** A black triangle as image, which any rotation or mirroring changes. */
const diagonal = (width: number, height: number): Bitmap => ({
  width,
  height,
  dots: Uint8Array.from({ length: width * height }, (_, at) => (at % width <= Math.floor(at / width) ? 1 : 0)),
})

function decoded(language: PrinterLanguage, bytes: Uint8Array): PaperMark[] {
  const decoder = decoderOf(language)
  const marks: PaperMark[] = []
  // The bytes are decoded one by one, because a printer command may be split anywhere.
  for (const byte of bytes) {
    decoder.push(Uint8Array.of(byte))
    for (let mark = decoder.next(); mark !== null; mark = decoder.next()) marks.push(mark)
  }
  expect(decoder.pending).toBe(0)
  return marks
}

describe.each(LANGUAGES)('a receipt in %s, read by a decoder that shares no code with the encoder', (language) => {
  const options = { language, columns: 42, openDrawer: false, logo: null } as const

  test('has text, barcodes and a QR code that decode correctly, with the drawer pulse first and the cut last', () => {
    const marks = decoded(
      language,
      encodeReceipt(
        receipt(
          { kind: 'text', text: 'Épicerie Noël', align: 'left', size: 'large', bold: true },
          { kind: 'row', left: 'Œufs à la coque', right: '12,34\u202f€' },
          { kind: 'barcode', symbology: 'code128', data: 'N1010100000042K7QZ' },
          { kind: 'barcode', symbology: 'code128', data: '100%{A}' },
          { kind: 'barcode', symbology: 'ean13', data: '4006381333931' },
          { kind: 'qr', data: 'https://store.example/r?a=1' },
        ),
        { ...options, openDrawer: true },
      ).bytes,
    )
    expect(marks[0]).toEqual({ kind: 'drawer' })
    expect(marks.filter((mark) => mark.kind === 'drawer')).toHaveLength(1)
    expect(marks.filter((mark) => mark.kind === 'line').map((mark) => mark.text)).toEqual(
      expect.arrayContaining(['Épicerie Noël', `Œufs à la coque${' '.repeat(20)}12,34 €`]),
    )
    expect(marks.filter((mark) => mark.kind === 'barcode')).toEqual([
      { kind: 'barcode', symbology: 'Code 128', text: 'N1010100000042K7QZ' },
      { kind: 'barcode', symbology: 'Code 128', text: '100%{A}' },
      { kind: 'barcode', symbology: 'EAN-13', text: '4006381333931' },
    ])
    expect(marks.filter((mark) => mark.kind === 'qr')).toEqual([{ kind: 'qr', text: 'https://store.example/r?a=1' }])
    expect(marks.filter((mark) => mark.kind === 'cut')).toHaveLength(1)
    expect(marks.findLastIndex((mark) => mark.kind === 'line' && mark.text !== '')).toBeLessThan(
      marks.findIndex((mark) => mark.kind === 'cut'),
    )
    expect(marks.filter((mark) => mark.kind === 'not-understood')).toEqual([])
  })

  test('has the number but no bars for a barcode with a wrong check digit', () => {
    const marks = decoded(
      language,
      encodeReceipt(receipt({ kind: 'barcode', symbology: 'ean13', data: '4006381333930' }), options).bytes,
    )
    expect(marks.some((mark) => mark.kind === 'barcode')).toBe(false)
    expect(marks).toContainEqual({ kind: 'line', text: `${' '.repeat(14)}4006381333930` })
  })

  test('has every dot of the logo at the right position', () => {
    const logo = diagonal(30, 44)
    const marks = decoded(language, encodeReceipt(receipt({ kind: 'logo' }), { ...options, logo }).bytes)
    const bands = marks.filter((mark) => mark.kind === 'image')
    const rows = bands.flatMap(({ width, height, dots }) =>
      Array.from({ length: height }, (_, y) => dots.slice(y * width, (y + 1) * width).join('')),
    )
    const expected = Array.from({ length: logo.height }, (_, y) =>
      logo.dots.slice(y * logo.width, (y + 1) * logo.width).join(''),
    )
    expect(rows.slice(0, logo.height).map((row) => row.slice(0, logo.width))).toEqual(expected)
    // The padding of the image's last byte or band is white.
    expect(
      [...rows.slice(0, logo.height).map((row) => row.slice(logo.width)), ...rows.slice(logo.height)].join(''),
    ).toMatch(/^0*$/)
    expect(marks.filter((mark) => mark.kind === 'not-understood')).toEqual([])
  })

  test('has no image without a logo, and a logo wider than the paper is narrowed to the paper’s width', () => {
    const widths = (logo: Bitmap | null, columns: 32 | 42): number[] =>
      decoded(language, encodeReceipt(receipt({ kind: 'logo' }), { ...options, columns, logo }).bytes).flatMap((mark) =>
        mark.kind === 'image' ? [mark.width] : [],
      )
    expect(widths(null, 42)).toEqual([])
    expect(widths(diagonal(504, 8), 42)).toEqual([504])
    expect(widths(diagonal(504, 8), 32)).toEqual([384])
  })
})

describe.each(LANGUAGES)('a %s printer', (language) => {
  let folder: string
  let bench: VirtualBench
  let printer: Printer
  let listener: ReturnType<typeof recorder<PrinterEvent>>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'milepost-paper-'))
    bench = await openVirtualBench({ paperFolder: folder, printerLanguage: language })
    listener = recorder<PrinterEvent>()
    printer = openPrinter(
      PrinterDevice.parse({ connection: bench.connections.printer, language, drawer: { openWhen: 'high' } }),
      listener,
      { pollMs: 30 },
    )
  })
  afterEach(async () => {
    await printer.close()
    await bench.close()
    await rm(folder, { recursive: true, force: true })
  })
  const print = (text: string, openDrawer = false) =>
    printer.print({ document: receipt({ kind: 'text', text, align: 'left' }), openDrawer, copy: 0 })

  test('confirms each printed job once and in order', async () => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, index) => print(`job ${index}`)))
    expect(outcomes.map(({ state }) => state)).toEqual(outcomes.map(() => 'confirmed'))
    expect(bench.documents).toEqual(outcomes.map((_, index) => `job ${index}\n`))
  })

  test('reports an open cover, fails a job while the cover is open, and prints after it is closed', async () => {
    await listener.until('ready')
    await bench.play('cover-open')
    expect(await listener.until('needs-attention')).toEqual({ state: 'needs-attention', detail: 'cover open' })
    expect(await print('later')).toEqual({ state: 'failed', detail: 'cover open' })
    await bench.play('cover-closed')
    await listener.until('ready')
    expect(await print('now')).toEqual({ state: 'confirmed', detail: null })
    expect(bench.documents).toEqual(['now\n'])
  })

  test('reports when the drawer is opened and closed', async () => {
    expect(await listener.take(1)).toEqual([{ kind: 'drawer', position: 'closed' }])
    await print('cash', true)
    expect(await listener.take(1)).toEqual([{ kind: 'drawer', position: 'open' }])
    expect(printer.drawer).toBe('open')
    await bench.play('drawer-closed')
    expect(await listener.take(1)).toEqual([{ kind: 'drawer', position: 'closed' }])
    await bench.play('printer-off')
    expect(await listener.take(1)).toEqual([{ kind: 'drawer', position: null }])
    expect(bench.drawerKicks).toBe(1)
  })

  test('reports an unknown outcome of a job that runs out of paper, whose late end confirms no other job', async () => {
    await bench.play('paper-out-during-job')
    expect((await print('half')).state).toBe('unknown')
    const paper = bench.nextPaper()
    await bench.play('paper-ok')
    await paper
    expect(await print('next')).toEqual({ state: 'confirmed', detail: null })
    expect(bench.documents.filter((text) => text.includes('half'))).toHaveLength(1)
    expect(bench.documents.filter((text) => text.includes('next'))).toHaveLength(1)
  })
})
