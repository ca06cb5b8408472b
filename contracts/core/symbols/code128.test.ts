import { expect, test } from 'vitest'
import { code128 } from './barcodes.ts'

const widths = (bars: readonly (readonly [number, number])[]): string =>
  bars
    .map(([at, width], index) => {
      const next = bars[index + 1]
      return `${width}${next ? next[0] - at - width : ''}`
    })
    .join('')

test('a Code 128 starts with set B, has the check character of the standard, and ends with the stop pattern', () => {
  // In a worked example of the literature the check value of "PJJ123C" in set B is 55.
  const { bars, width } = code128('PJJ123C')
  const read = widths(bars)
  expect(read.slice(0, 6)).toBe('211214')
  expect(read.slice(8 * 6, 9 * 6)).toBe('311321')
  expect(read.slice(9 * 6)).toBe('2331112')
  expect(width).toBe(10 + 9 * 11 + 13 + 10)
})

test('every symbol of a Code 128 is eleven modules wide, and the stop pattern thirteen', () => {
  const text = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')
  expect(code128(text).width).toBe(20 + (95 + 2) * 11 + 13)
})

test('a text that is empty or outside set B has no Code 128 bars', () => {
  expect(code128('café').bars).toEqual([])
  expect(code128('').bars).toEqual([])
})
