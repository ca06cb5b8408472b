/** Sixteen letters that no person takes for another, one for each value of a hexadecimal digit. */
const LETTERS = 'ABCDEFGHJKMNPQRT'
/** Where a version 4 UUID holds its version and variant: not random. */
const FIXED = new Set([12, 16])
const RANDOM = 18
/** A prime: one wrong letter, or two that changed places, give another check. */
const MODULUS = 251
const WEIGHT = 31
const GROUP = 4

const PATTERN = new RegExp(`^[${LETTERS}]{20}$`)
/** Codes of papers from before codes had a check. */
const EARLIER = new RegExp(`^[${LETTERS}]{16}$`)

/**
 * The code of a voucher: money to whoever holds the paper, so that nobody must be able to guess it. 72 random bits of a
 * version 4 UUID and two letters that check them. Letters only: a sale id always holds ten digits in a row, a collector
 * number and an item code are digits alone, so no scan takes one for another.
 */
export function voucherCodeOf(uuid: string): string {
  const random = [...uuid.replaceAll('-', '')].filter((_, index) => !FIXED.has(index)).slice(0, RANDOM).map((digit) => LETTERS[Number.parseInt(digit, 16)]).join('')
  if (random.length !== RANDOM) throw new RangeError('not a UUID')
  return random + checkOf(random)
}

function checkOf(letters: string): string {
  let sum = 0
  for (const letter of letters) sum = (sum * WEIGHT + LETTERS.indexOf(letter) + 1) % MODULUS
  return `${LETTERS[sum >> 4]}${LETTERS[sum & 15]}`
}

/** The code that was scanned or typed, without the hyphens and spaces that people add; null when it is none, or was mistyped. */
export function parseVoucherCode(text: string): string | null {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase()
  if (EARLIER.test(code)) return code
  return PATTERN.test(code) && checkOf(code.slice(0, RANDOM)) === code.slice(RANDOM) ? code : null
}

/** True for a scan that can be nothing but a voucher's code, right or wrong. */
export const looksLikeVoucher = (scanned: string): boolean => PATTERN.test(scanned) || EARLIER.test(scanned)

export const lastFour = (code: string): string => code.slice(-4)

/** As people read it: in groups of four. */
export const groupedCode = (code: string): string => code.match(new RegExp(`.{1,${GROUP}}`, 'g'))?.join('-') ?? code

/** The same length with only the last four to be read: what may be stored and shown. */
export const hiddenCode = (code: string): string => '*'.repeat(code.length - 4) + lastFour(code)
