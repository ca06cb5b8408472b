import { isDigit, isPaymentNumber } from '../msr/payment-card.ts'
import type { Symbology } from './aim.ts'

const SPACE = 0x20
const DASH = 0x2d
const SEMICOLON = 0x3b
const LETTER_B = 0x42
const EQUALS = 0x3d
const CARET = 0x5e

/**
 * The bytes hold a payment card's number: 13 to 19 digits between track separators, or 15 to 19 digits alone, in groups
 * or inside other text, that a payment scheme issues and that check after Luhn. Shorter ones are left to EAN-13 and GTIN-14.
 * Text of EAN and GS1 symbologies is a product's by its symbology and holds no card. Decided on bytes: no string of it is made.
 */
export function holdsPaymentNumber(bytes: Uint8Array, symbology: Symbology): boolean {
  const productSymbology = symbology === 'ean' || symbology === 'ean-8' || symbology === 'ean-add-on' || symbology === 'databar'
    || symbology === 'gs1-128' || symbology === 'gs1-qr' || symbology === 'gs1-data-matrix'
  const digits = new Uint8Array(bytes.length)
  let at = 0
  let found = false
  while (at < bytes.length && !found) {
    if (!isDigit(bytes[at])) {
      at += 1
      continue
    }
    const before = bytes[at - 1]
    let count = 0
    // A number that a person typed may be grouped by single spaces or dashes.
    while (isDigit(bytes[at]) || (((bytes[at] === SPACE) || bytes[at] === DASH) && isDigit(bytes[at + 1]))) {
      if (isDigit(bytes[at])) digits[count++] = bytes[at] ?? 0
      at += 1
    }
    const after = bytes[at]
    const asTrack = count >= 13 && count <= 19 && ((before === SEMICOLON && after === EQUALS) || (before === LETTER_B && after === CARET))
    found = asTrack || (!productSymbology && count >= 15 && isPaymentNumber(digits, 0, count))
  }
  digits.fill(0)
  return found
}
