import { COLLECTOR_NUMBER_PATTERN } from './collector-number.ts'

/**
 * Reports whether a text contains the number of a payment card or of a collector.
 *
 * A payment card number is 12 to 19 digits of an issuer range with a valid Luhn check digit (ISO/IEC 7812-1); a
 * collector number is 11 digits, the first an 8 (specification 3 §8). Digits of every script count. Two groups may be
 * separated by one kind of separator (space, punctuation or symbol), with spaces and an opening bracket around it.
 * Zero-width characters are ignored.
 *
 * A number counts when it is one group of digits, when its expiry date or security code follows in the same group,
 * when it is grouped as cards print it, or when one separator divides it into equal groups or into any groups that are
 * not part of a longer list. Exceptions: item codes of 12, 13 or 14 digits with a valid GS1 check digit that are not
 * grouped as a card is, telephone numbers, dates, and receipt numbers of this program. Known limits: one in ten
 * 14-digit card numbers is also a valid GTIN-14 and passes when it is typed without separators; one in ten lists of
 * four price look-up codes that begin with 4 is refused.
 */
export function holdsCardNumber(text: string): boolean {
  if (text.length < MIN_DIGITS && /^[ -~]*$/.test(text)) return false
  return runsOf(readable(text)).some((run) => run.some((_, first) => startsNumber(run, first)))
}

interface Group {
  readonly digits: string
  readonly separator: string
}

const MIN_DIGITS = 11
const LONGEST = 19
const MIN_DIGITS_AFTER = 3

function readable(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(RECEIPT_NUMBER, '#')
}

const RECEIPT_NUMBER = /(?<![A-Z0-9])[A-Z0-9]{1,4}\d{10}(?=\d{0,3}[A-Z])[A-Z0-9]{4}(?![A-Z0-9])/g

/** Unicode encodes the decimal digits of each script as ten consecutive code points. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  let row = code
  while (/\p{Nd}/u.test(String.fromCodePoint(row - 1))) row -= 1
  return String((code - row) % 10)
}

function runsOf(text: string): Group[][] {
  const runs: Group[][] = []
  let end = 0
  for (const { 0: digits, index } of text.matchAll(/\d+/g)) {
    const separator = end === 0 ? null : separatorOf(text.slice(end, index))
    const run = runs.at(-1)
    if (run === undefined || separator === null) runs.push([{ digits, separator: '' }])
    else run.push({ digits, separator })
    end = index + digits.length
  }
  return runs
}

/**
 * Returns the separator in a gap between two groups: a space, or one repeated sign. The next group may be in brackets.
 * Returns null for any other gap.
 */
function separatorOf(gap: string): string | null {
  const signs = [...gap.replace(/\s+|\p{Ps}/gu, '')]
  const [first = ' '] = signs
  return signs.every((sign) => sign === first) && /^[ \p{P}\p{S}\p{C}]$/u.test(first) ? first : null
}

function startsNumber(run: readonly Group[], first: number): boolean {
  let digits = ''
  for (let last = first; last < run.length; last += 1) {
    digits += run[last]?.digits ?? ''
    if (first === last && startsWithNumber(digits)) return true
    if (digits.length > LONGEST) return false
    const groups = run.slice(first, last + 1)
    if (isNumber(digits, sizesOf(groups)) && isWritten(groups, run[first], run[last + 1])) return true
  }
  return false
}

/** Whether the digits begin with a card number that its expiry date or security code follows directly. */
function startsWithNumber(digits: string): boolean {
  if (digits.length > LONGEST) return [15, 16, 19].some((size) => isCardNumber(digits.slice(0, size)))
  const bytes = new TextEncoder().encode(digits)
  return [15, 16].some((size) => digits.length >= size + MIN_DIGITS_AFTER && isCommonPaymentNumber(bytes, 0, size))
}

const sizesOf = (groups: readonly Group[]): string => groups.map(({ digits }) => digits.length).join('-')

const isNumber = (digits: string, sizes: string): boolean =>
  COLLECTOR_NUMBER_PATTERN.test(digits) || (isCardNumber(digits) && (PRINTED.has(sizes) || !isItemCode(digits)))

const SHORT_NUMBER = /^(?:5018|5020|5038|5893|6304|6390|6759|676[1-3])\d{8}$/
const NO_VISA = /^4(?:\d{13}|\d{14}|\d{16}|\d{17})$/

function isCardNumber(digits: string): boolean {
  const bytes = new TextEncoder().encode(digits)
  if (SHORT_NUMBER.test(digits)) return luhnValid(bytes, 0, bytes.length)
  return !NO_VISA.test(digits) && isPaymentNumber(bytes, 0, bytes.length)
}

/** Whether the digits are an item code: GTIN-12, GTIN-13 or GTIN-14 (GS1 General Specifications §7.9). */
function isItemCode(digits: string): boolean {
  if (digits.length < 12 || digits.length > 14) return false
  const sum = [...digits]
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}

const PRINTED = new Set([
  '4-4-4-4',
  '4-4-4-4-1',
  '4-4-4-4-2',
  '4-4-4-4-3',
  '4-6-5',
  '4-4-4-3',
  '4-6-4',
  '4-4-4-2',
  '4-4-5',
  '4-3-3-3',
  '4-4-4-1',
  '6-13',
  '4-3-4',
  '3-4-4',
  '4-4-3',
])

