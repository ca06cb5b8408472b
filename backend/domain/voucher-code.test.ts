import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemChance } from '../clock.ts'
import { groupedCode, hiddenCode, looksLikeVoucher, parseVoucherCode, voucherCodeOf } from './voucher-code.ts'

const LETTERS = [...'ABCDEFGHJKMNPQRT']
const anyCode = fc.uuid({ version: 4 }).map(voucherCodeOf)

test('is made of the random digits of the UUID alone, and of their check', () => {
  expect(voucherCodeOf('01234567-89ab-4cde-8f01-234567890abc')).toMatch(/^ABCDEFGHJKMNPQRTAB[A-T]{2}$/)
  expect(voucherCodeOf('01234567-89ab-4cde-9f01-234567890abc'), 'the variant says nothing').toBe(voucherCodeOf('01234567-89ab-4cde-8f01-234567890abc'))
  expect(voucherCodeOf('01234567-89ab-4cde-8e01-234567890abc')).not.toBe(voucherCodeOf('01234567-89ab-4cde-8f01-234567890abc'))
})

test('every random position takes every letter, and no two codes are alike', () => {
  const codes = Array.from({ length: 2_000 }, () => voucherCodeOf(systemChance.uuid()))
  expect(new Set(codes).size).toBe(codes.length)
  for (let place = 0; place < 18; place += 1) expect(new Set(codes.map((code) => code[place])).size).toBe(16)
})

test('is read as people write it, and shown by its last four', () => {
  fc.assert(fc.property(anyCode, (code) => {
    expect(parseVoucherCode(groupedCode(code).toLowerCase())).toBe(code)
    expect(parseVoucherCode(` ${code} `)).toBe(code)
    expect(hiddenCode(code)).toBe(`****************${code.slice(-4)}`)
    expect(looksLikeVoucher(code)).toBe(true)
  }))
  expect(parseVoucherCode('ABCDEFGHJKMNPQRT'), 'a paper from before codes had a check').toBe('ABCDEFGHJKMNPQRT')
  expect(looksLikeVoucher('N1010100000042K7QZ')).toBe(false)
})

test('one letter that was mistyped, or two that changed places, are no code', () => {
  fc.assert(fc.property(anyCode, fc.nat(17), fc.constantFrom(...LETTERS), (code, at, letter) => {
    fc.pre(code[at] !== letter)
    expect(parseVoucherCode(code.slice(0, at) + letter + code.slice(at + 1))).toBeNull()
  }))
  fc.assert(fc.property(anyCode, fc.nat(16), (code, at) => {
    fc.pre(code[at] !== code[at + 1])
    expect(parseVoucherCode(code.slice(0, at) + code.charAt(at + 1) + code.charAt(at) + code.slice(at + 2))).toBeNull()
  }))
})
