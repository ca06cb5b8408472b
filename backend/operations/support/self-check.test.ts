import { describe, expect, test } from 'vitest'
import { looksSecret } from './self-check.ts'

describe('the detection of secrets in a support file', () => {
  test.each([
    ['a collector number', 'card 80012345678 read'],
    ['a collector number in groups', '800 1234 5678'],
    ['a payment card', '4111 1111 1111 1111'],
    ['a token', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.abc'],
    ['a bearer', 'Authorization: Bearer abc'],
    ['a PIN by its name', 'pin=4826'],
    ['a French PIN by its name', '"nip": "4826"'],
    ['a key in base64', 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k='],
    ['a key in hex', 'abcdef0123456789abcdef0123456789'],
    ['a path of a home folder', 'at /home/jean/store'],
    ['a path of Windows', 'C:\\Users\\jean'],
    ['an address with a query', 'https://cash.example/redeem?card=1'],
  ])('finds %s', (_, text) => {
    expect(looksSecret(text)).toBe(true)
  })

  test.each([['a call failed'], ['approvals.discountAbovePercent'], ['N101'], ['24.21.0'], ['48260'], ['pin-wrong']])(
    'accepts %s, which is no secret',
    (text) => {
      expect(looksSecret(text)).toBe(false)
    },
  )
})
