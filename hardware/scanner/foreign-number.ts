import { holdsGroups, type IsNumber } from '../msr/digit-groups.ts'
import { isDigit, isPaymentNumber } from '../../contracts/payment-number.ts'
import type { Symbology } from './aim.ts'

const SEMICOLON = 0x3b
const LETTER_B = 0x42
const EQUALS = 0x3d
const CARET = 0x5e

/**
 * `count` digits are a payment card's number, or begin with one of 15 or 16 digits and go on
 * (an expiry or a code glued on). Shorter ones are left to EAN-13 and GTIN-14.
 */
const beginsWithNumber: IsNumber = (digits, count) =>
  count >= 15 &&
  (isPaymentNumber(digits, 0, count) ||
    isPaymentNumber(digits, 0, 15) ||
    (count > 16 && isPaymentNumber(digits, 0, 16)))

/** Between the sentinel and the separator of a track: its length alone tells. */
const asTrack = (before: number | undefined, count: number, after: number | undefined): boolean =>
  count >= 13 && count <= 19 && ((before === SEMICOLON && after === EQUALS) || (before === LETTER_B && after === CARET))

/** An EAN or UPC is a product's number by its symbology, whatever its digits. */
const isProduct = (symbology: Symbology): boolean =>
  symbology === 'ean' || symbology === 'ean-8' || symbology === 'ean-add-on'

/** A number that a person typed may be grouped by single spaces or dashes; anything else ends it. */
const MOST_GAP = 1

/** Where the digits that begin at `start` end. */
function endOfDigits(bytes: Uint8Array, start: number): number {
  let end = start
  while (isDigit(bytes[end])) end += 1
  return end
}

function holdsTrack(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length;) {
    const end = endOfDigits(bytes, at)
    if (asTrack(bytes[at - 1], end - at, bytes[end])) return true
    at = end + 1
  }
  return false
}

/**
 * The bytes hold a payment card's number: between track separators, or alone, in groups or inside other text when a
 * payment scheme issues it and it checks after Luhn. Text of EAN and UPC is a product's by its symbology
 * and holds none but a track. Decided on bytes: no string of it is made, and the working copy is overwritten.
 */
export const holdsPaymentNumber = (bytes: Uint8Array, symbology: Symbology): boolean =>
  holdsTrack(bytes) || (!isProduct(symbology) && holdsGroups(bytes, 0, bytes.length, MOST_GAP, beginsWithNumber))
