import { expect, test } from 'vitest'
import { ean13, isEan13 } from './barcodes.ts'

function modules(text: string): string {
  const { width, bars } = ean13(text)
  const line = Array.from({ length: width }, () => '0')
  for (const [at, size] of bars) line.fill('1', at, at + size)
  return line.join('').slice(11, -11)
}

test('an EAN-13 has the bars of the worked example in the literature', () => {
  // Example 4003994155486: the first digit 4 sets the left half to A B A A B B.
  expect(modules('4003994155486')).toBe(
    [
      '101',
      '0001101',
      '0100111',
      '0111101',
      '0001011',
      '0010111',
      '0011101',
      '01010',
      '1100110',
      '1001110',
      '1001110',
      '1011100',
      '1001000',
      '1010000',
      '101',
    ].join(''),
  )
})

test('an EAN-13 with a wrong check digit, and a text that is no EAN-13, have no bars', () => {
  expect(isEan13('4006381333931')).toBe(true)
  for (const wrong of ['4006381333930', '400638133393', '40063813339311', '400638133393a', '']) {
    expect(isEan13(wrong)).toBe(false)
    expect(ean13(wrong).bars).toEqual([])
  }
})
