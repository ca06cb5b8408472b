import type { Scan } from '../device.ts'
import type { ProgramCards } from '../msr/program-card.ts'
import { isDigit, isPaymentNumber } from '../msr/payment-card.ts'
import { findTracks } from '../msr/tracks.ts'
import { type Identified, identify, mayCarryCollector } from './aim.ts'
import { holdsPaymentNumber } from './foreign-number.ts'
import { itemNumber } from './gtin.ts'

const PERCENT = 0x25
const SEMICOLON = 0x3b
const END = 0x3f
const LONGEST_CODE = 80

const LETTER_A = 0x41
const LETTER_B = 0x42
const LETTER_Z = 0x5a

/**
 * The barcode of a receipt is the sale's id and nothing else, in Code 128. It needs no prefix to be told from an item's:
 * a sale's id is 8 to 40 capital letters and digits with at least one letter, a retail item's number has none.
 * A store's and lane's digits in it may look like a card's number and are not; a track 1 that lost its sentinel (`B` and a number) is one.
 */
function isReceiptCode(data: Uint8Array, symbology: Identified['symbology']): boolean {
  if ((symbology !== 'code-128' && symbology !== 'unknown') || data.length < 8 || data.length > 40) return false
  // Counted in place: filtering would leave a copy of the digits that nobody overwrites.
  let letters = 0
  let digits = 0
  for (const byte of data) {
    if (byte >= LETTER_A && byte <= LETTER_Z) letters += 1
    else if (isDigit(byte)) digits += 1
  }
  const track1Rest = data[0] === LETTER_B && letters === 1 && isPaymentNumber(data, 1, data.length)
  return letters > 0 && letters + digits === data.length && !track1Rest
}

/** What a complete scan is, by symbology and by the profile's patterns. Linear in the frame's length; keeps nothing of it. */
export function classifyScan(frame: Uint8Array, cards: ProgramCards): Scan {
  const { symbology, length } = identify(frame)
  const data = frame.subarray(length)

  const track = classifyTrack(data, cards)
  if (track !== null) return track
  if (isReceiptCode(data, symbology)) return { kind: 'receipt', saleId: textOf(data) }
  if (holdsPaymentNumber(data, symbology)) return { kind: 'foreign-card' }

  const text = textOf(data)
  if (!/^[\x20-\x7e]{1,80}$/.test(text)) return { kind: 'unknown', code: printable(text) }
  return classifyText(text, symbology, cards)
}

const textOf = (data: Uint8Array): string => Buffer.from(data.buffer, data.byteOffset, data.length).toString('latin1')

/** Track data on the scanner's wire: a card reader that is built into a keyboard or scanner, or a code that copies a track. */
function classifyTrack(data: Uint8Array, cards: ProgramCards): Scan | null {
  if ((data[0] !== SEMICOLON && data[0] !== PERCENT) || !data.includes(END)) return null
  const tracks = findTracks(data)
  for (const track of tracks) {
    const collectorNumber = cards.ofTrack(data, track)
    if (collectorNumber !== null) return { kind: 'collector', collectorNumber }
  }
  // Whatever else has a track's shape may be anybody's card: nothing of it is passed on.
  return { kind: 'foreign-card' }
}

function classifyText(text: string, symbology: Identified['symbology'], cards: ProgramCards): Scan {
  if (mayCarryCollector(symbology)) {
    // ITF carries an even number of digits: eleven arrive with a leading 0.
    const collectorNumber = cards.ofBarcode(symbology === 'itf' && /^0\d{11}$/.test(text) ? text.slice(1) : text)
    if (collectorNumber !== null) return { kind: 'collector', collectorNumber }
  }
  switch (symbology) {
    case 'ean': case 'ean-8': return itemOrUnknown(itemNumber(text, symbology), text)
    // The first 13 (or 12) digits are the item's; two or five more are an issue or a price.
    case 'ean-add-on': return itemOrUnknown(itemNumber(/^(\d{12,13})(?:\d{2}|\d{5})$/.exec(text)?.[1] ?? text, 'ean'), text)
    case 'unknown': return { kind: 'item', code: (/^\d+$/.test(text) ? itemNumber(text, 'any') : null) ?? text }
    case 'qr': case 'aztec': case 'pdf417': case 'data-matrix':
      // A web address on a package is no item.
      return /^[A-Za-z0-9._-]{1,40}$/.test(text) ? { kind: 'item', code: text } : { kind: 'unknown', code: text }
    case 'code-39': case 'code-128': case 'codabar': case 'code-93': case 'itf': case 'databar': case 'gs1-128': case 'gs1-qr': case 'gs1-data-matrix': case 'other':
      return { kind: 'item', code: text }
  }
}

const itemOrUnknown = (code: string | null, text: string): Scan => (code === null ? { kind: 'unknown', code: text } : { kind: 'item', code })

/** Bytes outside printable ASCII stand as a dot, so that a screen or a log shows the code and never obeys it. */
const printable = (text: string): string => text.slice(0, LONGEST_CODE).replace(/[^\x20-\x7e]/g, '·')
