import type { Scan } from '../device.ts'
import { parseTicket } from '../../contracts/operations/enrolment-code.ts'
import { expandUpcE, hasValidCheckDigit, upcEAsPrinted } from '../../contracts/catalog/goods.ts'
import type { EmbeddedLayout } from '../../contracts/core/profile.ts'
import type { ProgramCards } from '../msr/program-card.ts'
import { isDigit, isPaymentNumber } from '../../contracts/core/card-numbers.ts'
import { findTracks } from '../msr/tracks.ts'
import { type Identified, identify, isElementString, mayCarryCollector } from './symbology-identifiers.ts'
import { digitalLink, elementsHoldPaymentNumber, findElements, gs1Item, holdsPaymentNumber, valuesOf } from './gs1.ts'
import { embeddedReader } from './embedded.ts'

const FNC1 = 0x1d
const PERCENT = 0x25
const SEMICOLON = 0x3b
const END = 0x3f
const LONGEST_CODE = 80

const LETTER_A = 0x41
const LETTER_B = 0x42
const LETTER_Z = 0x5a

const VOUCHER_LENGTHS: readonly number[] = [16, 17, 20]
/**
 * Lengths of a sale id (see `saleIdOf`): location of one to four characters, ten digits of lane and sequence, salt of
 * four.
 */
const SALE_ID_LENGTHS: readonly number[] = [15, 16, 17, 18]
const SALE_ID_DIGITS = { from: -14, to: -4 }

/**
 * Whether a Code 128, or a code of unknown symbology, has the form of a sale id or a voucher code. An item or coupon
 * code may have the same form: the dispatcher looks for those first, unless the code is a valid voucher code. The
 * digits of a sale id may look like a card number without being one; but `B` and a number is track 1 of a card without
 * its sentinel.
 */
function isReceiptCode(data: Uint8Array, symbology: Identified['symbology']): boolean {
  if (symbology !== 'code-128' && symbology !== 'unknown') return false
  let letters = 0
  let digits = 0
  for (const byte of data) {
    if (byte >= LETTER_A && byte <= LETTER_Z) letters += 1
    else if (isDigit(byte)) digits += 1
  }
  const track1Rest = data[0] === LETTER_B && letters === 1 && isPaymentNumber(data, 1, data.length)
  if (letters === 0 || letters + digits !== data.length || track1Rest) return false
  if (digits === 0) return VOUCHER_LENGTHS.includes(data.length)
  return SALE_ID_LENGTHS.includes(data.length) && data.subarray(SALE_ID_DIGITS.from, SALE_ID_DIGITS.to).every(isDigit)
}

export type ScanClassifier = (frame: Uint8Array) => Scan

/**
 * Creates a classifier of complete scans by symbology and by the profile's patterns and layouts. Takes linear time in
 * the length of a scan, and retains no data.
 */
export function scanClassifier(cards: ProgramCards, layouts: readonly EmbeddedLayout[] = []): ScanClassifier {
  const embedded = embeddedReader(layouts)

  function ofNumber(number: string | null, text: string): Scan {
    const label = number === null ? { kind: 'invalid' as const } : embedded(number)
    if (label === null) return number === null ? unknown(text) : { kind: 'item', code: number }
    return label.kind === 'item' ? label : unknown(text)
  }

  function ofText(text: string, symbology: Identified['symbology']): Scan {
    if (mayCarryCollector(symbology)) {
      // ITF carries an even number of digits, so a number of eleven digits arrives with a leading 0.
      const collectorNumber = cards.ofBarcode(symbology === 'itf' && /^0\d{11}$/.test(text) ? text.slice(1) : text)
      if (collectorNumber !== null) return { kind: 'collector', collectorNumber }
    }
    switch (symbology) {
      case 'ean':
      case 'ean-8':
        return ofNumber(itemNumber(text, symbology), text)
      // The first 13 (or 12) digits are the item's number; the two or five others are an issue or a price.
      case 'ean-add-on':
        return ofNumber(itemNumber(/^(\d{12,13})(?:\d{2}|\d{5})$/.exec(text)?.[1] ?? text, 'ean'), text)
      case 'unknown': {
        const number = /^\d+$/.test(text) ? itemNumber(text, 'any') : null
        return number === null ? { kind: 'item', code: text } : ofNumber(number, text)
      }
      case 'itf':
        return { kind: 'item', code: /^\d{14}$/.test(text) && hasValidCheckDigit(text) ? printedGtin(text) : text }
      case 'qr':
      case 'aztec':
      case 'pdf417':
      case 'data-matrix':
        return /^[A-Za-z0-9._-]{1,40}$/.test(text) ? { kind: 'item', code: text } : unknown(text)
      case 'code-39':
      case 'code-128':
      case 'codabar':
      case 'code-93':
      case 'other':
        return { kind: 'item', code: text }
      case 'databar':
      case 'gs1-128':
      case 'gs1-qr':
      case 'gs1-data-matrix':
        return unknown(text)
    }
  }

  return (frame) => {
    const { symbology, length } = identify(frame)
    const data = frame.subarray(length)

    const track = classifyTrack(data, cards)
    if (track !== null) return track
    // Enrolment sheets are checked before card numbers, because the digits of a fingerprint may look like one.
    const ticket = data.length > LONGEST_CODE ? textOf(data) : ''
    if (parseTicket(ticket) !== null) return { kind: 'enrolment', ticket }
    if (isReceiptCode(data, symbology)) return { kind: 'receipt', saleId: textOf(data) }
    if (holdsPaymentNumber(data, symbology)) return { kind: 'foreign-card' }

    const elements = isElementString(symbology) || mayBeElements(data, symbology) ? findElements(data) : null
    if (elements !== null && elementsHoldPaymentNumber(data, elements)) return { kind: 'foreign-card' }

    const text = textOf(data)
    if (elements !== null) return itemOf(valuesOf(data, elements), text)
    const link = mayCarryCollector(symbology) ? digitalLink(text) : null
    if (link !== null)
      return [...link.values()].some((value) => holdsPaymentNumber(Buffer.from(value, 'latin1'), 'unknown'))
        ? { kind: 'foreign-card' }
        : itemOf(link, text)
    return /^[\x20-\x7e]{1,80}$/.test(text) ? ofText(text, symbology) : unknown(text)
  }
}

