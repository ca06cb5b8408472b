import ReceiptPrinterEncoder from '@point-of-sale/receipt-printer-encoder'
import type { ReceiptDocument } from '../../contracts/receipt.ts'
import { code128 } from './code128.ts'
import { layOut } from './layout.ts'

export interface EncodeOptions {
  readonly columns: 42 | 48
  /** Kick the drawer before the paper, so that it is open while the receipt prints. */
  readonly openDrawer: boolean
}

/** Dots of one column: font A is 12 dots wide. */
const DOTS_PER_COLUMN = 12
const BARCODE_HEIGHT = 80
/** Dots per module of the encoder's width 1: the thinnest bar that a lane's scanner reads from thermal paper. */
const NARROW_DOTS = 2
/** Lines between the print head and the knife. */
const FEED_BEFORE_CUT = 4

/** A receipt as ESC/POS bytes, from initialize to cut. Pure: the same document gives the same bytes. */
export function encodeReceipt(document: ReceiptDocument, { columns, openDrawer }: EncodeOptions): Uint8Array {
  const encoder = new ReceiptPrinterEncoder({ language: 'esc-pos', columns, imageMode: 'raster', feedBeforeCut: FEED_BEFORE_CUT, feedAfterBlock: false, newline: '\n' })
  // windows1252 has é, ç, œ and €; asking for `auto` costs ten times the time.
  encoder.initialize().codepage('windows1252')
  if (openDrawer) encoder.pulse()
  for (const line of layOut(document, columns)) {
    if (line.kind === 'barcode') {
      const bars = code128(line.data)
      // Too wide for the paper, most printers print nothing: the characters below then stand alone.
      if (bars === null || bars.modules * NARROW_DOTS > columns * DOTS_PER_COLUMN) continue
      encoder.align('center').barcode(bars.data, 'code128', { height: BARCODE_HEIGHT, width: 1, text: 'none' }).align('left')
      continue
    }
    if (line.large) encoder.size(2, 2)
    if (line.bold) encoder.bold(true)
    encoder.line(line.text)
    if (line.bold) encoder.bold(false)
    if (line.large) encoder.size(1, 1)
  }
  return encoder.cut('partial').encode()
}
