import { holdsCardNumber } from '../../contracts/core/card-numbers.ts'
import { controlOf } from '../../contracts/core/text.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import { COLLECTOR_NUMBER_PATTERN } from '../../contracts/core/collector-number.ts'

export interface ScanCodes {
  readonly collectorPattern: string
  readonly badgePattern: string
  readonly controlCode: string | undefined
}

export const scanCodesOf = (profile: Pick<Profile, 'program' | 'signIn' | 'controlCodes'>): ScanCodes => ({
  collectorPattern: profile.program.cards.barcode,
  badgePattern: profile.signIn.badgePatterns.barcode,
  controlCode: profile.controlCodes,
})

const TRACK = /^[;%].*\?/

/**
 * Returns whether a scan of this code can find an item or a coupon. If not, the code is that of a member card, staff
 * badge, payment card, voucher or control, which take precedence.
 */
export function scanReach({
  collectorPattern,
  badgePattern,
  controlCode: storeCode,
}: ScanCodes): (code: string) => boolean {
  const collector = new RegExp(collectorPattern, 'u')
  const badge = new RegExp(badgePattern, 'u')
  return (code) =>
    !COLLECTOR_NUMBER_PATTERN.test(collector.exec(code)?.[1] ?? '') &&
    !badge.test(code) &&
    !TRACK.test(code) &&
    !holdsCardNumber(code) &&
    !isVoucherCode(code) &&
    controlOf(storeCode, code) === null
}

/**
 * Letters of voucher codes: none that looks like a digit or another letter (no I, O and U). Their number is a prime.
 */
const LETTERS = 'ABCDEFGHJKLMNPQRSTVWXYZ'
const BASE = BigInt(LETTERS.length)
const FIXED = new Set([12, 16])
const RANDOM = 15
/**
 * Modulus of the check letters: a prime below the square of the alphabet's size, which detects one wrong letter and two
 * swapped ones.
 */
const MODULUS = 521
const WEIGHT = 31
const GROUP = 4

const PATTERN = new RegExp(`^[${LETTERS}]{17}$`)
/** Voucher codes of earlier documents: eighteen letters for hexadecimal digits and two check letters. */
const EARLIER = { letters: 'ABCDEFGHJKMNPQRT', random: 18, modulus: 251, pattern: /^[ABCDEFGHJKMNPQRT]{20}$/ } as const
const EARLIEST = /^[ABCDEFGHJKMNPQRT]{16}$/

/**
 * Creates the code of a voucher. The bearer can spend the voucher, so its code must not be guessable. Fifteen letters
 * hold 67 of the random bits of a version 4 UUID, and two letters check them: in Code 128 seventeen letters with quiet
 * zones are 484 of the 504 dots of the narrowest paper. The code has only letters, so that scans distinguish it: a sale
 * id contains ten consecutive digits, and collector numbers and GTINs have only digits.
 */
export function voucherCodeOf(uuid: string): string {
  const digits = [...uuid.replaceAll('-', '')].filter((_, index) => !FIXED.has(index)).join('')
  if (!/^[\da-f]{30}$/i.test(digits)) throw new RangeError('not a UUID')
  let random = ''
  for (let rest = BigInt(`0x${digits}`); random.length < RANDOM; rest /= BASE) random += LETTERS[Number(rest % BASE)]
  return random + checkOf(random, LETTERS, MODULUS)
}

function checkOf(text: string, letters: string, modulus: number): string {
  let sum = 0
  for (const letter of text) sum = (sum * WEIGHT + letters.indexOf(letter) + 1) % modulus
  return `${letters[Math.floor(sum / letters.length)]}${letters[sum % letters.length]}`
}

/** Whether a voucher code has the right check letters; expects no hyphens. */
export function isVoucherCode(code: string): boolean {
  if (PATTERN.test(code)) return checkOf(code.slice(0, RANDOM), LETTERS, MODULUS) === code.slice(RANDOM)
  const { letters, random, modulus, pattern } = EARLIER
  return pattern.test(code) && checkOf(code.slice(0, random), letters, modulus) === code.slice(random)
}

/** Parses a scanned or typed voucher code with optional hyphens and spaces; null when invalid or mistyped. */
export function parseVoucherCode(text: string): string | null {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase()
  return EARLIEST.test(code) || isVoucherCode(code) ? code : null
}

/** Whether a scan has the form of a voucher code; its check letters may be wrong. */
export const looksLikeVoucher = (scanned: string): boolean =>
  PATTERN.test(scanned) || EARLIER.pattern.test(scanned) || EARLIEST.test(scanned)

export const lastFour = (code: string): string => code.slice(-4)

/** Formats a voucher code in groups of four; the last group has five letters rather than one alone. */
export const groupedCode = (code: string): string =>
  code.match(new RegExp(`.{${GROUP}}(?!.$)|.+`, 'g'))?.join('-') ?? code

export const hiddenCode = (code: string): string => '*'.repeat(code.length - 4) + lastFour(code)
