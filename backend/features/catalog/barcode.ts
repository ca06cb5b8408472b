import { hasValidCheckDigit, upcEAsPrinted } from '../../../contracts/gtin.ts'
import type { FileMessageKey } from '../../i18n.ts'

/**
 * The form under which a barcode is stored and looked up. GTIN-8, -12, -13 and -14 are one number with leading zeros
 * (GS1 General Specifications §3.3.2): a UPC-A of 12 digits and the same product's EAN-13 must find the same item, and
 * so must its UPC-E. Any other code (a price look-up number, an in-store label) is itself.
 */
export const barcodeKey = (code: string): string =>
  isGtin(code) ? (upcEAsPrinted(code) ?? code).padStart(14, '0') : code

const isGtin = (code: string): boolean => /^(\d{8}|\d{12,14})$/.test(code)

/**
 * False for zeros only, and for a number of a GTIN's length whose last digit is not its check digit (GS1 General
 * Specifications §7.9): no scanner would ever read it.
 */
const mayBeScanned = (code: string): boolean =>
  !/^0+$/.test(code) && (!isGtin(code) || upcEAsPrinted(code) !== null || hasValidCheckDigit(code))

const SEPARATOR = String.raw`[\s\-\u2010-\u2015\u2212]`
const GROUPED_DIGITS = new RegExp(String.raw`^\d+(?:${SEPARATOR}\d+)+$`)
const SEPARATORS = new RegExp(SEPARATOR, 'g')

/** A barcode without the spaces or dashes between its groups of digits; other codes may contain such signs. */
function ungrouped(code: string): string {
  const digits = GROUPED_DIGITS.test(code) ? code.replaceAll(SEPARATORS, '') : ''
  return isGtin(digits) ? digits : code
}

/** Words and error values that spreadsheets and exports write into empty cells: `TRUE`, `N/A`, `#REF!`. */
export const NO_VALUE =
  /^(?:TRUE|FALSE|VRAI|FAUX|N\/A|NULL|NAN|#(?:REF!|N\/A|NAME\?|NOM\?|VALUE!|VALEUR!|DIV\/0!|NUM!))$/i

/** Signs of a value that a spreadsheet worked out, or that failed: `#REF!`, `Err:502`, a formula, a decimal part. */
const OF_A_SPREADSHEET = /^(?:['’=#].*|Err:\d+|[+-]?\d[\d.,'’\s]*[.,'’][\d.,'’\s]*|-\d+)$/u

/**
 * The barcode of a value in a CSV file; null when there is none. Spreadsheets drop leading zeros and add a plus sign or
 * separators: this is undone where exactly one number with a valid check digit can be meant.
 */
export function readBarcode(value: string): { readonly barcode: string | null } | { readonly wrong: FileMessageKey } {
  if (value === '') return { barcode: null }
  if (OF_A_SPREADSHEET.test(value) || NO_VALUE.test(value)) return { wrong: 'catalog.barcodeAsText' }
  const code = ungrouped(value.replace(/^\+(?=[\d\s-]+$)/, ''))
  const digits = code.replaceAll(SEPARATORS, '')
  if (/^\d{7}$|^\d{9,11}$/.test(code) || /^\d{11}$/.test(digits)) {
    const repaired = withLeadingZeros(digits)
    return repaired === null ? { wrong: 'catalog.barcodeDigits' } : { barcode: repaired }
  }
  if (!/^[!-~]{1,80}$/.test(code) || /^0+$/.test(code)) return { wrong: 'catalog.barcode' }
  return mayBeScanned(code) ? { barcode: code } : { wrong: 'catalog.checkDigit' }
}

/** Null where no number can be meant, or two. */
function withLeadingZeros(digits: string): string | null {
  if (digits.length !== 7) return hasValidCheckDigit(digits) ? digits.padStart(12, '0') : null
  const short = `0${digits}`
  const isUpcE = upcEAsPrinted(short) !== null
  return isUpcE !== hasValidCheckDigit(short) ? short : null
}
