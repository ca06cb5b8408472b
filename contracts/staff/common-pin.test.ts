import { expect, test } from 'vitest'
import { isCommonPin } from './common-pin.ts'

test.each([
  '1234',
  '0000',
  '1111',
  '4321',
  '7890',
  '9012',
  '1357',
  '8642',
  '1212',
  '2112',
  '1122',
  '123123',
  '1998',
  '2026',
  '2512',
  '1225',
  '311299',
  '991231',
  '19991231',
  '31121999',
  '2580',
  '99999999',
])('the PIN %s is refused as easily guessed', (pin) => {
  expect(isCommonPin(pin)).toBe(true)
})

test.each(['3907', '5861', '4794', '97153', '86294', '683517', '7461927', '60917283'])(
  'the PIN %s is accepted',
  (pin) => {
    expect(isCommonPin(pin)).toBe(false)
  },
)

test('at least 88 % of the PINs of four digits and 98 % of those of five digits are accepted', () => {
  const refused = (length: number): number =>
    Array.from({ length: 10 ** length }, (_, pin) => String(pin).padStart(length, '0')).filter(isCommonPin).length /
    10 ** length
  expect(refused(4)).toBeLessThan(0.12)
  expect(refused(5)).toBeLessThan(0.02)
})