const unknown = (text: string): Scan => ({ kind: 'unknown', code: printable(text) })

/**
 * Without a symbology identifier, only data that begins with FNC1 or with `01` and a valid GTIN is parsed as an element
 * string: a store's own number may begin with the same digits.
 */
function mayBeElements(data: Uint8Array, symbology: Identified['symbology']): boolean {
  if (symbology !== 'unknown') return false
  return (
    data[0] === FNC1 ||
    (data.length >= 16 &&
      /^01\d{14}$/.test(textOf(data.subarray(0, 16))) &&
      hasValidCheckDigit(textOf(data.subarray(2, 16))))
  )
}

/** Identifiers of coupons: the North American coupon code, and the number of an electronic offer. */
const COUPON_IDENTIFIERS = ['8110', '8112'] as const

function itemOf(elements: ReadonlyMap<string, string> | null, text: string): Scan {
  const coupon = COUPON_IDENTIFIERS.find((ai) => elements?.has(ai))
  if (coupon !== undefined) return { kind: 'item', code: `${coupon}${elements?.get(coupon) ?? ''}` }
  const item = elements && gs1Item(elements, new Date().getFullYear())
  if (!item) return unknown(text)
  const { gtin, measure, lot, expiry } = item
  return {
    kind: 'item',
    code: printedGtin(gtin),
    ...(measure === null ? {} : { measure }),
    ...(lot === null ? {} : { lot }),
    ...(expiry === null ? {} : { expiry }),
  }
}

const textOf = (data: Uint8Array): string => Buffer.from(data.buffer, data.byteOffset, data.length).toString('latin1')

/**
 * Classifies card track data on the scanner's wire: from a card reader built into a keyboard or scanner, or from a code
 * that copies a track.
 */
function classifyTrack(data: Uint8Array, cards: ProgramCards): Scan | null {
  if ((data[0] !== SEMICOLON && data[0] !== PERCENT) || !data.includes(END)) return null
  const tracks = findTracks(data)
  for (const track of tracks) {
    const collectorNumber = cards.ofTrack(data, track)
    if (collectorNumber !== null) return { kind: 'collector', collectorNumber }
  }
  for (const track of tracks) {
    const number = cards.badgeOfTrack(data, track)
    if (number !== null) return { kind: 'staff-badge', number }
  }
  // All other track data may be from a payment card, so it is dropped.
  return { kind: 'foreign-card' }
}

/**
 * Replaces characters outside printable ASCII with a dot, so that the text cannot control a screen or log. Long text is
 * cut before a run of digits, never within it: a part of a longer number may look like a card number.
 */
function printable(text: string): string {
  const signs = text.replace(/[^\x20-\x7e]/g, '·')
  return signs.length <= LONGEST_CODE ? signs : signs.slice(0, LONGEST_CODE).replace(/\d[\d -]*$/, '') + '…'
}

/** Returns a GTIN of 14 digits as printed: 13 digits for one piece, 8 for a small one, 14 for a case. */
export const printedGtin = (gtin: string): string => gtin.replace(/^0(?:00000(?=\d{8}$))?/, '')

export type EanKind = 'any' | 'ean' | 'ean-8'

/**
 * Returns the item number as printed below the bars: EAN-13 as 13 digits, UPC-A as 13 with a leading 0, UPC-E expanded
 * to the same, EAN-8 as 8. Returns null for other digits or a wrong check digit. Eight digits without a symbology are
 * UPC-E according to `upcEAsPrinted`.
 */
export function itemNumber(digits: string, kind: EanKind): string | null {
  const upcE = (): string | null => {
    const expanded = expandUpcE(digits)
    return expanded === null ? null : `0${expanded}`
  }
  switch (digits.length) {
    case 13:
      return kind !== 'ean-8' && hasValidCheckDigit(digits) ? digits : null
    case 12:
      return kind !== 'ean-8' && hasValidCheckDigit(digits) ? `0${digits}` : null
    case 8:
      if (kind === 'ean') return upcE()
      if (kind === 'any' && upcEAsPrinted(digits) !== null) return upcE()
      return hasValidCheckDigit(digits) ? digits : null
    // Without a symbology, six or seven digits are one of the store's own numbers, not a UPC-E.
    case 6:
    case 7:
      return kind === 'ean' ? upcE() : null
    default:
      return null
  }
}
