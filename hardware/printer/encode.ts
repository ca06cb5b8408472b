import ReceiptPrinterEncoder from '@point-of-sale/receipt-printer-encoder'
import type { PrinterDevice, PrinterLanguage } from '../../contracts/core/profile.ts'
import type { Bitmap, ReceiptBlock, ReceiptDocument } from '../../contracts/core/receipt.ts'
import { ean13 } from '../../contracts/core/symbols/barcodes.ts'
import { isQrText } from '../../contracts/core/symbols/qr.ts'
import { code128, type PrinterCommandSet, printerCommandSetOf, fitted, logoRaster } from './raster.ts'
import { printableText } from '../../contracts/core/printable-text.ts'

export interface EncodeOptions {
  readonly language: PrinterLanguage
  readonly columns: PrinterDevice['columns']
  readonly openDrawer: boolean
  readonly logo: Bitmap | null
}

const DOTS_PER_COLUMN = 12
const BARCODE_HEIGHT = 80
/** Dots per module of the encoder's width 1: the thinnest bar that a scanner reads from thermal paper. */
const NARROW_DOTS = 2
/** Width of a QR module in dots: 0.5 mm, for a phone at arm's length. */
const QR_DOTS = 4
/** Number of lines fed before the cut, because the cutter is that far behind the print head. */
const FEED_BEFORE_CUT = 4

export interface JobWork {
  readonly lines: number
  readonly characters: number
  readonly barcodes: number
  readonly cuts: number
}

export interface EncodedReceipt {
  readonly bytes: Uint8Array
  readonly work: JobWork
}

const INITIALIZE = {
  'esc-pos': (encoder) => encoder.initialize(),
  // Star printers get no CAN, which the encoder library would send: CAN resets the counter of ended jobs, which
  // confirms a job (`star-status.ts`).
  star: (encoder) => encoder.raw([0x1b, 0x40]),
} as const satisfies Record<PrinterCommandSet, (encoder: ReceiptPrinterEncoder) => unknown>

export function encodeReceipt(
  document: ReceiptDocument,
  { language, columns, openDrawer, logo }: EncodeOptions,
): EncodedReceipt {
  const work = { lines: 0, characters: 0, barcodes: 0, cuts: 1 }
  const encoder = new ReceiptPrinterEncoder({
    language,
    columns,
    imageMode: 'raster',
    feedBeforeCut: FEED_BEFORE_CUT,
    feedAfterBlock: false,
    newline: '\n',
  })
  const dots = columns * DOTS_PER_COLUMN
  function square(text: string): void {
    if (!isQrText(text)) return
    encoder.align('center').qrcode(text, { model: 2, size: QR_DOTS, errorlevel: 'm' }).align('left')
    work.barcodes += 1
  }
  INITIALIZE[printerCommandSetOf(language)](encoder)
  encoder.codepage('windows1252')
  if (openDrawer) encoder.pulse()
  for (const line of receiptLines(document, columns)) {
    switch (line.kind) {
      case 'barcode': {
        const data = barcodeData(line.symbology, line.data, language, dots)
        if (data !== null) {
          encoder
            .align('center')
            .barcode(data, line.symbology, { height: BARCODE_HEIGHT, width: 1, text: 'none' })
            .align('left')
          work.barcodes += 1
        } else if (line.symbology === 'code128') square(line.data)
        break
      }
      case 'qr':
        square(line.data)
        break
      case 'logo':
        if (logo !== null) {
          const { image, width, height } = logoRaster(fitted(logo, dots), language)
          encoder.align('center').image(image, width, height, 'threshold', 128).align('left')
        }
        break
      case 'text':
        if (line.large) encoder.size(2, 2)
        if (line.bold) encoder.bold(true)
        encoder.line(line.text)
        if (line.bold) encoder.bold(false)
        if (line.large) encoder.size(1, 1)
        if (line.text.trim() !== '') work.lines += 1
        work.characters += line.text.replaceAll(' ', '').length
        break
    }
  }
  return { bytes: encoder.cut('partial').encode(), work }
}

/**
 * Converts the data of a barcode for the printer command. Returns null if the symbology cannot encode it or a Code
 * 128 is wider than the paper: most printers then print nothing.
 */