const MAX_IN_GROUP = 4

function isWritten(groups: readonly Group[], first: Group | undefined, next: Group | undefined): boolean {
  if (groups.length === 1) return true
  if (PRINTED.has(sizesOf(groups))) return true
  if (holdsPhone(groups) || holdsDate(groups)) return false
  const separator = groups[1]?.separator
  if (groups.slice(1).some((group) => group.separator !== separator)) return false
  const sizes = groups.map(({ digits }) => digits.length)
  const isEven =
    sizes.every((size, index) => (index === sizes.length - 1 ? size <= (sizes[0] ?? 0) : size === sizes[0])) &&
    (sizes[0] ?? 0) <= MAX_IN_GROUP
  return isEven || (first?.separator !== separator && next?.separator !== separator)
}

/** Matches a telephone number of the North American numbering plan: area code and exchange begin with 2 to 9. */
const PHONE = /(?:^|-)[2-9]\d\d-?[2-9]\d\d-?\d{4}(?:-|$)/
const DATE = new RegExp(
  [
    '(?:19|20)\\d\\d-?(?:0?[1-9]|1[0-2])-?(?:0[1-9]|[12]\\d|3[01])',
    '(?:0?[1-9]|[12]\\d|3[01])-?(?:0?[1-9]|[12]\\d|3[01])-?(?:19|20)\\d\\d',
  ]
    .map((date) => `(?:^|-)${date}(?:-|$)`)
    .join('|'),
)
const joined = (groups: readonly Group[]): string => groups.map(({ digits }) => digits).join('-')
const holdsPhone = (groups: readonly Group[]): boolean => PHONE.test(joined(groups))
const holdsDate = (groups: readonly Group[]): boolean => DATE.test(joined(groups))

/**
 * Checks card numbers as bytes, because a string could not be overwritten afterwards. Issuer ranges are those of
 * ISO/IEC 7812 as the schemes publish them; the check digit is Luhn's (ISO/IEC 7812-1 annex B).
 */
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39

export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= DIGIT_0 && byte <= DIGIT_9

export function luhnValid(bytes: Uint8Array, start: number, end: number): boolean {
  let sum = 0
  for (let index = end - 1, double = false; index >= start; index -= 1, double = !double) {
    const byte = bytes[index]
    if (byte === undefined || !isDigit(byte)) return false
    const digit = byte - DIGIT_0
    const doubled = double ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return end > start && sum % 10 === 0
}

const ISSUERS: readonly (readonly [number, number, number, number])[] = [
  [4000, 4999, 13, 19], // Visa, and the debit cards of Canadian banks in its range
  [5100, 5599, 16, 16], // Mastercard
  [2221, 2720, 16, 16], // Mastercard
  [3400, 3499, 15, 15], // American Express
  [3700, 3799, 15, 15], // American Express
  [3000, 3059, 14, 19], // Diners Club
  [3600, 3699, 14, 19], // Diners Club
  [3800, 3999, 14, 19], // Diners Club
  [3528, 3589, 16, 19], // JCB
  [5000, 5099, 13, 19], // Maestro
  [5600, 5899, 13, 19], // Maestro, and Interac-only debit cards
  [6000, 6999, 13, 19], // Discover, UnionPay, Maestro, RuPay
  [8100, 8199, 16, 19], // UnionPay
  [2200, 2204, 16, 19], // Mir
  [9792, 9792, 16, 16], // Troy
]

/** Checks length, issuer range and check digit of the digits from `start` to `end` (exclusive). */
export function isPaymentNumber(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start
  if (length < 13 || length > 19) return false
  let prefix = 0
  for (let index = start; index < start + 4; index += 1) prefix = prefix * 10 + ((bytes[index] ?? 0) - DIGIT_0)
  const known = ISSUERS.some(
    ([first, last, shortest, longest]) => prefix >= first && prefix <= last && length >= shortest && length <= longest,
  )
  return known && luhnValid(bytes, start, end)
}

const [THREE, FOUR, FIVE, SIX, SEVEN] = [DIGIT_0 + 3, DIGIT_0 + 4, DIGIT_0 + 5, DIGIT_0 + 6, DIGIT_0 + 7]
/**
 * A number that ends in at least this many zeros is a padded field and no card number: an expiry date and service code
 * padded with zeros often match an issuer range and have a valid check digit.
 */
const FILL = 6

/** Like `isPaymentNumber`, but accepts only lengths in common use and rejects fields padded with zeros. */
export function isCommonPaymentNumber(bytes: Uint8Array, start: number, end: number): boolean {
  const [first, second] = [bytes[start], bytes[start + 1]]
  const length = end - start
  const american = first === THREE && (second === FOUR || second === SEVEN)
  const common =
    length === 16 ||
    (length === 15 && american) ||
    (length === 14 && first === THREE && !american) ||
    (length === 19 && (first === FOUR || first === FIVE || first === SIX))
  return (
    common && !bytes.subarray(end - FILL, end).every((byte) => byte === DIGIT_0) && isPaymentNumber(bytes, start, end)
  )
}
