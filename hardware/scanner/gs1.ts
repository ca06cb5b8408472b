import { hasValidCheckDigit } from '../../contracts/catalog/goods.ts'
import { cents } from '../../contracts/core/money.ts'
import { isDigit, isPaymentNumber } from '../../contracts/core/card-numbers.ts'
import { type IsNumber, holdsGroups } from '../msr/tracks.ts'
import type { Symbology } from './symbology-identifiers.ts'
import type { Measure } from '../../contracts/catalog/measure.ts'
import { GRAMS_PER_POUND } from '../../contracts/catalog/measure-units.ts'

/** The fields of an element string that a lane uses (GS1 General Specifications §3). */
export interface Gs1Item {
  /** GTIN: 14 digits with a valid check digit. */
  readonly gtin: string
  readonly measure: Measure | null
  readonly lot: string | null
  /**
   * Last day of sale as `YYYY-MM-DD`: the earliest of expiration date (AI 17), sell-by date (16) and best-before date
   * (15).
   */
  readonly expiry: string | null
}

const CANADIAN_DOLLAR = '124'

/** Converts `digits` with `decimals` decimal places to `unit` per whole; null if the result is not positive. */
function scaled(digits: string, decimals: number, unit: number): number | null {
  const value = Math.round((Number(digits) * unit) / 10 ** decimals)
  return /^\d{1,15}$/.test(digits) && value > 0 && Number.isSafeInteger(value) ? value : null
}

function measureOf(elements: ReadonlyMap<string, string>): Measure | null {
  for (const [ai, value] of elements) {
    const decimals = Number(ai[3])
    // Parses the price of a piece. AI 392n: the price; 393n: the price with its currency, of which only CAD can be
    // sold.
    const price = /^392\d$/.test(ai)
      ? value
      : /^393\d$/.test(ai) && value.startsWith(CANADIAN_DOLLAR)
        ? value.slice(3)
        : null
    if (price !== null) {
      const amount = scaled(price, decimals, 100)
      return amount === null ? null : { kind: 'price', cents: cents(amount) }
    }
  }
  for (const [ai, value] of elements) {
    const unit = /^310\d$/.test(ai) ? 1_000 : /^320\d$/.test(ai) ? GRAMS_PER_POUND : null
    const grams = unit === null ? null : scaled(value, Number(ai[3]), unit)
    const poundThousandths = unit === GRAMS_PER_POUND ? scaled(value, Number(ai[3]), 1_000) : null
    if (grams !== null) return { kind: 'weight', grams, ...(poundThousandths === null ? {} : { poundThousandths }) }
  }
  return null
}

/**
 * Parses a date of six digits. Day 00 is the last of the month (GS1 General Specifications §3.4.1); the century puts
 * the date between 49 years ago and 50 years from now (§7.12). Returns null if the day does not exist.
 */
export function dateOf(digits: string, thisYear: number): string | null {
  const match = /^(\d\d)(\d\d)(\d\d)$/.exec(digits)
  if (!match) return null
  const difference = Number(match[1]) - (thisYear % 100)
  const century = Math.floor(thisYear / 100) + (difference >= 51 ? -1 : difference <= -50 ? 1 : 0)
  const year = century * 100 + Number(match[1])
  const month = Number(match[2])
  const last = month >= 1 && month <= 12 ? new Date(Date.UTC(year, month, 0)).getUTCDate() : 0
  const day = match[3] === '00' ? last : Number(match[3])
  return day >= 1 && day <= last ? `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}` : null
}

/**
 * Returns the item of an element string; null if it names none or one that cannot be sold. A piece of variable measure
 * (its GTIN begins with 9, GS1 General Specifications §2.1.11) without a readable price or weight has no price.
 */
export function gs1Item(elements: ReadonlyMap<string, string>, thisYear: number): Gs1Item | null {
  const gtin = elements.get('01')
  if (gtin === undefined || !hasValidCheckDigit(gtin)) return null
  const measure = measureOf(elements)
  const priced = [...elements.keys()].some((ai) => /^39[23]/.test(ai))
  if (measure?.kind !== 'price' && (priced || (gtin.startsWith('9') && measure === null))) return null
  const dates = ['15', '16', '17'].flatMap((ai) => {
    const digits = elements.get(ai)
    return digits === undefined ? [] : (dateOf(digits, thisYear) ?? [])
  })
  return {
    gtin,
    measure,
    lot: elements.get('10') ?? null,
    expiry: dates.toSorted()[0] ?? null,
  }
}

