import { expect, test } from 'vitest'
import { textOnUsLayout } from './us-layout.ts'

/** Key positions of characters on a US keyboard, as a scanner sends them (HID usage tables, chapter 10). */
const PLACES: ReadonlyMap<string, { code: string; shiftKey: boolean }> = new Map(
  [
    ...['1!', '2@', '3#', '4$', '5%', '6^', '7&', '8*', '9(', '0)'].map((both) => [`Digit${both[0] ?? ''}`, both]),
    ...[...'abcdefghijklmnopqrstuvwxyz'].map((one) => [`Key${one.toUpperCase()}`, one + one.toUpperCase()]),
    ['Minus', '-_'],
    ['Equal', '=+'],
    ['BracketLeft', '[{'],
    ['BracketRight', ']}'],
    ['Backslash', '\\|'],
    ['Semicolon', ';:'],
    ['Quote', '\'"'],
    ['Backquote', '`~'],
    ['Comma', ',<'],
    ['Period', '.>'],
    ['Slash', '/?'],
  ].flatMap(([code = '', both = '']) => [...both].map((one, index) => [one, { code, shiftKey: index === 1 }] as const)),
)

test.each([
  ']E00628451101000',
  'https://id.gs1.org/01/00628451101000/10/AB-12?17=271231',
  ';600604123456789=99121010000?',
  '%B600604123456789^GAGNON/MARIE^9912101?',
  '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
])('the code %s is read from its key positions on a US keyboard', (code) => {
  expect(textOnUsLayout([...code].map((one) => PLACES.get(one) ?? { code: '', shiftKey: false }))).toBe(code)
})

test('a code is reported as unreadable if no US keyboard has one of its keys', () => {
  expect(textOnUsLayout([{ code: 'IntlBackslash', shiftKey: false }])).toBeNull()
})
