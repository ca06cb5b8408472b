import { expect, test } from 'vitest'
import { checkDigit, compressUpcA, expandUpcE, hasValidCheckDigit, itemNumber, printedGtin } from './gtin.ts'

test('check digits of published numbers', () => {
  // GS1 General Specifications §7.9 works 6 291 041 50021 → 3; the others stand on everyday products.
  expect(checkDigit('629104150021')).toBe(3)
  for (const number of [
    '4006381333931',
    '5901234123457',
    '9780201379624',
    '036000291452',
    '96385074',
    '73513537',
    '10614141000415',
  ])
    expect(hasValidCheckDigit(number), number).toBe(true)
  for (const number of ['4006381333932', '036000291453', '96385075', '', '5', 'abc'])
    expect(hasValidCheckDigit(number), number).toBe(false)
})

test('UPC-E expands by its last digit', () => {
  expect(expandUpcE('0123450')).toBe('012000003455')
  expect(expandUpcE('0425261')).toBe('042100005264')
  expect(expandUpcE('425261')).toBe('042100005264')
  expect(expandUpcE('04252614')).toBe('042100005264')
  expect(expandUpcE('04252615')).toBeNull()
  // Last digit 3: three digits of maker; 4: four; 5 to 9: five.
  expect(expandUpcE('0123453')?.slice(0, 11)).toBe('01230000045')
  expect(expandUpcE('0123454')?.slice(0, 11)).toBe('01234000005')
  expect(expandUpcE('0123459')?.slice(0, 11)).toBe('01234500009')
  for (const digits of ['', '12345', '2123450', '123456789', 'abcdef']) expect(expandUpcE(digits), digits).toBeNull()
})

test('the item number is as printed, UPC-A with a leading 0', () => {
  expect(itemNumber('4006381333931', 'any')).toBe('4006381333931')
  expect(itemNumber('036000291452', 'any')).toBe('0036000291452')
  expect(itemNumber('96385074', 'ean-8')).toBe('96385074')
  expect(itemNumber('04252614', 'any')).toBe('0042100005264')
  expect(itemNumber('04252614', 'ean')).toBe('0042100005264')
  expect(itemNumber('4006381333932', 'any')).toBeNull()
  expect(itemNumber('4006381333931', 'ean-8')).toBeNull()
  expect(itemNumber('123456', 'any')).toBeNull()
})

test('UPC-A shortens to UPC-E and back, for numbers spread over both systems', () => {
  expect(compressUpcA('012000003455')).toBe('01234505')
  expect(compressUpcA('042100005264')).toBe('04252614')
  expect(compressUpcA('036000291452')).toBeNull()
  expect(compressUpcA('042100005265')).toBeNull()
  let shortened = 0
  for (let number = 0; number < 2_000_000; number += 37) {
    // 37 reaches every last digit
    const seven = String(number).padStart(7, '0')
    const expanded = expandUpcE(seven) ?? ''
    const short = compressUpcA(expanded)
    // Several short forms may stand for one number; the one that the rules prefer expands to the same.
    expect(short === null ? null : expandUpcE(short), seven).toBe(expanded)
    if (short?.slice(0, 7) === seven) shortened += 1
  }
  expect(shortened).toBeGreaterThan(40_000)
})

test('a GTIN of fourteen digits is written as on the thing itself', () => {
  expect(['04006381333931', '00000096385074', '10614141000415', '00036000291452'].map(printedGtin)).toEqual([
    '4006381333931',
    '96385074',
    '10614141000415',
    '0036000291452',
  ])
})
