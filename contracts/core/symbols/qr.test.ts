import { expect, test } from 'vitest'
import { MAX_QR_CHARACTERS, qr } from './qr.ts'

test('a QR code has the smallest version that holds the text', () => {
  expect(qr('x'.repeat(14))?.length).toBe(21)
  expect(qr('x'.repeat(15))?.length).toBe(25)
  expect(qr('x'.repeat(MAX_QR_CHARACTERS))?.length).toBe(41)
})

test('a text that is empty, too long, or not printable ASCII has no QR code', () => {
  expect(qr('')).toBeNull()
  expect(qr('x'.repeat(MAX_QR_CHARACTERS + 1))).toBeNull()
  expect(qr('é')).toBeNull()
  expect(qr('a\x1b')).toBeNull()
})

test('both copies of a QR code’s format state level M and the same mask', () => {
  const modules = qr('https://store.example/r/N1010100000042K7QZ')
  const size = modules?.length ?? 0
  const bit = (row: number, column: number): string => (modules?.[row]?.[column] ? '1' : '0')
  const first = [
    ...Array.from({ length: 6 }, (_, at) => bit(at, 8)),
    bit(7, 8),
    bit(8, 8),
    bit(8, 7),
    ...Array.from({ length: 6 }, (_, at) => bit(8, 5 - at)),
  ].join('')
  const second = [
    ...Array.from({ length: 8 }, (_, at) => bit(8, size - 1 - at)),
    ...Array.from({ length: 7 }, (_, at) => bit(size - 7 + at, 8)),
  ].join('')
  expect(first).toBe(second)
  // The two bits of the error correction level, after removal of the standard's mask 101010000010010: 00 is M.
  const unmasked = Number.parseInt([...first].toReversed().join(''), 2) ^ 0x5412
  expect(unmasked >> 13).toBe(0)
})