/**
 * GS1 element strings (GS1 General Specifications §3 and §7.8): application identifiers and their values, FNC1 as GS.
 * Why this is not GS1's Syntax Engine: docs/decisions/0006-our-own-reader-of-gs1-codes.md.
 */
const GS = 0x1d
const FIRST_PRINTABLE = 0x21
const LAST_PRINTABLE = 0x7e

/** Length of an application identifier by its first two digits. */
const AI_LENGTHS: readonly (readonly [RegExp, number])[] = [
  [/^(?:0[0-4]|1[0-9]|2[0-2]|30|37|9\d)/, 2],
  [/^(?:2[3-5]|4[0-2]|71)/, 3],
  [/^(?:3[1-6]|39|43|70|72|8[0-2])/, 4],
]
/**
 * Values of predefined length without FNC1 after them, by the first two digits (GS1 General Specifications §7.8.5,
 * figure of predefined lengths).
 */
const FIXED: Readonly<Record<string, number>> = {
  '00': 18,
  '01': 14,
  '02': 14,
  '03': 14,
  '04': 16,
  11: 6,
  12: 6,
  13: 6,
  14: 6,
  15: 6,
  16: 6,
  17: 6,
  18: 6,
  19: 6,
  20: 2,
  31: 6,
  32: 6,
  33: 6,
  34: 6,
  35: 6,
  36: 6,
  41: 13,
}
const LONGEST_VALUE = 90

interface Element {
  readonly ai: string
  readonly from: number
  readonly to: number
}

const textOf = (data: Uint8Array, from: number, to: number): string =>
  Buffer.from(data.buffer, data.byteOffset + from, to - from).toString('latin1')

/**
 * Returns the positions of the elements in order; null if the data is no element string. Takes linear time and creates
 * no string of a value.
 */
export function findElements(data: Uint8Array): readonly Element[] | null {
  const elements: Element[] = []
  for (let at = data[0] === GS ? 1 : 0; at < data.length;) {
    const head = textOf(data, at, Math.min(at + 2, data.length))
    const aiLength = AI_LENGTHS.find(([pattern]) => pattern.test(head))?.[1]
    if (aiLength === undefined) return null
    const from = at + aiLength
    const fixed = FIXED[head]
    const separator = fixed === undefined ? data.indexOf(GS, from) : -1
    const to = fixed !== undefined ? from + fixed : separator < 0 ? data.length : separator
    const value = data.subarray(from, to)
    const complete =
      fixed !== undefined
        ? value.length === fixed && value.every(isDigit)
        : value.length > 0 &&
          value.length <= LONGEST_VALUE &&
          value.every((byte) => byte >= FIRST_PRINTABLE && byte <= LAST_PRINTABLE)
    if (to > data.length || !data.subarray(at, from).every(isDigit) || !complete) return null
    elements.push({ ai: textOf(data, at, from), from, to })
    at = data[to] === GS ? to + 1 : to
  }
  return elements.length === 0 ? null : elements
}

/**
 * Whether any value contains a payment card number. Each value is searched separately, because a lot or serial number
 * may contain one at any position.
 */
export const elementsHoldPaymentNumber = (data: Uint8Array, elements: readonly Element[]): boolean =>
  elements.some(({ from, to }) => holdsPaymentNumber(data.subarray(from, to), 'unknown'))

/**
 * Returns the values by application identifier; null if one identifier has two different values. Repeating the same
 * value is allowed (GS1 General Specifications §7.8.1).
 */
export function elementValues(
  pairs: Iterable<readonly [ai: string, value: string]>,
): ReadonlyMap<string, string> | null {
  const values = new Map<string, string>()
  for (const [ai, value] of pairs) {
    if ((values.get(ai) ?? value) !== value) return null
    values.set(ai, value)
  }
  return values
}

