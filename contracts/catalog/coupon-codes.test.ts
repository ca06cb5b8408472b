import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCouponCode } from './coupon-codes.ts'
import { couponKey } from './manufacturer-coupons.ts'

/** Data of AI 8110 that GS1's own check accepts (`src/lint_couponcode.c` of the GS1 Barcode Syntax Dictionary). */
const ACCEPTED = [
  '012345612345611110123',
  '012345612345611110123101101230123456',
  '01234561234561111012310110123212345678',
  '01234561234561111012321101239',
  '0123456123456111101233200229',
  '0123456123456111101234200606',
  '01234561234561111012350123456',
  '01234561234561111012359123456789012345',
  '012345612345611110123611234567',
]
const OFFER = '123456-123456'

describe('a GS1 coupon code (AI 8110)', () => {
  test.each(ACCEPTED)('with the data %s is read as company prefix and offer code', (data) => {
    expect(readCouponCode(`8110${data}`)).toMatchObject({ key: OFFER, companyPrefix: '123456' })
  })
  test('without a further condition is read with its value, number of pieces, first and last day', () => {
    expect(
      readCouponCode('8110' + '10614141' + '654321' + '3500' + '12' + '0' + '000' + '3101231' + '4100101'),
    ).toEqual({
      key: '0614141-654321',
      valueCents: 500,
      units: 2,
      companyPrefix: '0614141',
      from: '100101',
      until: '101231',
    })
  })
  test('is read without a value if it needs a second purchase or minimum amount, or gives a share of the price', () => {
    const plain = '8110' + '10614141' + '654321' + '3500'
    for (const rest of ['1100001011012301234567', '110' + '000' + '95000', '11' + '1' + '000'])
      expect([rest, readCouponCode(plain + rest)?.valueCents]).toEqual([rest, null])
  })
  test('is rejected if a field is cut off', () => {
    for (const data of ['7123456', '0123456123456', '01234561234561111', '01234561234560111']) {
      expect([data, readCouponCode(`8110${data}`)]).toEqual([data, null])
    }
  })
  test('never throws for any digits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{0,70}$/), (data) => {
        const read = readCouponCode(`8110${data}`)
        expect(read === null || read.valueCents === null || read.valueCents > 0).toBe(true)
      }),
    )
  })
})

test('coupon numbers of UPC-A and EAN-13 and references to electronic offers are recognized without a value', () => {
  expect(readCouponCode('514141100906')).toMatchObject({ key: '514141100906', valueCents: null })
  expect(readCouponCode('0514141100906')?.key).toBe('514141100906')
  expect(readCouponCode('9912345678906')?.key).toBe('9912345678906')
  expect(readCouponCode('8112' + '0' + '1' + '0614141' + '654321' + '0123456')?.companyPrefix).toBeNull()
  for (const code of ['0628451104407', '4006381333931', '811012', 'COFFEE2']) expect(readCouponCode(code)).toBeNull()
})

test('the key of a coupon is company prefix and offer code of a GS1 code, or any other code in capitals', () => {
  expect(couponKey(`8110${ACCEPTED[6] ?? ''}`)).toBe(OFFER)
  expect(couponKey(' coffee2 ')).toBe('COFFEE2')
})
