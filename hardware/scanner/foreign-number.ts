import { isDigit, isPaymentNumber } from '../msr/payment-card.ts'
import type { Symbology } from './aim.ts'

const SPACE = 0x20
const DASH = 0x2d
const SEMICOLON = 0x3b
const LETTER_B = 0x42
const EQUALS = 0x3d
const CARET = 0x5e

/**
 * `count` digits from `start` are a payment card's number, or begin with one of 15 or 16 digits and go on
 * (an expiry or a code glued on). Shorter ones are left to EAN-13 and GTIN-14.
 */
function beginsWithNumber(bytes: Uint8Array, start: number, count: number): boolean {
  return count >= 15 && (isPaymentNumber(bytes, start, start + count) || isPaymentNumber(bytes, start, start + 15) || (count > 16 && isPaymentNumber(bytes, start, start + 16)))
}

/** Between the sentinel and the separator of a track: its length alone tells. */
const asTrack = (before: number | undefined, count: number, after: number | undefined): boolean =>
  count >= 13 && count <= 19 && ((before === SEMICOLON && after === EQUALS) || (before === LETTER_B && after === CARET))

/** An EAN or UPC is a product's number by its symbology, whatever its digits. */
const isProduct = (symbology: Symbology): boolean => symbology === 'ean' || symbology === 'ean-8' || symbology === 'ean-add-on'

/**
 * The digits of groups, side by side: one buffer for good, and large enough to lie outside the collector's heap,
 * which moves what is small and leaves its old place as it was.
 */
const grouped = new Uint8Array(1_024)

/** Where the digits that begin at `start` end. */
function endOfDigits(bytes: Uint8Array, start: number): number {
  let end = start
  while (isDigit(bytes[end])) end += 1
  return end
}

/**
 * The bytes hold a payment card's number: between track separators, or alone, in groups or inside other text when a
 * payment scheme issues it and it checks after Luhn. Text of EAN and UPC is a product's by its symbology
 * and holds none but a track. Decided on bytes: no string of it is made, and the working copy is overwritten.
 */
export function holdsPaymentNumber(bytes: Uint8Array, symbology: Symbology): boolean {
  const product = isProduct(symbology)
  let groupedCount = 0
  let found = false
  for (let at = 0; at < bytes.length && !found;) {
    if (!isDigit(bytes[at])) {
      // A number that a person typed may be grouped by single spaces or dashes; anything else ends it.
      const joins = (bytes[at] === SPACE || bytes[at] === DASH) && at > 0 && isDigit(bytes[at - 1]) && isDigit(bytes[at + 1])
      if (!joins) groupedCount = 0
      at += 1
      continue
    }
    const end = endOfDigits(bytes, at)
    if (groupedCount + end - at > grouped.length) groupedCount = 0
    grouped.set(bytes.subarray(at, Math.min(end, at + grouped.length)), groupedCount)
    groupedCount = Math.min(groupedCount + end - at, grouped.length)
    found = asTrack(bytes[at - 1], end - at, bytes[end]) || (!product && (beginsWithNumber(bytes, at, end - at) || beginsWithNumber(grouped, 0, groupedCount)))
    at = end
  }
  grouped.fill(0)
  return found
}
