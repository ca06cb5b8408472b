import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMask } from './channel.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')

test('masked bytes show the frame of a swipe but not its numbers and name', () => {
  const { hex, text } = createMask()(bytes('\x02%B4111111111111111^TREMBLAY/ALEX^29121010?;4111=29?\r'))
  expect(text).toBe('<STX>%B################^aaaaaaaa/aaaa^########?;####=##?<CR>')
  expect(hex.split(' ').slice(0, 6)).toEqual(['02', '25', '42', '3#', '3#', '3#'])
  expect(hex).toMatch(/-- 5e 3# .* 3f 0d$/)
})

test('masked bytes show a failed track and the symbology but not the number', () => {
  expect(createMask()(bytes('%E?;E?')).text).toBe('%E?;E?')
  expect(createMask()(bytes(']C08A\r')).text).toBe(']C##a<CR>')
})

test('a name that arrives letter by letter is masked', () => {
  const mask = createMask()
  expect([...'%BNOEL'].map((letter) => mask(bytes(letter)).text).join('')).toBe('%Baaaa')
})

test('masked bytes show no digit and no run of letters of any input, with or without the parity bit', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (raw, parity) => {
      const seen = Uint8Array.from(raw, (byte) => (parity ? byte | 0x80 : byte))
      const { hex, text } = createMask()(seen)
      const withoutControls = text.replace(/<(?:[A-Z]{2,3}|DC\d)>/g, '<>')
      expect(withoutControls).not.toMatch(/\d|[B-Zb-z][B-Zb-z]/)
      for (const pair of hex.split(' ').filter((one) => /^[0-9a-f]{2}$/.test(one))) {
        const sign = String.fromCharCode(Number.parseInt(pair, 16) & 0x7f)
        expect(sign).not.toMatch(/\d/)
      }
    }),
    { numRuns: 500 },
  )
})
