/**
 * One-time codes for the enrolment of a lane, to be typed, printed and scanned: twenty characters of Crockford's base
 * 32 in groups of five. The first group identifies the record, the next fourteen characters are secret (70 bits), and
 * the last is a check character, which detects every single wrong character and every two that were exchanged.
 */
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ID_SIGNS = 5
const SECRET_SIGNS = 14
const CODE_SIGNS = ID_SIGNS + SECRET_SIGNS + 1
/** Maximum length of input that is parsed, longer than any typed code or ticket. */
const MAX_TYPED = 600

export interface EnrolmentCode {
  readonly id: string
  readonly secret: string
}

export type CodeMistake = 'length' | 'sign' | 'check'

/** Maps random bytes to characters without bias: 256 is a multiple of 32. */
export const signsOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => SIGNS[byte % 32] ?? '').join('')

export function codeOf(random: Uint8Array): EnrolmentCode {
  if (random.byteLength !== CODE_BYTES) throw new RangeError(`a code needs ${CODE_BYTES} random bytes`)
  const signs = signsOf(random)
  return { id: signs.slice(0, ID_SIGNS), secret: signs.slice(ID_SIGNS) }
}
export const CODE_BYTES = ID_SIGNS + SECRET_SIGNS

/** Formats an enrolment code as it is printed, with its check character: K7Q2M-4X0TR-N8WZ3-05KDB. */
export const formatCode = ({ id, secret }: EnrolmentCode): string => inGroups(withCheck(id + secret), 5)

/** Parses a typed enrolment code: in either case, with or without hyphens and spaces, O for 0 and I or L for 1. */
export function parseCode(typed: string): EnrolmentCode | { readonly mistake: CodeMistake } {
  const signs = readSigns(typed)
  if (signs === null) return { mistake: 'sign' }
  if (signs.length !== CODE_SIGNS) return { mistake: 'length' }
  if (!isChecked(signs)) return { mistake: 'check' }
  return { id: signs.slice(0, ID_SIGNS), secret: signs.slice(ID_SIGNS, -1) }
}

/** Counts the characters of the enrolment code in an incomplete input, at most those of a whole code. */
export const signsTyped = (typed: string): number => Math.min(readSigns(typed)?.length ?? 0, CODE_SIGNS)
export { CODE_SIGNS }

function readSigns(typed: string): string | null {
  if (typed.length > MAX_TYPED) return ''
  const signs = typed
    .toUpperCase()
    .replaceAll(/[\s\u2010-\u2015_.-]+/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  return [...signs].every((sign) => SIGNS.includes(sign)) ? signs : null
}

const inGroups = (signs: string, size: number): string => signs.match(new RegExp(`.{1,${size}}`, 'g'))?.join('-') ?? ''

/** Doubles a value in GF(2^5) modulo x^5 + x^2 + 1, for which x generates all non-zero values. */
const twice = (value: number): number => ((value << 1) ^ (value & 16 ? 0b100101 : 0)) & 31

/**
 * Computes the check character as a polynomial over GF(2^5): it changes with every wrong character and with every
 * exchange of two, because the first 31 powers of x differ.
 */
const checkOf = (signs: string): number => [...signs].reduce((sum, sign) => twice(sum ^ SIGNS.indexOf(sign)), 0)
const withCheck = (signs: string): string => signs + (SIGNS[checkOf(signs)] ?? '')
const isChecked = (signs: string): boolean => SIGNS[checkOf(signs.slice(0, -1))] === signs.at(-1)

/** Number of characters of a short certificate fingerprint without its check character: 75 bits. */
const SHORT_SIGNS = 15

/** Fingerprint of the expected server certificate: SHA-256 in 64 hex digits, or its first 75 bits in base 32. */
export type ExpectedCertificate = string

/** Formats a fingerprint (64 hex digits) for typing: 4 groups of 4 characters. */
export function shortFingerprint(hex: string): string {
  const first = BigInt(`0x${hex}`) >> BigInt(256 - 5 * SHORT_SIGNS)
  const signs = Array.from({ length: SHORT_SIGNS }, (_, at) => {
    const value = (first >> BigInt(5 * (SHORT_SIGNS - 1 - at))) & 31n
    return SIGNS[Number(value)] ?? ''
  })
  return inGroups(withCheck(signs.join('')), 4)
}

/** Parses either form of a fingerprint; null for any other text. */
export function parseFingerprint(typed: string): ExpectedCertificate | null {
  if (typed.length > MAX_TYPED) return null
  const hex = typed.replaceAll(/[\s:-]+/g, '').toLowerCase()
  if (/^[0-9a-f]{64}$/.test(hex)) return hex
  const signs = readSigns(typed)
  return signs !== null && signs.length === SHORT_SIGNS + 1 && isChecked(signs) ? inGroups(signs, 4) : null
}

/** Whether a server's certificate with this fingerprint (64 hex digits) is the expected one. */
export const isExpected = (expected: ExpectedCertificate, hex: string): boolean =>
  expected === hex || expected === shortFingerprint(hex)

/**
 * Parses the typed address of an enrolment service: https only, without path, user name or password. Null if invalid.
 */
export function parseService(typed: string): string | null {
  const text = typed.trim()
  if (text.length === 0 || text.length > MAX_TYPED) return null
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (url === null || url.protocol !== 'https:' || url.hostname === '') return null
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return null
  return url.pathname === '/' ? url.origin : null
}

export interface EnrolmentTicket {
  readonly service: string
  readonly code: EnrolmentCode
  /** Certificate that the service must have; null when an authority that the lane's system trusts issued it. */
  readonly certificate: ExpectedCertificate | null
}

export const formatTicket = ({ service, code, certificate }: EnrolmentTicket): string =>
  `${TICKET_SCHEME}${service}?code=${formatCode(code)}${certificate === null ? '' : `&certificate=${certificate}`}`

/**
 * A scanner presses the keys of a US keyboard. For a computer with a Canadian French layout: the character that each of
 * these keys types there, with the intended US character.
 */
const BY_KEY: Readonly<Record<string, string>> = { é: '/', É: '?' }

/**
 * Parses a ticket (the content of an enrolment sheet's QR code) in either case and from either keyboard layout; null if
 * it is invalid or incomplete.
 */
export function parseTicket(scanned: string): EnrolmentTicket | null {
  if (!isTicket(scanned) || scanned.length > MAX_TYPED) return null
  const text = scanned.replaceAll(/[éÉ]/g, (sign) => BY_KEY[sign] ?? sign).toLowerCase()
  const [address = '', query = '', ...more] = text.slice(TICKET_SCHEME.length).split('?')
  const asked = new URLSearchParams(query)
  const [service, code] = [parseService(address), parseCode(asked.get('code') ?? '')]
  const named = asked.get('certificate')
  const certificate = named === null ? null : parseFingerprint(named)
  if (more.length > 0 || service === null || 'mistake' in code || (named !== null && certificate === null)) return null
  return { service, code, certificate }
}

/** Prefix of the QR code of an enrolment sheet, which no barcode of a store has. */
export const TICKET_SCHEME = 'milepost-enrol:'

/** Whether a text has the prefix of an enrolment sheet's QR code; `parseTicket` checks the whole text. */
export const isTicket = (text: string): boolean => text.slice(0, TICKET_SCHEME.length).toLowerCase() === TICKET_SCHEME
