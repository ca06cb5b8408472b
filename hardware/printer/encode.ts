import ReceiptPrinterEncoder from '@point-of-sale/receipt-printer-encoder'
import type { PrinterLanguage } from '../../contracts/core/profile.ts'
import type { Bitmap, ReceiptBlock, ReceiptDocument } from '../../contracts/core/receipt.ts'
import { ean13 } from '../../contracts/core/symbols/barcodes.ts'
import { isQrText } from '../../contracts/core/symbols/qr.ts'
import { code128, type CommandSet, commandSetOf, logoRaster } from './raster.ts'
import { printableText } from '../../contracts/core/printable-text.ts'

export interface EncodeOptions {
  readonly language: PrinterLanguage
  readonly columns: 42 | 48
  /** Kick the drawer before the paper, so that it is open while the receipt prints. */
  readonly openDrawer: boolean
  /** What a logo block prints; nothing without one, or when it is wider than the paper. */
  readonly logo: Bitmap | null
}

/** Dots of one column: font A is 12 dots wide. */
const DOTS_PER_COLUMN = 12
const BARCODE_HEIGHT = 80
/** Dots per module of the encoder's width 1: the thinnest bar that a lane's scanner reads from thermal paper. */
const NARROW_DOTS = 2
/** Dots per module of a QR code: half a millimetre, for a telephone at arm's length. */
const QR_DOTS = 4
/** Lines between the print head and the knife. */
const FEED_BEFORE_CUT = 4

/** What is on the paper when a printer has worked through a job. */
export interface JobWork {
  /** Lines that are not empty, and the characters in them that are no spaces. */
  readonly lines: number
  readonly characters: number
  /** Barcodes and QR codes. */
  readonly barcodes: number
  readonly cuts: number
}

export interface EncodedReceipt {
  readonly bytes: Uint8Array
  readonly work: JobWork
}

/** How a job begins. */
const INITIALIZE = {
  'esc-pos': (encoder) => encoder.initialize(),
  // For Star the encoder adds CAN, which sets the counter of ended jobs back, by which a job is confirmed
  // (`star-status.ts`).
  star: (encoder) => encoder.raw([0x1b, 0x40]),
} as const satisfies Record<CommandSet, (encoder: ReceiptPrinterEncoder) => unknown>

/**
 * A receipt as the bytes of one printer language, from initialize to cut. Pure: the same document gives the same bytes.
 */
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
    // A code that says something else than the document is worse than none.
    if (!isQrText(text)) return
    encoder.align('center').qrcode(text, { model: 2, size: QR_DOTS, errorlevel: 'm' }).align('left')
    work.barcodes += 1
  }
  // windows1252 has é, ç, œ and €; asking for `auto` costs ten times the time.
  INITIALIZE[commandSetOf(language)](encoder)
  encoder.codepage('windows1252')
  if (openDrawer) encoder.pulse()
  for (const line of layOut(document, columns)) {
    switch (line.kind) {
      case 'barcode': {
        const data = barcodeData(line.symbology, line.data, language, dots)
        if (data !== null) {
          encoder
            .align('center')
            .barcode(data, line.symbology, { height: BARCODE_HEIGHT, width: 1, text: 'none' })
            .align('left')
          work.barcodes += 1
          // The paper is too narrow for the bars: what is worth its code must still have one to scan.
        } else if (line.symbology === 'code128') square(line.data)
        break
      }
      case 'qr':
        square(line.data)
        break
      case 'logo':
        if (logo !== null && logo.width <= dots) {
          const { image, width, height } = logoRaster(logo, language)
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
 * The data as the printer's command wants it; null when the bars would be wrong, or wider than the paper: most printers
 * then print nothing.
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
    // The printer chooses the code sets itself; in its data a percent sign begins an escape.
    star: text.replaceAll('%', '%0'),
  }[commandSetOf(language)]
}

/** A receipt as lines of exactly known width, before any printer's language. */
export type PrintLine =
  /** At most `columns` characters, or half as many when `large`. Already aligned by spaces. */
  | { readonly kind: 'text'; readonly text: string; readonly bold: boolean; readonly large: boolean }
  | { readonly kind: 'barcode'; readonly symbology: 'code128' | 'ean13'; readonly data: string }
  | { readonly kind: 'qr'; readonly data: string }
  | { readonly kind: 'logo' }

const GAP = 1

/**
 * Breaks a line at spaces, and a longer word where the paper ends. Keeps an indent on the first line. Always at least
 * one line.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  const start = Math.min(text.search(/[^ ]|$/), Math.floor(width / 2))
  let line = ''
  // The indent belongs to the first word: alone it would be a line of its own.
  const [first = '', ...others] = text.trimStart().split(' ')
  for (const word of [' '.repeat(start) + first, ...others]) {
    let rest = word
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
 * Left and right on one line. A long left wraps above, and the right stands on its last line; an amount never breaks
 * unless it is wider than the paper.
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
    // Code 128 here carries printable ASCII; the same characters stand under the bars for a person to key.
    case 'barcode': {
      const data = asciiOf(block.data)
      return [{ kind: 'barcode', symbology: block.symbology, data }, ...under(data, columns)]
    }
  }
}

export const layOut = (document: ReceiptDocument, columns: number): PrintLine[] =>
  document.blocks.flatMap((block) => blockLines(block, columns))