function barcodeData(
  symbology: 'code128' | 'ean13',
  text: string,
  language: PrinterLanguage,
  dots: number,
): string | null {
  if (symbology === 'ean13') return ean13(text).bars.length === 0 ? null : text
  const bars = code128(text)
  if (bars === null || bars.modules * NARROW_DOTS > dots) return null
  return {
    'esc-pos': bars.data,
    // The printer chooses the code sets of Code 128 itself; a percent sign begins an escape in its data.
    star: text.replaceAll('%', '%0'),
  }[printerCommandSetOf(language)]
}

export type PrintLine =
  | { readonly kind: 'text'; readonly text: string; readonly bold: boolean; readonly large: boolean }
  | { readonly kind: 'barcode'; readonly symbology: 'code128' | 'ean13'; readonly data: string }
  | { readonly kind: 'qr'; readonly data: string }
  | { readonly kind: 'logo' }

const GAP = 1

/**
 * Breaks a line at spaces, and text without spaces at the width of the paper. Keeps an indent on the first line.
 * Returns at least one line.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  const start = Math.min(text.search(/[^ ]|$/), Math.floor(width / 2))
  let line = ''
  // The indent is attached to the text, so that it is not a separate line.
  const [first = '', ...others] = text.trimStart().split(' ')
  for (const segment of [' '.repeat(start) + first, ...others]) {
    let rest = segment
    if (line !== '' && line.length + 1 + rest.length <= width) {
      line += ` ${rest}`
      continue
    }
    if (line !== '') lines.push(line)
    while (rest.length > width) {
      lines.push(rest.slice(0, width))
      rest = rest.slice(width)
    }
    line = rest
  }
  if (line !== '' || lines.length === 0) lines.push(line)
  return lines
}

function aligned(text: string, align: 'left' | 'center' | 'right', width: number): string {
  if (align === 'right') return text.padStart(width)
  if (align === 'center') return `${' '.repeat(Math.floor((width - text.length) / 2))}${text}`
  return text
}

/**
 * Puts left and right text on one line. A long left text wraps, and the right text is on its last line, or on lines of
 * its own if it leaves no room for the left text.
 */
export function rowLines(left: string, right: string, width: number): string[] {
  if (right.length > width - GAP - 1)
    return [...wrap(left, width), ...wrap(right, width).map((line) => line.padStart(width))]
  if (right === '') return wrap(left, width)
  const lines = wrap(left, width - GAP - right.length)
  const last = lines.pop() ?? ''
  return [...lines, last + right.padStart(width - last.length)]
}

const asciiOf = (text: string): string => printableText(text).replace(/[^\x20-\x7e]/g, '')
const under = (data: string, columns: number): PrintLine[] =>
  wrap(data, columns).map((line) => ({
    kind: 'text',
    text: aligned(line, 'center', columns),
    bold: false,
    large: false,
  }))

function blockLines(block: ReceiptBlock, columns: number): PrintLine[] {
  switch (block.kind) {
    case 'text':
    case 'row': {
      const large = block.size === 'large'
      const width = large ? Math.floor(columns / 2) : columns
      const bold = block.bold === true
      const texts =
        block.kind === 'row'
          ? rowLines(printableText(block.left).trimEnd(), printableText(block.right).trim(), width)
          : wrap(printableText(block.text).trimEnd(), width).map((line) => aligned(line, block.align, width))
      return texts.map((text) => ({ kind: 'text', text, bold, large }))
    }
    case 'rule':
      return [{ kind: 'text', text: '-'.repeat(columns), bold: false, large: false }]
    case 'space':
      return [{ kind: 'text', text: '', bold: false, large: false }]
    case 'logo':
      return [{ kind: 'logo' }]
    case 'qr':
      return [{ kind: 'qr', data: block.data }, ...under(printableText(block.data), columns)]
    // Printers accept printable ASCII in a Code 128; the same characters are printed below the bars for typing.
    case 'barcode': {
      const data = asciiOf(block.data)
      return [{ kind: 'barcode', symbology: block.symbology, data }, ...under(data, columns)]
    }
  }
}

export const receiptLines = (document: ReceiptDocument, columns: number): PrintLine[] =>
  document.blocks.flatMap((block) => blockLines(block, columns))
