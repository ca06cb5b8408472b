/**
 * Tells a payment card's number without making a string of it: a string cannot be overwritten.
 * The issuer ranges are those of ISO/IEC 7812 as the schemes publish them; the check digit is Luhn's (ISO/IEC 7812-1
 * annex B).
 */
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39

export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= DIGIT_0 && byte <= DIGIT_9

/** Digits from `start` to `end` (exclusive) are Luhn-valid. False where one is not a digit. */
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

/** [first prefix, last prefix, shortest number, longest number] */
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

/** The digits from `start` to `end` (exclusive) are a payment card's number: length, issuer range and check digit. */
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
/** Filled up with zeros, an expiry date and a service code often have an issuer's range and a right check digit. */
const FILL = 6

/**
 * As `isPaymentNumber`, of the lengths that cards have in people's hands, and no field that was filled up with zeros.
 */
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
