import { expect, test } from 'vitest'
import { itemNumber, printedGtin } from './classify.ts'

test('an EAN keeps its digits, a UPC-A gets a leading 0, and a UPC-E becomes its UPC-A with a leading 0', () => {
  expect(itemNumber('4006381333931', 'any')).toBe('4006381333931')
  expect(itemNumber('036000291452', 'any')).toBe('0036000291452')
  expect(itemNumber('96385074', 'ean-8')).toBe('96385074')
  expect(itemNumber('04252614', 'any')).toBe('0042100005264')
  expect(itemNumber('04252614', 'ean')).toBe('0042100005264')
  expect(itemNumber('12345670', 'any')).toBe('12345670')
  expect(itemNumber('14252611', 'any')).toBe('0142100005261')
  expect(itemNumber('4006381333932', 'any')).toBeNull()
  expect(itemNumber('4006381333931', 'ean-8')).toBeNull()
  expect(itemNumber('123456', 'any')).toBeNull()
})

test('a GTIN-14 becomes an EAN-13 or EAN-8 for a single piece, and stays a GTIN-14 for a case', () => {
  expect(['04006381333931', '00000096385074', '10614141000415', '00036000291452'].map(printedGtin)).toEqual([
    '4006381333931',
    '96385074',
    '10614141000415',
    '0036000291452',
  ])
})
