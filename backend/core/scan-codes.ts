import { holdsCardNumber } from '../../contracts/core/card-numbers.ts'
import { controlOf } from '../../contracts/core/text.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import { COLLECTOR_NUMBER_PATTERN } from '../../contracts/core/collector-number.ts'

/** The settings that say which codes have another meaning. Plain values: they are passed to worker threads. */
export interface ScanCodes {
  readonly collectorPattern: string
  readonly badgePattern: string
  readonly controlWord: string | undefined
}

export const scanCodesOf = (profile: Pick<Profile, 'program' | 'signIn' | 'controlCodes'>): ScanCodes => ({
  collectorPattern: profile.program.cards.barcode,
  badgePattern: profile.signIn.badgePatterns.barcode,
  controlWord: profile.controlCodes,
})

const TRACK = /^[;%].*\?/

/**
 * Returns whether a scan of this code can find an item or a coupon. Member cards, staff badges, payment cards, vouchers
 * and control codes come first: an item or a coupon with such a code would never be found.
 */
export function scanReach({ collectorPattern, badgePattern, controlWord }: ScanCodes): (code: string) => boolean {
  const collector = new RegExp(collectorPattern, 'u')
  const badge = new RegExp(badgePattern, 'u')
  return (code) =>
    !COLLECTOR_NUMBER_PATTERN.test(collector.exec(code)?.[1] ?? '') &&
    !badge.test(code) &&
    !TRACK.test(code) &&
    !holdsCardNumber(code) &&
    !isVoucherCode(code) &&
    controlOf(controlWord, code) === null
}

/** Letters that no person takes for a digit or for another: no I, O and U. Their number is a prime. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTVWXYZ'
const BASE = BigInt(LETTERS.length)
/** Where a version 4 UUID holds its version and variant: not random. */
const FIXED = new Set([12, 16])
const RANDOM = 15
/** A prime that two letters can count: one wrong letter, or two that changed places, give another check. */
const MODULUS = 521
const WEIGHT = 31
const GROUP = 4

const PATTERN = new RegExp(`^[${LETTERS}]{17}$`)
/**
 * Codes of earlier documents: sixteen letters of which each stood for a hexadecimal digit, eighteen of them and two
 * that
 * check them.
 */
const EARLIER = { letters: 'ABCDEFGHJKMNPQRT', random: 18, modulus: 251, pattern: /^[ABCDEFGHJKMNPQRT]{20}$/ } as const
/** From before codes had a check. */
const EARLIEST = /^[ABCDEFGHJKMNPQRT]{16}$/

/**
 * The code of a voucher: money to whoever holds the paper, so that nobody must be able to guess it. Fifteen letters, 67
 * of the random bits of a version 4 UUID, and two letters that check them: in Code 128 seventeen letters and the white
 * beside them are 484 of the 504 dots of the narrowest paper. Letters only: a sale id always holds ten digits in a row,
 * a collector number and an item code are digits alone, so no scan takes one for another.
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

/** A code with its right check, and written without hyphens: no item's number is one by chance. */
export function isVoucherCode(code: string): boolean {
  if (PATTERN.test(code)) return checkOf(code.slice(0, RANDOM), LETTERS, MODULUS) === code.slice(RANDOM)
  const { letters, random, modulus, pattern } = EARLIER
  return pattern.test(code) && checkOf(code.slice(0, random), letters, modulus) === code.slice(random)
}

/**
 * The code that was scanned or typed, without the hyphens and spaces that people add; null when it is none, or was
 * mistyped.
 */
export function parseVoucherCode(text: string): string | null {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase()
  return EARLIEST.test(code) || isVoucherCode(code) ? code : null
}

/** True for a scan that can be nothing but a voucher's code, right or wrong. */
export const looksLikeVoucher = (scanned: string): boolean =>
  PATTERN.test(scanned) || EARLIER.pattern.test(scanned) || EARLIEST.test(scanned)

export const lastFour = (code: string): string => code.slice(-4)

/** As people read it: in groups of four, the last of five rather than one letter alone. */
export const groupedCode = (code: string): string =>
  code.match(new RegExp(`.{${GROUP}}(?!.$)|.+`, 'g'))?.join('-') ?? code

/** The same length with only the last four to be read: what may be stored and shown. */
export const hiddenCode = (code: string): string => '*'.repeat(code.length - 4) + lastFour(code)
