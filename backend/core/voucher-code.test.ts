import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemRng } from './clock.ts'
import { groupedCode, hiddenCode, looksLikeVoucher, parseVoucherCode, voucherCodeOf } from './scan-codes.ts'

const LETTERS = [...'ABCDEFGHJKLMNPQRSTVWXYZ']
const anyCode = fc.uuid({ version: 4 }).map(voucherCodeOf)

test('a voucher code has letters for the random digits of a UUID, and check letters', () => {
  expect(voucherCodeOf('01234567-89ab-4cde-8f01-234567890abc')).toMatch(/^[A-HJ-NP-TV-Z]{17}$/)
  expect(voucherCodeOf('01234567-89ab-4cde-9f01-234567890abc'), 'the variant is ignored').toBe(
    voucherCodeOf('01234567-89ab-4cde-8f01-234567890abc'),
  )
  expect(voucherCodeOf('01234567-89ab-4cde-8f01-234567890abd')).not.toBe(
    voucherCodeOf('01234567-89ab-4cde-8f01-234567890abc'),
  )
  expect(() => voucherCodeOf('not a uuid')).toThrow(RangeError)
})

test('every random position of a voucher code takes every letter, and codes are unique', () => {
  const codes = Array.from({ length: 2_000 }, () => voucherCodeOf(systemRng.uuid()))
  expect(new Set(codes).size).toBe(codes.length)
  for (let place = 0; place < 15; place += 1)
    expect(new Set(codes.map((code) => code[place])).size).toBe(LETTERS.length)
})

test('a voucher code is accepted with hyphens and spaces, and shown by its last four letters', () => {
  fc.assert(
    fc.property(anyCode, (code) => {
      expect(groupedCode(code)).toMatch(/^(?:[A-Z]{4}-){3}[A-Z]{5}$/)
      expect(parseVoucherCode(groupedCode(code).toLowerCase())).toBe(code)
      expect(parseVoucherCode(` ${code} `)).toBe(code)
      expect(hiddenCode(code)).toBe(`*************${code.slice(-4)}`)
      expect(looksLikeVoucher(code)).toBe(true)
    }),
  )
  expect(looksLikeVoucher('N1010100000042K7QZ')).toBe(false)
})

test('voucher codes of earlier releases are valid: twenty letters with a check, and sixteen without', () => {
  for (const code of ['ABCDEFGHJKMNPQRTABQE', 'ABCDEFGHJKMNPQRT']) {
    expect([parseVoucherCode(code), looksLikeVoucher(code), parseVoucherCode(groupedCode(code))]).toEqual([
      code,
      true,
      code,
    ])
  }
  expect(groupedCode('ABCDEFGHJKMNPQRTABQE')).toBe('ABCD-EFGH-JKMN-PQRT-ABQE')
  expect(parseVoucherCode('ABCDEFGHJKMNPQRTABQF'), 'a wrong check').toBeNull()
})

test('a voucher code with one mistyped letter or two swapped ones is rejected', () => {
  fc.assert(
    fc.property(anyCode, fc.nat(14), fc.constantFrom(...LETTERS), (code, at, letter) => {
      fc.pre(code[at] !== letter)
      expect(parseVoucherCode(code.slice(0, at) + letter + code.slice(at + 1))).toBeNull()
    }),
  )
  fc.assert(
    fc.property(anyCode, fc.nat(13), (code, at) => {
      fc.pre(code[at] !== code[at + 1])
      expect(
        parseVoucherCode(code.slice(0, at) + code.charAt(at + 1) + code.charAt(at) + code.slice(at + 2)),
      ).toBeNull()
    }),
  )
})
