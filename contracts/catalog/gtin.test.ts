import { expect, test } from 'vitest'
import { checkDigit, compressUpcA, expandUpcE, hasValidCheckDigit, upcEAsPrinted } from './goods.ts'

test('the check digits of published product numbers are accepted, and wrong check digits are rejected', () => {
  // The worked example of GS1 General Specifications §7.9 is 6 291 041 50021 → 3; the others are published product
  // numbers.
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

test('UPC-E is expanded to UPC-A by the rule of its last digit', () => {
  expect(expandUpcE('0123450')).toBe('012000003455')
  expect(expandUpcE('0425261')).toBe('042100005264')
  expect(expandUpcE('425261')).toBe('042100005264')
  expect(expandUpcE('04252614')).toBe('042100005264')
  expect(expandUpcE('04252615')).toBeNull()
  // If the last digit is 3, the number has three manufacturer digits; if it is 4, four; from 5 to 9, five.
  expect(expandUpcE('0123453')?.slice(0, 11)).toBe('01230000045')
  expect(expandUpcE('0123454')?.slice(0, 11)).toBe('01234000005')
  expect(expandUpcE('0123459')?.slice(0, 11)).toBe('01234500009')
  for (const digits of ['', '12345', '2123450', '123456789', 'abcdef']) expect(expandUpcE(digits), digits).toBeNull()
})

test('UPC-A is compressed to UPC-E and expanded back, for numbers of both number systems', () => {
  expect(compressUpcA('012000003455')).toBe('01234505')
  expect(compressUpcA('042100005264')).toBe('04252614')
  expect(compressUpcA('036000291452')).toBeNull()
  expect(compressUpcA('042100005265')).toBeNull()
  let shortened = 0
  for (let number = 0; number < 2_000_000; number += 37) {
    const seven = String(number).padStart(7, '0')
    const expanded = expandUpcE(seven) ?? ''
    const short = compressUpcA(expanded)
    // Several short forms may exist for one number; the form that the rules prefer expands to the same number.
    expect(short === null ? null : expandUpcE(short), seven).toBe(expanded)
    if (short?.slice(0, 7) === seven) shortened += 1
  }
  expect(shortened).toBeGreaterThan(40_000)
})

test('eight digits that fit UPC-E are read as UPC-E if they begin with 0 or do not fit EAN-8', () => {
  expect(hasValidCheckDigit('01234565')).toBe(true)
  expect(upcEAsPrinted('01234565')).toBe('012345000065')
  expect(upcEAsPrinted('04252614')).toBe('042100005264')
  expect(upcEAsPrinted('14252611')).toBe('142100005261')
  for (const digits of ['96385074', '12345670', '01234564', '425261', '0425261', 'abcdefgh'])
    expect(upcEAsPrinted(digits), digits).toBeNull()
})
