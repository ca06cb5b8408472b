import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  CODE_BYTES,
  codeOf,
  formatCode,
  formatTicket,
  isExpected,
  parseCode,
  parseFingerprint,
  parseService,
  parseTicket,
  shortFingerprint,
  signsTyped,
} from './enrolment-code.ts'

const bytes = fc.uint8Array({ minLength: CODE_BYTES, maxLength: CODE_BYTES })
const hex = fc.stringMatching(/^[0-9a-f]{64}$/)

test('an enrolment code is parsed in the printed form and in the forms that people type', () => {
  fc.assert(
    fc.property(bytes, (random) => {
      const code = codeOf(random)
      const printed = formatCode(code)
      expect(printed).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}$/)
      const slips = printed.replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('-', ' – ').toLowerCase()
      expect([parseCode(printed), parseCode(slips)]).toEqual([code, code])
      expect(signsTyped(printed)).toBe(20)
    }),
  )
})

/** Returns generated values that violate a rule, so that the test can show them; null if the search found none. */
const counterexample = <Values extends [unknown, ...unknown[]]>(
  rule: fc.IPropertyWithHooks<Values>,
  numRuns = 2_000,
): unknown => fc.check(rule, { numRuns }).counterexample

test('every wrong character of an enrolment code, and every exchange of two characters, is detected', () => {
  const signs = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
  const isNoticed = (right: readonly string[], typed: readonly string[]): boolean => {
    const code = parseCode(typed.join(''))
    return 'mistake' in code ? code.mistake === 'check' : right.join('') === typed.join('')
  }
  expect(
    counterexample(
      fc.property(bytes, fc.nat(19), fc.nat(19), fc.nat(31), (random, one, other, sign) => {
        const right = [...formatCode(codeOf(random)).replaceAll('-', '')]
        const swapped = right.with(one, right[other] ?? '').with(other, right[one] ?? '')
        return isNoticed(right, right.with(one, signs[sign] ?? '')) && isNoticed(right, swapped)
      }),
    ),
  ).toBeNull()
})

test('any text is parsed or rejected as a code, ticket, address or fingerprint, without an exception', () => {
  const parts = ['milepost-enrol:', 'https://', '?code=', '&certificate=', '-', 'u', '0A', ':', '%']
  const near = fc.array(fc.oneof(fc.constantFrom(...parts), fc.string())).map((some) => some.join(''))
  const ticketLike = fc.tuple(near, near, near).map(([a, b, c]) => `milepost-enrol:${a}?code=${b}&certificate=${c}`)
  const anything = fc.oneof(near, fc.string({ unit: 'binary', maxLength: 2_000 }), ticketLike)
  const isOrigin = (service: string): boolean => new URL(service).origin === service && service.startsWith('https:')
  expect(
    counterexample(
      fc.property(anything, (text) => {
        const [code, ticket, service, print] = [
          parseCode(text),
          parseTicket(text),
          parseService(text),
          parseFingerprint(text),
        ]
        return (
          ('mistake' in code || !('mistake' in parseCode(formatCode(code)))) &&
          (ticket === null || isDeepStrictEqual(parseTicket(formatTicket(ticket)), ticket)) &&
          (service === null || isOrigin(service)) &&
          (print === null || parseFingerprint(print) === print)
        )
      }),
      5_000,
    ),
  ).toBeNull()
})

test('an enrolment ticket with one changed character is rejected or still contains its own code', () => {
  expect(
    counterexample(
      fc.property(
        bytes,
        hex,
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (random, certificate, where, sign) => {
          const ticket = { service: 'https://store.example:8443', code: codeOf(random), certificate }
          const text = formatTicket(ticket)
          const at = where % text.length
          const read = parseTicket(text.slice(0, at) + sign + text.slice(at + 1))
          return read === null || isDeepStrictEqual(read.code, ticket.code)
        },
      ),
    ),
  ).toBeNull()
})

test('a short fingerprint may be typed in lower case without hyphens, and matches only its certificate', () => {
  expect(
    counterexample(
      fc.property(hex, hex, (one, other) => {
        const short = parseFingerprint(shortFingerprint(one).toLowerCase().replaceAll('-', '')) ?? ''
        return (
          short === shortFingerprint(one) &&
          isExpected(short, one) &&
          (one.slice(0, 20) === other.slice(0, 20) || !isExpected(short, other)) &&
          parseFingerprint(one.toUpperCase().replaceAll(/..(?=.)/g, '$&:')) === one
        )
      }),
    ),
  ).toBeNull()
})

test('the address, code and certificate in an enrolment ticket are read back, also without a certificate', () => {
  const code = codeOf(new Uint8Array(CODE_BYTES).map((_, at) => at * 7))
  const certificate = 'ab'.repeat(32)
  for (const ticket of [
    { service: 'https://store.example:8443', code, certificate },
    { service: 'https://10.0.4.2', code, certificate: null },
    { service: 'https://[fd00::2]:8443', code, certificate },
  ])
    expect(parseTicket(formatTicket(ticket))).toEqual(ticket)
})

test('an enrolment ticket is read from a scanner that types on a French keyboard, or with Caps Lock on', () => {
  const code = codeOf(new Uint8Array(CODE_BYTES).map((_, at) => at * 7))
  const ticket = { service: 'https://store.example:8443', code, certificate: 'ab'.repeat(32) }
  const printed = formatTicket(ticket)
  expect(printed).toContain('https://store.example:8443?code=')
  const french = printed.replaceAll('/', 'é').replaceAll('?', 'É')
  for (const typed of [french, printed.toUpperCase()]) expect(parseTicket(typed)).toEqual(ticket)
})

test.each([
  'http://store.example',
  'https://store.example/path',
  'https://a:b@store.example',
  'ftp://x',
  '',
  'https://',
])('%s is refused as the address of an enrolment service', (typed) => {
  expect(parseService(typed)).toBeNull()
})
test('the address of an enrolment service may be typed without https://', () => {
  expect(parseService(' Store.example:8443 ')).toBe('https://store.example:8443')
})
