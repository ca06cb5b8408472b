import type { Item, Pack } from '../../../contracts/catalog/catalog.ts'
import { expandUpcE, hasValidCheckDigit, pluOf, upcEAsPrinted } from '../../../contracts/catalog/goods.ts'
import type { FileMessageKey } from '../../core/i18n.ts'
import { withoutStrokes } from '../../../contracts/core/printable-text.ts'

/**
 * Returns the form in which a barcode is stored and looked up. GTIN-8, -12, -13 and -14 are one number with leading
 * zeros (GS1 General Specifications §3.3.2): a UPC-A of 12 digits, the EAN-13 and the UPC-E of a product must find the
 * same item. Any other code (a price look-up number, an in-store label) stays as it is.
 */
export const barcodeKey = (code: string): string =>
  isGtin(code) ? (upcEAsPrinted(code) ?? code).padStart(14, '0') : code

/** The codes that find an item: its barcode, its further codes, and those of its packs. */
export const codesOf = ({ barcode, codes = [], packs = [] }: Pick<Item, 'barcode' | 'codes' | 'packs'>): string[] => [
  ...(barcode === null ? [] : [barcode]),
  ...codes,
  ...packs.map((pack) => pack.barcode),
]

/** Returns the codes of an item, each once, in the form in which they are looked up. */
export const codeKeys = (item: Pick<Item, 'barcode' | 'codes' | 'packs'>): string[] => [
  ...new Set(codesOf(item).map(barcodeKey)),
]

/**
 * Keys by which a typed code is looked up, the first match wins: the code itself, the price look-up code in a GTIN, and
 * UPC-E typed as six or seven digits. Scanned codes have no such short form, because scanners send UPC-E with its check
 * digit.
 */
export function typedKeys(typed: string): string[] {
  const code = ungrouped(typed.trim())
  const upcA = /^\d{6,7}$/.test(code) ? expandUpcE(code) : null
  return [barcodeKey(code), pluOf(code), upcA && barcodeKey(upcA)].filter((key) => key !== null)
}

/** The pack that one of these keys finds; null if they find a single piece. */
export const packOf = ({ packs = [] }: Pick<Item, 'packs'>, keys: readonly string[]): Pack | null =>
  packs.find(({ barcode }) => keys.includes(barcodeKey(barcode))) ?? null

/**
 * The pack that a typed code finds. A text that is the SKU of the item is not read as a short form of a pack's code.
 */
export const packTyped = (item: Pick<Item, 'sku' | 'packs'>, typed: string): Pack | null =>
  packOf(item, item.sku === typed.trim() ? [barcodeKey(typed.trim())] : typedKeys(typed))

const isGtin = (code: string): boolean => /^(\d{8}|\d{12,14})$/.test(code)

/**
 * Whether a code is a possible barcode. False for zeros only, and for a number of GTIN length with a wrong check digit
 * (GS1 General Specifications §7.9), which no scanner reads.
 */
const mayBeScanned = (code: string): boolean =>
  !/^0+$/.test(code) && (!isGtin(code) || upcEAsPrinted(code) !== null || hasValidCheckDigit(code))

const SEPARATOR = String.raw`[\s\-\u2010-\u2015\u2212]`
const GROUPED_DIGITS = new RegExp(String.raw`^\d+(?:${SEPARATOR}\d+)+$`)
const SEPARATORS = new RegExp(SEPARATOR, 'g')

/** Removes spaces and dashes between groups of digits that form a GTIN. Any other code keeps them. */
function ungrouped(code: string): string {
  const digits = GROUPED_DIGITS.test(code) ? code.replaceAll(SEPARATORS, '') : ''
  return isGtin(digits) ? digits : code
}

