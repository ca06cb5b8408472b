/**
 * One-time codes by which a lane is enrolled, as they are typed, printed and scanned: twenty signs of Crockford's
 * base 32 in groups of five. The first group names the record, the next fourteen signs are secret (70 bits), and the
 * last is a check: no single wrong sign and no two that changed places go unnoticed.
 */
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ID_SIGNS = 5
const SECRET_SIGNS = 14
const CODE_SIGNS = ID_SIGNS + SECRET_SIGNS + 1
/** Longer than anything that a person types or a sheet carries; more is not looked at. */
const MOST_TYPED = 600

export interface EnrolmentCode {
  /** Public: names the record in lists and in the audit trail. */
  readonly id: string
  readonly secret: string
}

/** What is wrong with a typed code, as far as the code itself tells. */
export type CodeMistake = 'length' | 'sign' | 'check'

/** Random bytes as signs: 32 goes into 256 without a rest, so every sign is as likely. */
export const signsOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => SIGNS[byte % 32] ?? '').join('')

/** From as many random bytes as `CODE_BYTES`. */
export function codeOf(random: Uint8Array): EnrolmentCode {
  if (random.byteLength !== CODE_BYTES) throw new RangeError(`a code is made of ${CODE_BYTES} random bytes`)
  const signs = signsOf(random)
  return { id: signs.slice(0, ID_SIGNS), secret: signs.slice(ID_SIGNS) }
}
export const CODE_BYTES = ID_SIGNS + SECRET_SIGNS

/** As it is printed: K7Q2M-4X0TR-N8WZ3-05KDB. */
export const formatCode = ({ id, secret }: EnrolmentCode): string => inGroups(withCheck(id + secret), 5)

/** Reads what somebody typed: in either case, with or without hyphens and spaces, O for 0 and I or L for 1. */
export function parseCode(typed: string): EnrolmentCode | { readonly mistake: CodeMistake } {
  const signs = readSigns(typed)
  if (signs === null) return { mistake: 'sign' }
  if (signs.length !== CODE_SIGNS) return { mistake: 'length' }
  if (!isChecked(signs)) return { mistake: 'check' }
  return { id: signs.slice(0, ID_SIGNS), secret: signs.slice(ID_SIGNS, -1) }
}

/** How many signs of the code stand in what was typed so far, at most as many as it has. */
export const signsTyped = (typed: string): number => Math.min(readSigns(typed)?.length ?? 0, CODE_SIGNS)
export { CODE_SIGNS }

/** Upper case, without what only parts the groups; null where a sign is none. */
function readSigns(typed: string): string | null {
  if (typed.length > MOST_TYPED) return ''
  const signs = typed
    .toUpperCase()
    .replaceAll(/[\s\u2010-\u2015_.-]+/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  return [...signs].every((sign) => SIGNS.includes(sign)) ? signs : null
}

const inGroups = (signs: string, size: number): string => signs.match(new RegExp(`.{1,${size}}`, 'g'))?.join('-') ?? ''

/** Twice a value in GF(2^5) by x^5 + x^2 + 1, whose x reaches every other value but 0. */
const twice = (value: number): number => ((value << 1) ^ (value & 16 ? 0b100101 : 0)) & 31

/**
 * The check is a polynomial over GF(2^5): a wrong sign changes it always, and so do two signs that changed places, as
 * no two of the first 31 powers of x are the same.
 */
const checkOf = (signs: string): number => [...signs].reduce((sum, sign) => twice(sum ^ SIGNS.indexOf(sign)), 0)
const withCheck = (signs: string): string => signs + (SIGNS[checkOf(signs)] ?? '')
const isChecked = (signs: string): boolean => SIGNS[checkOf(signs.slice(0, -1))] === signs.at(-1)

/** Signs of a certificate's fingerprint that people type: 75 bits and a check. */
const SHORT_SIGNS = 15

/** What a lane expects of the server's certificate: SHA-256 in 64 hex digits, or its first 75 bits as signs. */
export type ExpectedCertificate = string

/** The fingerprint (64 hex digits) as a sheet has it for typing: 4 groups of 4 signs. */
export function shortFingerprint(hex: string): string {
  const first = BigInt(`0x${hex}`) >> BigInt(256 - 5 * SHORT_SIGNS)
  const signs = Array.from({ length: SHORT_SIGNS }, (_, at) => {
    const value = (first >> BigInt(5 * (SHORT_SIGNS - 1 - at))) & 31n
    return SIGNS[Number(value)] ?? ''
  })
  return inGroups(withCheck(signs.join('')), 4)
}

/** Reads either form; null where it is neither. */
export function parseFingerprint(typed: string): ExpectedCertificate | null {
  if (typed.length > MOST_TYPED) return null
  const hex = typed.replaceAll(/[\s:-]+/g, '').toLowerCase()
  if (/^[0-9a-f]{64}$/.test(hex)) return hex
  const signs = readSigns(typed)
  return signs !== null && signs.length === SHORT_SIGNS + 1 && isChecked(signs) ? inGroups(signs, 4) : null
}

/** Whether a certificate of this fingerprint (64 hex digits) is the one that is expected. */
export const isExpected = (expected: ExpectedCertificate, hex: string): boolean =>
  expected === hex || expected === shortFingerprint(hex)

/**
 * The address of the service, from what somebody typed: https alone, without a path, a name or a password. Null where
 * it is none.
 */
export function parseService(typed: string): string | null {
  const text = typed.trim()
  if (text.length === 0 || text.length > MOST_TYPED) return null
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (url === null || url.protocol !== 'https:' || url.hostname === '') return null
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return null
  return url.pathname === '/' ? url.origin : null
}

export interface EnrolmentTicket {
  readonly service: string
  readonly code: EnrolmentCode
  /** Null where the server's certificate comes from an authority that the lane's system knows. */
  readonly certificate: ExpectedCertificate | null
}

/** What the QR code of a sheet holds. */
export const formatTicket = ({ service, code, certificate }: EnrolmentTicket): string =>
  `${TICKET_SCHEME}${service}?code=${formatCode(code)}${certificate === null ? '' : `&certificate=${certificate}`}`

/** What a scanner types as if on an American keyboard, and a computer takes for a Canadian French one. */
const BY_KEY: Readonly<Record<string, string>> = { é: '/', É: '?' }

/** Reads it, in either case, whichever keyboard it was typed by; null where it is none, or not whole. */
export function parseTicket(scanned: string): EnrolmentTicket | null {
  if (!isTicket(scanned) || scanned.length > MOST_TYPED) return null
  const text = scanned.replaceAll(/[éÉ]/g, (sign) => BY_KEY[sign] ?? sign).toLowerCase()
  const [address = '', query = '', ...more] = text.slice(TICKET_SCHEME.length).split('?')
  const asked = new URLSearchParams(query)
  const [service, code] = [parseService(address), parseCode(asked.get('code') ?? '')]
  const named = asked.get('certificate')
  const certificate = named === null ? null : parseFingerprint(named)
  if (more.length > 0 || service === null || 'mistake' in code || (named !== null && certificate === null)) return null
  return { service, code, certificate }
}

/** How the text of an enrolment sheet's QR code begins: no barcode of a store does. */
export const TICKET_SCHEME = 'milepost-enrol:'

/** Whether this is such a text; what it holds, and whether it is whole, says `parseTicket`. */
export const isTicket = (text: string): boolean => text.slice(0, TICKET_SCHEME.length).toLowerCase() === TICKET_SCHEME