export const valuesOf = (data: Uint8Array, elements: readonly Element[]): ReadonlyMap<string, string> | null =>
  elementValues(elements.map(({ ai, from, to }) => [ai, textOf(data, from, to)]))

/**
 * GS1 Digital Link (GS1 Digital Link Standard: URI Syntax, §4): a web address whose path contains a key and its
 * qualifiers, `…/01/GTIN/22/…/10/lot/21/serial`, after any other segments, and whose query has other elements.
 */
const WEB_ADDRESS = /^https?:\/\/[^/?#\s]+\/([^?#\s]*)(?:\?([^#\s]*))?/i
const GTIN = '01'
const QUALIFIERS = new Set(['22', '10', '21', '235'])
const AI = /^\d{2,4}$/
/**
 * Matches a GTIN of any length: the standard requires fourteen digits, but earlier addresses contain a GTIN as printed.
 */
const ANY_GTIN = /^(?:\d{8}|\d{12,14})$/
const GTIN_DIGITS = 14

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', '%2B'))
  } catch {
    return null
  }
}

/**
 * Returns the elements of a Digital Link to an item; null for other text and for an address with contradicting values.
 */
export function digitalLink(text: string): ReadonlyMap<string, string> | null {
  const [, path, query = ''] = WEB_ADDRESS.exec(text) ?? []
  if (path === undefined) return null
  const segments = path.replace(/\/$/, '').split('/')
  // The key is the last GTIN, because the path before it belongs to the domain.
  const key = segments.findLastIndex((segment, at) => segment === GTIN && ANY_GTIN.test(segments[at + 1] ?? ''))
  if (key < 0) return null
  const pairs: (readonly [string, string])[] = [[GTIN, (segments[key + 1] ?? '').padStart(GTIN_DIGITS, '0')]]
  for (let at = key + 2; at < segments.length; at += 2) {
    const value = decoded(segments[at + 1] ?? '')
    if (!QUALIFIERS.has(segments[at] ?? '') || !value) return null
    pairs.push([segments[at] ?? '', value])
  }
  for (const part of query.split(/[&;]/)) {
    const [name = '', ...rest] = part.split('=')
    if (!AI.test(name)) continue
    const value = decoded(rest.join('='))
    if (!value) return null
    pairs.push([name, value])
  }
  return elementValues(pairs)
}

const SEMICOLON = 0x3b
const LETTER_B = 0x42
const EQUALS = 0x3d
const CARET = 0x5e

/**
 * Whether `count` digits are a payment card's number, or begin with one of 15 or 16 digits (an expiry or a code may be
 * appended). Shorter numbers are left to EAN-13 and GTIN-14.
 */
const beginsWithNumber: IsNumber = (digits, count) =>
  count >= 15 &&
  (isPaymentNumber(digits, 0, count) ||
    isPaymentNumber(digits, 0, 15) ||
    (count > 16 && isPaymentNumber(digits, 0, 16)))

/**
 * Whether 13 to 19 digits are between the sentinel and the separator of a track, where they need no valid check digit.
 */
const asTrack = (before: number | undefined, count: number, after: number | undefined): boolean =>
  count >= 13 && count <= 19 && ((before === SEMICOLON && after === EQUALS) || (before === LETTER_B && after === CARET))

const isProduct = (symbology: Symbology): boolean =>
  symbology === 'ean' || symbology === 'ean-8' || symbology === 'ean-add-on'

/** Maximum number of spaces or dashes between the groups of a number that a person typed. */
const MAX_GAP = 1

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
 * Whether the bytes contain a payment card's number: between track separators, or alone, in groups or within other text
 * if a card scheme issues it and it passes the Luhn check. EAN and UPC text is a product number unless it is a track.
 * The search works on bytes, creates no string and overwrites its working copy.
 */
export const holdsPaymentNumber = (bytes: Uint8Array, symbology: Symbology): boolean =>
  holdsTrack(bytes) || (!isProduct(symbology) && holdsGroups(bytes, 0, bytes.length, MAX_GAP, beginsWithNumber))