/** Texts that spreadsheets and exports write into cells without a value: `TRUE`, `N/A`, `#REF!`. */
export const NO_VALUE =
  /^(?:TRUE|FALSE|VRAI|FAUX|N\/A|NULL|NAN|#(?:REF!|N\/A|NAME\?|NOM\?|VALUE!|VALEUR!|DIV\/0!|NUM!))$/i

/**
 * Undoes changes of spreadsheets that keep every digit: signs that protect leading zeros (`="0123"` and `'0123`), a
 * decimal part of zeros, and scientific notation with all digits (`4.006381333931E+12`).
 */
function undamaged(value: string): string {
  const text = /^=?"([!-~]+)"$/.exec(value)?.[1] ?? /^['’](\d+)$/u.exec(value)?.[1] ?? value
  const whole = /^(\d{7,15})[.,]0+$/.exec(text)?.[1]
  const [, first = '', decimals = '', exponent] = /^(\d)[.,](\d+)E\+?(\d{1,2})$/i.exec(text) ?? []
  return whole ?? (decimals.length === Number(exponent) ? first + decimals : text)
}

/** Whether scientific notation has replaced digits of a number (`4.00638E+12`). */
export const hasLostDigits = (value: string): boolean =>
  /^[+-]?\d+(?:[.,]\d+)?E\+?\d+$/i.test(value) && undamaged(value) === value

/** Traces of a spreadsheet: `#REF!`, `Err:502`, a formula, an apostrophe, a decimal part or a minus sign. */
const OF_A_SPREADSHEET = /^(?:['’=#].*|Err:\d+|[+-]?\d[\d.,'’\s]*[.,'’][\d.,'’\s]*|-\d+)$/u

/**
 * Reads the barcode in a field of a CSV file; null when the field is empty. Spreadsheets drop leading zeros and add a
 * plus sign or separators: that is undone if exactly one number with a valid check digit results.
 */
export function readBarcode(given: string): { readonly barcode: string | null } | { readonly wrong: FileMessageKey } {
  if (given === '') return { barcode: null }
  const value = undamaged(given)
  if (hasLostDigits(value)) return { wrong: 'catalog.barcodeAsText' }
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

/** Restores the leading zeros of a number; null if none or several numbers are possible. */
function withLeadingZeros(digits: string): string | null {
  if (digits.length !== 7) return hasValidCheckDigit(digits) ? digits.padStart(12, '0') : null
  const short = `0${digits}`
  const isUpcE = upcEAsPrinted(short) !== null
  return isUpcE !== hasValidCheckDigit(short) ? short : null
}

/** Normalizes a text to lower case without accents, with ligatures as two letters: "Gros Œufs" becomes "gros oeufs". */
export const fold = (text: string): string =>
  withoutStrokes(text)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae')
    .replaceAll('ß', 'ss')

/**
 * Version of the file and its index. Increase it when the same catalog gives other columns or terms, so that older
 * files are rebuilt.
 */
export const INDEX_VERSION = 7

/** Returns the words of a text, each as its parts: "T-shirt" gives "t" and "shirt". */
const compoundsOf = (text: string): string[][] =>
  (fold(text).match(/[\p{L}\p{N}]+(?:['’ʼ\p{Pd}][\p{L}\p{N}]+)*/gu) ?? []).map(
    (compound) => compound.match(/[\p{L}\p{N}]+/gu) ?? [],
  )

/** Returns singular forms of an English or French plural, two if it is ambiguous. Knows only regular plurals. */
function singularsOf(word: string): string[] {
  if (word.length < 4) return []
  if (word.endsWith('ies')) return [`${word.slice(0, -3)}y`, word.slice(0, -1)]
  if (/(eau|eu|ou)x$/.test(word)) return [word.slice(0, -1)]
  if (word.endsWith('aux')) return [`${word.slice(0, -3)}al`, word.slice(0, -1)]
  if (/(s|x|z|ch|sh|o)es$/.test(word)) return [word.slice(0, -2), word.slice(0, -1)]
  return /[^s]s$/.test(word) ? [word.slice(0, -1)] : []
}

/**
 * Index terms of a text, each once: "T-shirt" gives "t", "shirt" and "tshirt". A search finds terms by their beginning,
 * so a plural that begins with its singular needs no term for the singular.
 */
export function termsOf(text: string): string[] {
  const words = compoundsOf(text).flatMap((parts) => (parts.length > 1 ? [...parts, parts.join('')] : parts))
  return [...new Set(words.flatMap((word) => [word, ...singularsOf(word).filter((one) => !word.startsWith(one))]))]
}

const begins = (word: string): string => {
  // A form that begins with another form is left out: the search for the shorter form finds it too.
  const forms = [word, ...singularsOf(word)]
  const needed = forms.filter((form) => !forms.some((other) => other !== form && form.startsWith(other)))
  return needed.length === 1 ? `"${needed[0]}"*` : `(${needed.map((form) => `"${form}"*`).join(' OR ')})`
}

/**
 * Builds the full-text query; null if the text contains no term. Terms contain only letters and digits, so they need no
 * escaping.
 */
export function queryOf(text: string, maxTerms: number): string | null {
  const asked = compoundsOf(text)
    .slice(0, maxTerms)
    .map((parts) => {
      const apart = parts.map(begins).join(' AND ')
      return parts.length > 1 ? `((${apart}) OR ${begins(parts.join(''))})` : apart
    })
  return asked.length === 0 ? null : asked.join(' AND ')
}
