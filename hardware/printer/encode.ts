import ReceiptPrinterEncoder from '@point-of-sale/receipt-printer-encoder'
import type { PrinterLanguage } from '../../contracts/profile.ts'
import type { Bitmap, ReceiptDocument } from '../../contracts/receipt.ts'
import { ean13 } from '../../contracts/symbols/ean13.ts'
import { isQrText } from '../../contracts/symbols/qr.ts'
import { code128 } from './code128.ts'
import { commandSetOf, type CommandSet } from './command-set.ts'
import { layOut } from './layout.ts'
import { logoRaster } from './logo-raster.ts'

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
