import { expect, test } from 'vitest'
import { code128 } from './raster.ts'

test('Code 128 encodes digits in pairs if that is shorter', () => {
  expect(code128('ABC-12')?.data).toBe('{BABC-12')
  expect(code128('12345678')?.data).toBe('{C\x0c\x22\x38\x4e')
  expect(code128('N101202611')?.data).toBe('{BN1{C\x01\x14\x1a\x0b')
  expect(code128('a{b')?.data).toBe('{Ba{{b')
})

test('the width of a Code 128 barcode is calculated in modules', () => {
  // Widths: start, four characters and check have eleven modules each, the stop has thirteen.
  expect(code128('ABCD')?.modules).toBe(6 * 11 + 13)
  expect(code128('12345678')?.modules).toBe(6 * 11 + 13)
})

test('pairs of digits in a Code 128 barcode never form a real-time printer command', () => {
  for (const text of ['00160400', '00160500', '16200100', '001620010000']) {
    const data = code128(text)?.data ?? ''
    expect(data, text).toContain('16')
    for (const bytes of ['\x10\x04', '\x10\x05', '\x10\x14']) expect(data, text).not.toContain(bytes)
  }
  expect(code128('00001607')?.data).toBe('{C\x00\x00\x10\x07')
})

test('a text that Code 128 cannot encode yields no barcode', () => {
  expect(code128('')).toBeNull()
  expect(code128('é')).toBeNull()
  expect(code128('A'.repeat(101))).toBeNull()
})
